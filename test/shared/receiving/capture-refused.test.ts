import { createServer } from "node:http";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  type CapturedEntry,
  createCapture,
  createCapturedSender,
  type RefusedEnvelope,
  type SendCaptured,
} from "../../../shared/receiving/capture-refused.ts";
import { capturedMessageSchema } from "../../../shared/receiving/captured-message.ts";
import { captureMilliseconds } from "../../../shared/timing.ts";
import { listenOnLoopback } from "../../../tools/local/aws/listen-on-loopback.ts";

const start = Date.UTC(2026, 10, 15);
const end = start + 24 * 3_600_000;

afterEach(() => void vi.useRealTimers());

function makeCapture(queue: { send?: SendCaptured } = {}) {
  const sent: CapturedEntry[] = [];
  const lines: unknown[] = [];
  const capture = createCapture({
    send: async (entry, limit) => {
      sent.push(entry);
      await queue.send?.(entry, limit);
    },
    endsAtMilliseconds: end,
    log: (...line) => void lines.push(line),
  });
  const refuse = (body: string, changes: Partial<RefusedEnvelope> = {}) => {
    const refused = { ...refusedNow(start), request: { body, isBase64Encoded: false } };
    return capture({ ...refused, ...changes });
  };
  return { refuse, sent, lines };
}

const refusedNow = (receivedAtMilliseconds: number) => ({
  sourceAddress: "192.0.2.1",
  merchantId: "M1",
  reason: "wrong-signature" as const,
  receivedAtMilliseconds,
});

describe("a captured envelope", () => {
  test("is a message of the documented form, in ASCII", async () => {
    const { refuse, sent } = makeCapture();
    await refuse('{"note":"漢 \u{10FFFF}"}');
    const [entry] = sent;
    expect(entry!.body).toMatch(/^[\x20-\x7e]+$/);
    expect(capturedMessageSchema.parse(JSON.parse(entry!.body))).toEqual({
      version: 1,
      merchantId: "M1",
      reason: "wrong-signature",
      receivedAtMilliseconds: start,
      body: '{"note":"漢 \u{10FFFF}"}',
    });
  });

  test("fits a queue's message, however its text must be escaped", async () => {
    const { refuse, sent } = makeCapture();
    for (const character of ["é", '"', "\\", "\n", "漢", "🙂", "\u007f"]) {
      const size = Buffer.byteLength(character);
      await refuse(character.repeat((256 * 1024) / size), { sourceAddress: character });
    }
    expect(sent).toHaveLength(7);
    for (const { body } of sent) expect(body.length).toBeLessThan(1024 * 1024);
  });

  test("has an id that SQS recognises on every instance, and a group for each kind and sender", async () => {
    const [first, other] = [makeCapture(), makeCapture()];
    await first.refuse("{}");
    await other.refuse("{}");
    expect(first.sent[0]!.deduplicationId).toBe(other.sent[0]!.deduplicationId);
    await first.refuse("{}", { merchantId: "M2" });
    await first.refuse("{}", { reason: "too-old" });
    await first.refuse("{}", { sourceAddress: "192.0.2.2" });
    expect(new Set(first.sent.map(({ group }) => group)).size).toBe(4);
    expect(new Set(first.sent.map(({ deduplicationId }) => deduplicationId)).size).toBe(4);
    for (const { group, deduplicationId } of first.sent) {
      expect([group, deduplicationId].join()).toMatch(/^[0-9a-f]{64},[0-9a-f]{64}$/);
    }
  });
});

