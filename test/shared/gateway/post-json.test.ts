import { describe, expect, test } from "vitest";
import { createPoster } from "../../../shared/gateway/post-json.ts";
import { answering, bodyOf, startRawServer } from "./raw-server.ts";

const enough = 5_000;

describe("a post", () => {
  test("sends JSON by length and gives the reply whatever its status", async () => {
    const server = await startRawServer(answering('{"code":1}', "418 I'm a teapot"));
    const reply = await createPoster()(server.url, '{"name":"Zoë 🛒"}', enough);
    expect(reply).toEqual({ status: 418, text: '{"code":1}' });
    const [request = ""] = server.requests;
    expect(request).toMatch(/^POST \/payment\/api\/v1\/payment-order HTTP\/1\.1\r\n/);
    expect(request).toMatch(/\r\ncontent-type: application\/json\r\n/i);
    expect(request).not.toMatch(/transfer-encoding/i);
    expect(bodyOf(request)).toBe('{"name":"Zoë 🛒"}');
  });

  test("hands the header Retry-After on as it came", async () => {
    const headers = ["retry-after: 17"];
    const server = await startRawServer(answering("", "429 Too Many Requests", headers));
    expect(await createPoster()(server.url, "{}", enough)).toEqual({
      status: 429,
      text: "",
      retryAfter: "17",
    });
  });

  test("puts a character together that came in two pieces", async () => {
    const text = Buffer.from('{"msg":"é"}');
    const server = await startRawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n`);
      socket.write(text.subarray(0, 9), () => setTimeout(() => socket.write(text.subarray(9)), 20));
    });
    expect((await createPoster()(server.url, "{}", enough)).text).toBe('{"msg":"é"}');
  });

  test("follows no redirect: the request is not for anybody else", async () => {
    const other = await startRawServer(answering("{}"));
    const headers = [`location: ${other.url}`];
    const server = await startRawServer(answering("", "307 Temporary Redirect", headers));
    expect(await createPoster()(server.url, "{}", enough)).toEqual({ status: 307, text: "" });
    expect(other.connections).toBe(0);
  });
});

describe("a connection", () => {
  test("serves one call after another", async () => {
    const server = await startRawServer(answering("{}"));
    const post = createPoster(() => 1_000);
    for (let call = 0; call < 3; call += 1) await post(server.url, "{}", enough);
    expect([server.requests.length, server.connections]).toEqual([3, 1]);
  });

  test("is not used again after it has idled: it may have died in a freeze", async () => {
    const server = await startRawServer(answering("{}"));
    let now = 1_000;
    const post = createPoster(() => now);
    await post(server.url, "{}", enough);
    now += 3_000;
    await post(server.url, "{}", enough);
    expect(server.connections).toBe(1);
    now += 3_001;
    await post(server.url, "{}", enough);
    expect(server.connections).toBe(2);
  });

  test("that is in use is not cut when another has idled", async () => {
    const held: (() => void)[] = [];
    const server = await startRawServer((socket, request) => {
      const answer = () => answering("{}")(socket, request);
      if (bodyOf(request) === '"slow"') held.push(answer);
      else answer();
    });
    let now = 1_000;
    const post = createPoster(() => now);
    const slow = post(server.url, '"slow"', enough).catch((error: unknown) => error);
    await expect.poll(() => held.length).toBe(1);
    now += 60_000;
    await post(server.url, '"quick"', enough);
    for (const answer of held) answer();
    expect(await slow).toEqual({ status: 200, text: "{}" });
  });

  test("that the server gave up is replaced for the next call", async () => {
    const server = await startRawServer((socket, request) => {
      answering("{}")(socket, request);
      socket.end();
    });
    const post = createPoster();
    await post(server.url, "{}", enough);
    await expect.poll(async () => (await post(server.url, "{}", enough)).status).toBe(200);
    expect(server.connections).toBeGreaterThan(1);
  });
});
