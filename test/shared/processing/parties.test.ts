import { describe, expect, test } from "vitest";
import type { Failure } from "../../../shared/delivery/failure.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import type { Stage } from "../../../shared/errors/stages.ts";
import { writeRedrive } from "../../../shared/inbox/inbox-body.ts";
import { writeInboxMessage } from "../../../shared/inbox/inbox-message.ts";
import type { QueuedMessage } from "../../../shared/processing/process-batch.ts";
import {
  type ProcessCallback,
  postpone,
  processCallback,
} from "../../../shared/processing/process-callback.ts";
import { TableError } from "../../../shared/table/table-error.ts";
import type { LogFields } from "../../../shared/telemetry/log-line.ts";
import { failurePatienceMilliseconds } from "../../../shared/timing.ts";
import { orderResult } from "../../builders/callback.ts";
import { memoryDatabase } from "../../builders/memory-table.ts";
import { wireProcessing } from "../../builders/product.ts";
import { openingDeps, stamped } from "../../builders/stamp.ts";

/* From each fault of each party to the line, and to what becomes of the message. */

const now = Date.UTC(2026, 10, 15);

function queuedCallback(result: object = orderResult()): QueuedMessage {
  const message = writeInboxMessage({
    origin: "callback",
    merchantId: "208800000000000001",
    eventName: "payment.order.success",
    content: { kind: "text", text: JSON.stringify(result), result },
    deduplication: { key: "c1", replayable: false },
    receivedAtMilliseconds: now,
    traceparent: "00-1-2-01",
    keyVersion: "v",
  });
  return queued(stamped("g", message));
}

const queued = (body: string): QueuedMessage => ({
  messageId: "m",
  receiptHandle: "r",
  group: "g",
  receiveCount: 1,
  body,
  sentAtMilliseconds: now,
});

function wired(happens: Partial<ProcessCallback>) {
  const lines: LogFields[] = [];
  const deps: ProcessCallback = {
    ...wireProcessing({
      database: memoryDatabase(now),
      tables: { callbacks: "callbacks", orders: "orders" },
      source: "urn:test",
      subscribers: [{ name: "books", types: ["*"], queueUrl: "books", ordered: true }],
      send: async () => {},
      now: () => now,
      log: (line) => void lines.push(line),
    }),
    sendToDeadLetters: async () => {},
    ...happens,
  };
  return { deps, lines };
}

const fails = (error: unknown) => () => Promise.reject(error);
const passing = (code: ConstructorParameters<typeof PaycastError>[0]) =>
  new PaycastError(code, "any", { retryable: true });
const table = (code: ConstructorParameters<typeof TableError>[0]) => ({
  record: fails(new TableError(code, new Error("the SDK's own"))),
});
const keys = (versions: () => Promise<never>) => ({
  stampKeys: { ...openingDeps.stampKeys, versions },
});
const delivery = (kind: Failure["kind"]) => ({
  deliver: async () => ({
    delivered: [],
    failures: [{ subscriber: "books", errorName: "any", kind }],
  }),
});

type End = "done" | "returned";
type Row = [
  fault: string,
  happens: Partial<ProcessCallback>,
  message: QueuedMessage,
  end: End,
  line: [outcome: LogFields["outcome"], stage: Stage, reason: string],
];

const callback = queuedCallback();
const foreign = queued("hello");