describe("every refusal sends one message, so that the response time reveals nothing", () => {
  test("a repeat as well: SQS drops it, and keeps three of a kind and sender", async () => {
    const { refuse, sent } = makeCapture();
    for (let index = 0; index < 100; index += 1) await refuse(`{"n":${index}}`);
    expect(sent).toHaveLength(100);
    expect(new Set(sent.map(({ deduplicationId }) => deduplicationId)).size).toBe(3);
  });

  test("a stranger's as well: of the size of the escaped envelope, without its content or a line", async () => {
    const { refuse, sent, lines } = makeCapture();
    const stranger = { merchantId: undefined, reason: "unknown-merchant" as const };
    await refuse('{"from":"one"}', stranger);
    await refuse('{"from":"two"}', { ...stranger, sourceAddress: "192.0.2.2" });
    const [first, two] = sent;
    expect(JSON.parse(first!.body)).toMatchObject({ merchantId: "", body: " ".repeat(18) });
    expect(two).toEqual(first);
    expect(lines).toEqual([]);
  });

  test.each(["é", '"', "\\", "漢", "a"])(
    "a stranger's entry is as long as a kept one if the body is of %j",
    async (character) => {
      const { refuse, sent } = makeCapture();
      await refuse(character.repeat(1000));
      await refuse(character.repeat(1000), { merchantId: undefined });
      const [kept, strangers] = sent.map(({ body }) => body);
      expect(strangers!.length).toBe(kept!.length - "M1".length);
      expect(capturedMessageSchema.parse(JSON.parse(strangers!)).body).toMatch(/^ +$/);
    },
  );
});

test("an envelope is captured although the queue ends the first connection", async () => {
  let requests = 0;
  let sent = "";
  const server = createServer((request, response) => {
    requests += 1;
    if (requests === 1) return void request.socket.destroy();
    request.on("data", (chunk) => (sent += chunk));
    response.setHeader("content-type", "application/x-amz-json-1.0");
    response.end(JSON.stringify({ MessageId: "1" }));
  });
  const { endpoint, stop } = await listenOnLoopback(server);
  vi.stubEnv("AWS_ENDPOINT_URL_SQS", endpoint);
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
  try {
    const send = createCapturedSender("http://queue.invalid/1/q.fifo");
    const entry = { body: "{}", group: "group", deduplicationId: "1" };
    await send(entry, new AbortController().signal);
    expect(requests).toBe(2);
    expect(JSON.parse(sent)).toEqual({
      QueueUrl: "http://queue.invalid/1/q.fifo",
      MessageBody: "{}",
      MessageGroupId: "group",
      MessageDeduplicationId: "1",
    });
    await expect(send(entry, AbortSignal.abort())).rejects.toThrow();
  } finally {
    vi.unstubAllEnvs();
    await stop();
  }
});

describe("the response waits", () => {
  test("until the queue has the envelope", async () => {
    let accept = () => {};
    const { refuse, lines } = makeCapture({ send: () => new Promise((done) => (accept = done)) });
    const refusing = refuse("{}");
    expect(lines).toEqual([]);
    accept();
    await refusing;
    expect(lines).toEqual([[{ outcome: "captured" }, { Captured: 1 }]]);
  });

  test("300 milliseconds at most, even if the send does not react to its end", async () => {
    vi.useFakeTimers();
    let late: (error: Error) => void = () => {};
    let limit: AbortSignal | undefined;
    const send: SendCaptured = (_message, signal) => {
      limit = signal;
      return new Promise((_done, fail) => (late = fail));
    };
    const { refuse, lines } = makeCapture({ send });
    const refusing = refuse("{}");
    await vi.advanceTimersByTimeAsync(299);
    expect([limit?.aborted, lines]).toEqual([false, []]);
    await vi.advanceTimersByTimeAsync(1);
    await refusing;
    late(new Error("The connection was cut."));
    await vi.runAllTimersAsync();
    expect(limit?.aborted).toBe(true);
    const line = { outcome: "not-captured", errorName: "TimeoutError" };
    expect(lines).toEqual([[expect.objectContaining(line), { Captured: 0 }]]);
    expect(captureMilliseconds).toBe(300);
  });

  test("and does not fail with the send, which is one line, and none for a stranger", async () => {
    const { refuse, lines } = makeCapture({ send: () => Promise.reject(new Error("throttled")) });
    await refuse("{}");
    await refuse("{}", { merchantId: undefined });
    const line = expect.objectContaining({ outcome: "not-captured", errorName: "Error" });
    expect(lines).toEqual([[line, { Captured: 0 }]]);
  });
});

test("the last moment before the end is captured, and the end is not", async () => {
  const { refuse, sent } = makeCapture();
  await refuse("{}", { receivedAtMilliseconds: end });
  expect(sent).toHaveLength(0);
  await refuse("{}", { receivedAtMilliseconds: end - 1 });
  expect(sent).toHaveLength(1);
});
