import { describe, expect, test } from "vitest";
import { createCapture, type RefusedEnvelope } from "../../../shared/receiving/capture-refused.ts";
import { capturedMessageSchema } from "../../../shared/receiving/captured-message.ts";
import type { CapturedEntry } from "../../../shared/receiving/send-captured.ts";
import { deduplicationMilliseconds } from "../../../shared/timing.ts";

const start = Date.UTC(2026, 10, 15);
const end = start + 24 * 3_600_000;

function makeCapture(queue = { fails: false }) {
  const sent: CapturedEntry[] = [];
  const lines: unknown[] = [];
  const work: Promise<void>[] = [];
  const clock = { now: start };
  const capture = createCapture({
    send: async (entry) => {
      if (queue.fails) throw new Error("The queue does not answer.");
      sent.push(entry);
    },
    afterAnswer: (begin) => void work.push(begin()),
    endsAtMilliseconds: end,
    now: () => clock.now,
    log: (...line) => void lines.push(line),
  });
  /** Refuses an envelope and waits for what comes of it. */
  const refuse = async (body: string, changes: Partial<RefusedEnvelope> = {}) => {
    const refused = { ...refusedNow(clock.now), request: { body, isBase64Encoded: false } };
    capture({ ...refused, ...changes });
    await Promise.all(work.splice(0));
  };
  return { refuse, sent, lines, clock };
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

  test("that the queue did not take is captured when it comes again", async () => {
    const queue = { fails: true };
    const { refuse, sent } = makeCapture(queue);
    await refuse("{}");
    queue.fails = false;
    await refuse("{}");
    await refuse("{}");
    expect(sent).toHaveLength(1);
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

  test("is counted, and nothing of it is logged", async () => {
    const { refuse, lines } = makeCapture();
    await refuse("{}");
    expect(lines).toEqual([[{ outcome: "captured" }, { Captured: 1 }]]);
  });

  test("has an id that SQS recognises on every instance, and a group for each kind and sender", async () => {
    const [one, other] = [makeCapture(), makeCapture()];
    await one.refuse("{}");
    await other.refuse("{}");
    expect(one.sent[0]!.deduplicationId).toBe(other.sent[0]!.deduplicationId);
    await one.refuse("{}", { merchantId: "M2" });
    await one.refuse("{}", { reason: "too-old" });
    await one.refuse("{}", { sourceAddress: "192.0.2.2" });
    expect(new Set(one.sent.map(({ group }) => group)).size).toBe(4);
    expect(new Set(one.sent.map(({ deduplicationId }) => deduplicationId)).size).toBe(4);
    for (const { group, deduplicationId } of one.sent) {
      expect([group, deduplicationId].join()).toMatch(/^[0-9a-f]{64},[0-9a-f]{64}$/);
    }
  });
});

describe("a flood", () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => index);

  test("of one kind from one sender causes three sends in five minutes", async () => {
    const { refuse, sent, clock } = makeCapture();
    for (const index of many(500)) await refuse(`{"n":${index}}`);
    expect(sent).toHaveLength(3);
    clock.now += deduplicationMilliseconds;
    for (const index of many(500)) await refuse(`{"n":${index}}`);
    expect(sent).toHaveLength(6);
  });

  test("from very many senders causes six hundred sends in five minutes", async () => {
    const { refuse, sent, clock } = makeCapture();
    for (const index of many(2_000)) await refuse("{}", { sourceAddress: `sender-${index}` });
    expect(sent).toHaveLength(600);
    clock.now += deduplicationMilliseconds;
    await refuse("{}", { sourceAddress: "another" });
    expect(sent).toHaveLength(601);
  });
});

test("the last moment before the end is captured, and the end is not", async () => {
  const { refuse, sent } = makeCapture();
  await refuse("{}", { receivedAtMilliseconds: end });
  expect(sent).toHaveLength(0);
  await refuse("{}", { receivedAtMilliseconds: end - 1 });
  expect(sent).toHaveLength(1);
});