describe("a message that meets a fault of", () => {
  test.each<Row>([
    [
      "AWS, whose table throttles",
      table("table-throttled"),
      callback,
      "returned",
      ["failed", "table", "table-throttled"],
    ],
    [
      "AWS, whose table is away",
      table("table-unavailable"),
      callback,
      "returned",
      ["failed", "table", "table-unavailable"],
    ],
    [
      "us, who took the table's permission",
      table("table-denied"),
      callback,
      "returned",
      ["failed", "table", "table-denied"],
    ],
    [
      "us, who write the same order in too many places",
      { record: fails(passing("aggregate-contended")) },
      callback,
      "returned",
      ["failed", "table", "aggregate-contended"],
    ],
    [
      "us, whose newer version wrote the order",
      { record: fails(passing("item-newer")) },
      callback,
      "returned",
      ["failed", "table", "item-newer"],
    ],
    [
      "AWS, which does not return the stamp key",
      keys(fails(passing("keys-unreachable"))),
      callback,
      "returned",
      ["failed", "keys", "stamp-unchecked"],
    ],
    [
      "AWS, whose dead-letter queue takes nothing",
      { sendToDeadLetters: fails(passing("dead-letters-unavailable")) },
      foreign,
      "returned",
      ["failed", "inbox", "dead-letters-unavailable"],
    ],
    [
      "a stranger, who may send to the inbox",
      {},
      foreign,
      "done",
      ["stamp-refused", "authentication", "stamp-missing"],
    ],
    [
      "a stranger, who copies a stamp",
      {},
      { ...callback, group: "another" },
      "done",
      ["stamp-refused", "authentication", "stamp-wrong"],
    ],
    [
      "an operator, whose redrive names no record",
      {},
      queued(writeRedrive({ callbackKey: "k", receipt: "first" })),
      "done",
      ["redrive-ignored", "table", "record-gone"],
    ],
    [
      "the service, which cannot be understood",
      {},
      queuedCallback(orderResult({ status: "odd" })),
      "done",
      ["quarantined", "result", "result-unreadable"],
    ],
    [
      "the service, which names two orders",
      {},
      queuedCallback({ ...orderResult(), outOrderNo: "another" }),
      "done",
      ["quarantined", "result", "result-contradicted"],
    ],
    [
      "a team, whose queue is gone",
      delivery("gone"),
      callback,
      "returned",
      ["published", "delivery", "subscriber-gone"],
    ],
    [
      "a team, whose queue denies access",
      delivery("refused"),
      callback,
      "returned",
      ["published", "delivery", "subscriber-refused"],
    ],
    [
      "AWS, whose queue of a team throttles",
      delivery("failed"),
      callback,
      "returned",
      ["published", "delivery", "subscriber-failed"],
    ],
    [
      "AWS, whose queue of a team hangs",
      delivery("no-response"),
      callback,
      "returned",
      ["published", "delivery", "subscriber-no-response"],
    ],
    [
      "AWS, whose queue of a team hung a moment ago",
      delivery("untried"),
      callback,
      "returned",
      ["published", "delivery", "subscriber-untried"],
    ],
    [
      "us, whose code is wrong",
      { record: fails(new TypeError("any")) },
      callback,
      "returned",
      ["failed", "function", "unexpected-error"],
    ],
    [
      "us, whose code has been wrong for six hours",
      {
        record: fails(new TypeError("any")),
        failingSince: () => now,
        now: () => now + failurePatienceMilliseconds,
      },
      callback,
      "done",
      ["quarantined", "function", "processing-failed"],
    ],
  ])("%s", async (_fault, happens, message, end, [outcome, stage, reason]) => {
    const { deps, lines } = wired(happens);
    const ended = await processCallback(message, deps);
    expect(ended === "done" ? "done" : "returned").toBe(end);
    expect(lines).toMatchObject([{ outcome, stage, reason }]);
  });

  test("us, whose time is over", () => {
    const { deps, lines } = wired({});
    expect(postpone(callback, deps)).not.toBe("done");
    const [stage, reason] = ["function", "out-of-time"];
    expect(lines).toMatchObject([{ outcome: "left-for-later", stage, reason }]);
  });
});

test("a message that meets no fault has no stage and no reason", async () => {
  const { deps, lines } = wired({});
  expect(await processCallback(callback, deps)).toBe("done");
  expect(lines).toMatchObject([{ outcome: "published" }]);
  expect(lines[0]).not.toHaveProperty("stage");
  expect(lines[0]).not.toHaveProperty("reason");
});
