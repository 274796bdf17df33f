import { once } from "node:events";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { createInboxSender } from "../../../shared/inbox/send-to-inbox.ts";
import { inboxSendMilliseconds } from "../../../shared/timing.ts";
import { testStampKey } from "../../builders/stamp.ts";
import { useSqs } from "./use-sqs.ts";

/** An SQS whose answers begin and do not end. */
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    response.setHeader("content-type", "application/x-amz-json-1.0");
    response.write("{");
    server.emit("answering");
  });
});
useSqs(server);

const entry = { message: "{}", group: "group", deduplicationId: "id" };
const sender = () => createInboxSender("http://queue.invalid/1/q.fifo", async () => testStampKey);

test("a send whose response does not end fails at the deadline", async () => {
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

test("no connection of a failed send stays in use", async () => {
  const open = () => promisify(server.getConnections.bind(server))();
  const others = await open();
  await expect(sender()(entry)).rejects.toMatchObject({ code: "inbox-unavailable" });
  await expect.poll(open).toBeLessThanOrEqual(others);
});
