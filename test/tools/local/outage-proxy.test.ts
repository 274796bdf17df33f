import { once } from "node:events";
import { createServer as createHttpServer, request } from "node:http";
import { connect, createServer, type Socket } from "node:net";
import { GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import { listenOnLoopback } from "../../../tools/local/aws/listen-on-loopback.ts";
import { type OutageProxy, startOutageProxy } from "../../../tools/local/aws/outage-proxy.ts";
import { randomName } from "../../integration/aws-stores.ts";
import { createTable, dynamodbClient } from "./aws/aws-clients.ts";

const common = {
  region: "us-east-1",
  credentials: { accessKeyId: "any", secretAccessKey: "any" },
  useQueueUrlAsEndpoint: false,
};

const emulators = inject("emulators");
const things = randomName("things");
let outages: OutageProxy;
let sqs: SQSClient;
let queueUrls: readonly string[];

beforeAll(async () => {
  outages = await startOutageProxy(emulators);
  sqs = new SQSClient({ ...common, endpoint: outages.endpoints.sqs });
  queueUrls = await Promise.all(["one", "two"].map((name) => createQueue(randomName(name))));
  await dynamodbClient(outages.endpoints.dynamodb).send(createTable(things));
});
afterEach(() => {
  for (const service of ["sqs", "dynamodb"] as const) outages.setOutage(service, false);
  for (const url of queueUrls) outages.setQueueGone(url, false);
});
afterAll(async () => {
  sqs.destroy();
  await outages.stop();
});

const createQueue = async (QueueName: string) =>
  (await sqs.send(new CreateQueueCommand({ QueueName }))).QueueUrl!;
const send = (queue: number) =>
  sqs.send(new SendMessageCommand({ QueueUrl: queueUrls[queue]!, MessageBody: "hello" }));
const sendBatch = (queue: number) =>
  sqs.send(
    new SendMessageBatchCommand({
      QueueUrl: queueUrls[queue]!,
      Entries: [{ Id: "1", MessageBody: "hello" }],
    }),
  );

test("a request and its answer pass byte by byte, with their headers in order and spelling", async () => {
  const body = Buffer.from([0, 1, 2, 0x0d, 0x0a, 0xff, 0xfe, 0x7f]);
  const answer = Buffer.concat([
    Buffer.from(
      "HTTP/1.1 418 I'm a teapot\r\nX-Odd-Name: a\r\nx-odd-name: b\r\nContent-Length: 8\r\n\r\n",
    ),
    body,
  ]);
  const upstream = await rawServer(answer);
  const own = await startOutageProxy({ sqs: upstream.endpoint, dynamodb: upstream.endpoint });
  const head =
    "POST /a%20b?c=d&c=e HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: AmazonSQS.Any\r\nX-b: 1\r\nX-B: 2\r\nContent-Length: 8\r\n";
  const got = await exchange(own.endpoints.sqs, Buffer.concat([Buffer.from(`${head}\r\n`), body]));
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
  const own = await startOutageProxy({ sqs: upstream.endpoint, dynamodb: upstream.endpoint });
  const { host } = new URL(other.endpoint);
  const paths = [`//${host}/`, `http://${host}/`];
  const { hostname, port } = new URL(own.endpoints.sqs);
  for (const path of paths) {
    const [answer] = await once(request({ hostname, port, path }).end(), "response");
    answer.resume();
  }
  await Promise.all([own.stop(), upstream.stop(), other.stop()]);
  expect([upstream.paths, other.paths]).toEqual([paths, []]);
});

test("the SDK's clients work through it", async () => {
  await send(0);
  const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: queueUrls[0]! }));
  expect(Messages).toMatchObject([{ Body: "hello" }]);
  const dynamodb = dynamodbClient(outages.endpoints.dynamodb);
  const Item = { k: { S: "key" }, v: { S: "ü".repeat(100_000) } };
  await dynamodb.send(new PutItemCommand({ TableName: things, Item }));
  const read = new GetItemCommand({ TableName: things, Key: { k: Item.k } });
  expect(await dynamodb.send(read)).toMatchObject({ Item });
});

test("while SQS is out, the SDK tries three times and tells ServiceUnavailable", async () => {
  outages.setOutage("sqs", true);
  const error = await send(0).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    name: "ServiceUnavailable",
    $fault: "server",
    $metadata: { httpStatusCode: 503, attempts: 3 },
  });
  outages.setOutage("sqs", false);
  await send(0);
});

test("while DynamoDB is out, SQS goes on", async () => {
  outages.setOutage("dynamodb", true);
  const read = new GetItemCommand({ TableName: things, Key: { k: { S: "key" } } });
  const reading = dynamodbClient(outages.endpoints.dynamodb).send(read);
  await expect(reading).rejects.toMatchObject({
    name: "ServiceUnavailable",
    $metadata: { httpStatusCode: 503 },
  });
  await send(0);
  await dynamodbClient(emulators.dynamodb).send(read);
});

test.each([
  ["SendMessage", send],
  ["SendMessageBatch", sendBatch],
])(
  "%s to a queue that is gone is refused like one to a deleted queue; looking at it is not",
  async (_name, sends) => {
    outages.setQueueGone(queueUrls[0]!, true);
    const error = await sends(0).catch((thrown: unknown) => thrown);
    const real = await sqs
      .send(
        new SendMessageCommand({
          QueueUrl: `${emulators.sqs}/000000000000/never-made`,
          MessageBody: "hello",
        }),
      )
      .catch((thrown: unknown) => thrown);
    const expected = {
      name: "QueueDoesNotExist",
      Code: "AWS.SimpleQueueService.NonExistentQueue",
      Type: "Sender",
      $metadata: { httpStatusCode: 400, attempts: 1 },
    };
    expect(error).toMatchObject(expected);
    expect(real).toMatchObject(expected);
    const look = new GetQueueAttributesCommand({
      QueueUrl: queueUrls[0]!,
      AttributeNames: ["All"],
    });
    expect((await sqs.send(look)).Attributes).toHaveProperty("QueueArn");
    await sends(1);
    outages.setQueueGone(queueUrls[0]!, false);
    await sends(0);
  },
);

test("if the emulator has gone, the connection ends without an answer", async () => {
  const own = await startOutageProxy({ sqs: "http://127.0.0.1:1", dynamodb: "http://127.0.0.1:1" });
  await expect(fetch(own.endpoints.sqs)).rejects.toThrow();
  await own.stop();
  await expect(fetch(own.endpoints.sqs)).rejects.toThrow();
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
