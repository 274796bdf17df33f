import { once } from "node:events";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { listenOnLoopback } from "../../../local/aws/listen-on-loopback.ts";
import { createInboxSender } from "../../../shared/inbox/send-to-inbox.ts";
import { inboxSendMilliseconds } from "../../../shared/timing.ts";

/** An SQS whose answers begin and do not end. */
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    response.setHeader("content-type", "application/x-amz-json-1.0");
    response.write("{");
    server.emit("answering");
  });
});
let listening: Awaited<ReturnType<typeof listenOnLoopback>>;
beforeAll(async () => {
  listening = await listenOnLoopback(server);
  vi.stubEnv("AWS_ENDPOINT_URL_SQS", listening.endpoint);
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await listening.stop();
});

const entry = { body: "{}", group: "group", deduplicationId: "id" };
const sender = () => createInboxSender("http://queue.invalid/1/q.fifo");

test("a send whose answer does not end is given up at the deadline", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const answering = once(server, "answering");
  const failed = sender()(entry).catch((error: unknown) => error);
  await answering;
  vi.advanceTimersByTime(inboxSendMilliseconds);
  vi.useRealTimers();
  expect(await failed).toMatchObject({
    code: "inbox-unavailable",
    cause: { name: "TimeoutError" },
  });
});

test("no connection of a send that was given up stays in use", async () => {
  const open = () => promisify(server.getConnections.bind(server))();
  const others = await open();
  await expect(sender()(entry)).rejects.toMatchObject({ code: "inbox-unavailable" });
  await expect.poll(open).toBeLessThanOrEqual(others);
});
