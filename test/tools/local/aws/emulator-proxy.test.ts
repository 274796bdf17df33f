import { once } from "node:events";
import { createServer as createHttpServer, request } from "node:http";
import { connect, createServer, type Socket } from "node:net";
import { GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { expect, inject, test } from "vitest";
import { startProxy } from "../../../../tools/local/aws/emulator-proxy.ts";
import { listenOnLoopback } from "../../../../tools/local/aws/listen-on-loopback.ts";
import { randomName } from "../../../integration/aws-stores.ts";
import { createTable, dynamodbClient } from "./aws-clients.ts";

test("a request and its answer pass byte by byte, with their headers in order and spelling", async () => {
  const body = Buffer.from([0, 1, 2, 0x0d, 0x0a, 0xff, 0xfe, 0x7f]);
  const answer = Buffer.concat([
    Buffer.from(
      "HTTP/1.1 418 I'm a teapot\r\nX-Odd-Name: a\r\nx-odd-name: b\r\nContent-Length: 8\r\n\r\n",
    ),
    body,
  ]);
  const upstream = await rawServer(answer);
  const own = await startProxy(upstream.endpoint);
  const head =
    "POST /a%20b?c=d&c=e HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: AmazonSQS.Any\r\nX-b: 1\r\nX-B: 2\r\nContent-Length: 8\r\n";
  const got = await exchange(own.endpoint, Buffer.concat([Buffer.from(`${head}\r\n`), body]));
  await own.stop();
  await upstream.stop();
  const sent = Buffer.concat(upstream.received).toString("latin1");
  expect(sent.replace("Connection: keep-alive\r\n", "")).toBe(
    Buffer.concat([Buffer.from(`${head}\r\n`), body]).toString("latin1"),
  );
  const [status, ...headers] = got.toString("latin1").split("\r\n");
  expect(status).toMatch(/^HTTP\/1.1 418/);
  expect(headers.slice(0, 3)).toEqual(["X-Odd-Name: a", "x-odd-name: b", "Content-Length: 8"]);
  expect(got.subarray(-8)).toEqual(body);
});

test("a path that names another server goes to the emulator all the same", async () => {
  const [upstream, other] = await Promise.all([pathServer(), pathServer()]);
  const own = await startProxy(upstream.endpoint);
  const { host } = new URL(other.endpoint);
  const paths = [`//${host}/`, `http://${host}/`];
  const { hostname, port } = new URL(own.endpoint);
  for (const path of paths) {
    const [answer] = await once(request({ hostname, port, path }).end(), "response");
    answer.resume();
  }
  await Promise.all([own.stop(), upstream.stop(), other.stop()]);
  expect([upstream.paths, other.paths]).toEqual([paths, []]);
});

test("the SDK's client works through it", async () => {
  const proxy = await startProxy(inject("emulators").dynamodb);
  const TableName = randomName("things");
  const dynamodb = dynamodbClient(proxy.endpoint);
  await dynamodb.send(createTable(TableName));
  const Item = { k: { S: "key" }, v: { S: "ü".repeat(100_000) } };
  await dynamodb.send(new PutItemCommand({ TableName, Item }));
  const read = new GetItemCommand({ TableName, Key: { k: Item.k } });
  expect(await dynamodb.send(read)).toMatchObject({ Item });
  dynamodb.destroy();
  await proxy.stop();
});

test("if the emulator has gone, the connection ends without an answer", async () => {
  const own = await startProxy("http://127.0.0.1:1");
  await expect(fetch(own.endpoint)).rejects.toThrow();
  await own.stop();
  await expect(fetch(own.endpoint)).rejects.toThrow();
});

/** Keeps the paths that it was asked for. */
async function pathServer() {
  const paths: (string | undefined)[] = [];
  const server = createHttpServer(({ url }, response) => {
    paths.push(url);
    response.end();
  });
  return { paths, ...(await listenOnLoopback(server)) };
}

/** Answers with these bytes once the request has ended as they do, and keeps what it got. */
async function rawServer(answer: Buffer) {
  const received: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      received.push(chunk);
      // A request may come in pieces.
      const isWhole = Buffer.concat(received).subarray(-8).equals(answer.subarray(-8));
      if (isWhole) socket.write(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { endpoint: `http://127.0.0.1:${port}`, received, stop };
}

/** Sends bytes and gives the bytes of one answer. */
async function exchange(endpoint: string, bytes: Buffer): Promise<Buffer> {
  const socket = connect(Number(new URL(endpoint).port), "127.0.0.1");
  socket.write(bytes);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  const end = () => Buffer.concat(chunks).subarray(-8);
  await expect.poll(end, { timeout: 10_000 }).toEqual(bytes.subarray(-8));
  socket.destroy();
  return Buffer.concat(chunks);
}
