import { describe, expect, test } from "vitest";
import { deliverEvent } from "../../../shared/delivery/deliver-event.ts";
import type { Delivery } from "../../../shared/delivery/delivery.ts";
import { createFailingSubscribers } from "../../../shared/delivery/failing-subscribers.ts";
import type { Failure } from "../../../shared/delivery/failure.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { writeRedrive } from "../../../shared/inbox/inbox-body.ts";
import { readInboxMessage, writeInboxMessage } from "../../../shared/inbox/inbox-message.ts";
import { queryMessageOf } from "../../../shared/inbox/send-to-inbox.ts";
import { createFailingSince } from "../../../shared/processing/failing-since.ts";
import type { QueuedMessage } from "../../../shared/processing/process-batch.ts";
import {
  type ProcessCallback,
  postpone,
  processCallback,
} from "../../../shared/processing/process-callback.ts";
import type { CallbackRecord, PublishedRecord } from "../../../shared/records/callback-record.ts";
import type { Marking } from "../../../shared/records/record-store.ts";
import type { LogFields, Metrics } from "../../../shared/telemetry/log-line.ts";
import { orderResult } from "../../builders/callback.ts";
import { sqsError } from "../../builders/sqs-error.ts";
import { openingDeps, stamped } from "../../builders/stamp.ts";

const start = Date.UTC(2026, 10, 15);
/** Made with `printf C-1 | sha256sum`: an id that is no GUID is logged as its hash. */
const hashOfC1 = "sha256:07e9a9696557f5c8f882be06e799bc096a740341e798ddd7337614f5ffc1a070";
const minute = 60_000;

function queuedCallback(result: object = orderResult()): QueuedMessage {
  const text = JSON.stringify(result);
  const body = writeInboxMessage({
    origin: "callback",
    merchantId: "208800000000000001",
    callbackId: "C-1",
    eventName: "payment.order.success",
    content: { kind: "text", text, result },
    deduplication: { key: "c1", replayable: false },
    receivedAtMilliseconds: start,
    traceparent: "00-1-2-01",
    keyVersion: "v",
  });
  return queuedText(body);
}

/** A message that one of our functions sent. */
function queuedText(text: string): QueuedMessage {
  const queued = { messageId: "m", receiptHandle: "r", group: "g", receiveCount: 5 };
  return { ...queued, body: stamped("g", text), sentAtMilliseconds: start };
}

const textOf = ({ body }: QueuedMessage): string => JSON.parse(body).message;

const published: PublishedRecord = {
  callbackKey: "k",
  receipt: "first",
  origin: "callback",
  merchantId: "208800000000000001",
  callbackId: "C-1",
  message: "message",
  contentHash: "hash",
  group: "g",
  receivedAt: new Date(start).toISOString(),
  recordedAt: new Date(start).toISOString(),
  timeBucket: "2026-11-15T00#0",
  recipients: ["a", "b"],
  flags: ["late", "mismatch"],
  outcome: "published",
  factId: "fact",
  type: "payment.order.success",
  event: "{}",
  sequence: 7,
  pending: ["books", "stock"],
  delivered: {},
};

const refused: Failure = { subscriber: "stock", errorName: "AccessDenied", kind: "refused" };

/** "marked books; stock waiting since …" */
function describeMarking({ delivered, remaining }: Marking): string {
  const marked = `marked ${delivered.join(" ")}`;
  if (remaining === undefined) return marked;
  const { kind, subscribers = {} } = remaining.attention;
  const names = Object.entries(subscribers).map(([name, error]) => `${name} (${error})`);
  return `${marked}; ${kind} for ${names.join(" ")} since ${remaining.since}`;
}

/** A flow whose parts return what the test says; what it does is kept. */
function flow(over: Partial<ProcessCallback> = {}) {
  const done: string[] = [];
  const lines: { fields: LogFields; metrics: Metrics | undefined }[] = [];
  const deps: ProcessCallback = {
    ...openingDeps,
    revise: () => Promise.reject(new Error("must not be called")),
    record: async () => ({ record: published, isNew: true }),
    deliver: async () => ({ delivered: published.pending, failures: [] }),
    mark: async (_record, marking) => {
      done.push(describeMarking(marking));
      return true;
    },
    isHopeless: () => false,
    recordQuarantine: async (_receipt, why) => void done.push(`recorded ${why.code}`),
    sendToDeadLetters: async (_message, why) => void done.push(`dead letter ${why.code}`),
    failingSince: createFailingSince(),
    now: () => start,
    log: (fields, metrics) => void lines.push({ fields, metrics }),
    ...over,
  };
  return { deps, done, lines };
}

/** How a message ends in such a flow, and what was done. */
async function processed(over: Partial<ProcessCallback> = {}, message = queuedCallback()) {
  const { deps, done, lines } = flow(over);
  return { end: await processCallback(message, deps), done, lines };
}

/** The part that finds a record that was written before. */
const recorded = (record: PublishedRecord) => ({
  record: async () => ({ record, isNew: false }),
});

const refusedBy =
  (failures: readonly Failure[], delivered: readonly string[] = []) =>
  async (): Promise<Delivery> => ({ delivered, failures });

/** "stock" refuses; "books" has the event. */
const deliver = refusedBy([refused], ["books"]);
const nothingLeft = refusedBy([]);

test("a message that everybody has is done, in one line that says what it was about", async () => {
  const { end, done, lines } = await processed();
  expect(end).toBe("done");
  expect(done).toEqual(["marked books stock"]);
  expect(lines).toHaveLength(1);
  expect(lines[0]!.fields).toMatchObject({
    outcome: "published",
    ending: "delivered",
    merchantId: "208800000000000001",
    orderNo: "ORDER-2026-000042",
    callbackId: hashOfC1,
    eventId: "fact",
    sequence: 7,
    deliveredTo: ["books", "stock"],
    subscribers: [],
  });
  expect(lines[0]!.metrics).toEqual({ Published: 1, Late: 1, Mismatch: 1 });
});

test("a message without enough time returns to the inbox, and its line says how long it has waited", () => {
  const { deps, lines } = flow({ now: () => start + 7_000 });
  expect(postpone(queuedCallback(), deps)).toEqual({ triedForMilliseconds: 0 });
  expect(lines[0]!.metrics).toEqual({ GivenBack: 1, WaitingSeconds: 7, StampRefused: 0 });
});

test("a query's result without news is done, and nothing is recorded", async () => {
  const asked = { merchantId: "208800000000000001", orderNo: "A", paymentId: "P1" };
  const answer = { status: "pending" };
  const query = queryMessageOf({ ...asked, answer, receivedAtMilliseconds: 0, traceparent: "" });
  const record = () => Promise.reject(new Error("must not be called"));
  const message = queuedText(writeInboxMessage(query));
  const { end, done, lines } = await processed({ record }, message);
  expect([end, done]).toEqual(["done", []]);
  expect(lines[0]).toMatchObject({
    fields: { outcome: "no-fact", messageId: "m", orderNo: "A" },
    metrics: { NoFact: 1 },
  });
});

test("the record gets the message as it came, and its group", async () => {
  const receipts: unknown[] = [];
  const message = queuedCallback();
  const record: ProcessCallback["record"] = async (receipt) => {
    receipts.push(receipt);
    return { record: published, isNew: true };
  };
  await processed({ record }, message);
  expect(receipts).toEqual([
    { message: readInboxMessage(textOf(message)), body: textOf(message), group: "g" },
  ]);
});

test("a known fact and a dismissed quarantine have nothing to send", async () => {
  const { deliver: _deliver, ...deps } = flow().deps;
  const never = () => Promise.reject(new Error("must not be called"));
  const known = { ...published, outcome: "known-fact" } as unknown as PublishedRecord;
  const found = { ...deps, deliver: never, record: async () => ({ record: known, isNew: true }) };
  expect(await processCallback(queuedCallback(), found)).toBe("done");
});

test("a record that everybody has, and that lacks its expiry, gets it", async () => {
  const record = { ...published, pending: [], keptUntil: 99 };
  const { done } = await processed({ ...recorded(record), deliver: nothingLeft });
  expect(done).toEqual(["marked "]);
});

test.each([
  ["resumed", published, { Resumed: 1, Late: 1, Mismatch: 1 }],
  ["duplicate", { ...published, pending: [] }, { Duplicate: 1 }],
])("a receipt that is %s is counted as that", async (outcome, record, metrics) => {
  const { lines } = await processed(recorded(record));
  expect(lines[0]!.fields.outcome).toBe(outcome);
  expect(lines[0]!.metrics).toEqual(metrics);
});

describe("a subscriber's queue that refuses", () => {
  test("gives the message back, having marked who has it", async () => {
    const { end, done, lines } = await processed({ deliver, now: () => start + 90_000 });
    expect(end).not.toBe("done");
    const since = new Date(start + 90_000).toISOString();
    expect(done).toEqual([`marked books; waiting for stock (AccessDenied) since ${since}`]);
    expect(lines[0]).toMatchObject({
      fields: {
        ending: "given-back",
        deliveredTo: ["books"],
        subscribers: ["stock"],
        errorName: "AccessDenied",
      },
      metrics: { GivenBack: 1, WaitingSeconds: 90, StampRefused: 0 },
    });
  });

  test.each([
    ["five minutes after the callback came", { recorded: 0, sent: 0 }, 5],
    ["after a minute of its own, where it waited before", { recorded: 9, sent: 0 }, 10],
    ["a minute after it was redriven", { recorded: 0, sent: 30 }, 31],
  ])("is given up %s", async (_case, minutes, givenUpAfter) => {
    const [recordedAt, sentAt] = [start + minutes.recorded * minute, start + minutes.sent * minute];
    const giveUpAt = start + givenUpAfter * minute;
    const record = { ...published, recordedAt: new Date(recordedAt).toISOString() };
    const message = { ...queuedCallback(), sentAtMilliseconds: sentAt };
    const at = (now: number) =>
      processed({ ...recorded(record), deliver, now: () => now }, message);
    expect((await at(giveUpAt - 1)).end).toEqual({
      triedForMilliseconds: giveUpAt - 1 - Math.max(recordedAt, sentAt),
    });
    const { end, done, lines } = await at(giveUpAt);
    expect(end).toBe("done");
    const since = new Date(giveUpAt).toISOString();
    expect(done).toEqual([`marked books; undeliverable for stock (AccessDenied) since ${since}`]);
    expect(lines[0]).toMatchObject({
      fields: { ending: "undeliverable" },
      metrics: { Undeliverable: 1 },
    });
  });

  const gone: Failure = { subscriber: "stock", errorName: "QueueDoesNotExist", kind: "gone" };
  const closed: Failure = { subscriber: "books", errorName: "AccessDenied", kind: "refused" };
  const untried: Failure = { subscriber: "books", errorName: "TimeoutError", kind: "untried" };

  test.each<
    [what: string, failures: Failure[], seconds: number, receiveCount: number, end: string]
  >([
    ["gone, a minute after its record", [gone], 60, 5, "undeliverable"],
    ["gone, before that", [gone], 59.999, 50, "given-back"],
    ["gone, after four receives", [gone], 600, 4, "given-back"],
    ["gone, and another one only closed", [gone, closed], 299, 50, "given-back"],
    ["gone, and another one not tried", [gone, untried], 600, 50, "given-back"],
    ["closed, after four receives", [closed], 600, 4, "given-back"],
    ["closed, after five", [closed], 300, 5, "undeliverable"],
  ])(
    "is %s: the event ends as it should",
    async (_case, failures, seconds, receiveCount, ending) => {
      const message = { ...queuedCallback(), receiveCount };
      const now = () => start + seconds * 1000;
      const { lines } = await processed({ deliver: refusedBy(failures), now }, message);
      expect(lines[0]!.fields.ending).toBe(ending);
    },
  );

  test("does not become undeliverable if the record has changed, or cannot be updated", async () => {
    const givingUp = { deliver, now: () => start + 6 * minute };
    const changed = await processed({ ...givingUp, mark: async () => false });
    expect(changed.end).not.toBe("done");
    const mark = () => Promise.reject(new Error("no"));
    const { end, lines } = await processed({ ...givingUp, mark });
    expect(end).not.toBe("done");
    expect(lines.at(-1)).toMatchObject({ metrics: { Failed: 1, GivenBack: 1 } });
  });

  const waiting = {
    ...published,
    pending: ["stock"],
    attention: { kind: "waiting" as const, subscribers: { stock: "AccessDenied" } },
    attentionSince: "2026-11-15T00:00:00.000Z",
  };
  const bothPending = { ...waiting, pending: ["books", "stock"] };
  const bothNoted = {
    ...bothPending,
    attention: { kind: "waiting" as const, subscribers: { stock: "x", books: "y" } },
  };
  const givenUp = {
    ...waiting,
    attention: { ...waiting.attention, kind: "undeliverable" as const },
  };
  const throttled: Failure = { subscriber: "books", errorName: "Throttled", kind: "failed" };
  const isHopeless = (name: string) => name === "stock";

  test.each([
    ["once, however often it refuses", waiting, refusedBy([refused]), []],
    ["not while a redrive tries it again", givenUp, refusedBy([refused]), []],
    ["once, in whatever order the names come", bothNoted, refusedBy([throttled, refused]), []],
    [
      "again where another queue refuses, too",
      bothPending,
      refusedBy([refused, throttled]),
      ["marked ; waiting for stock (AccessDenied) books (Throttled)"],
    ],
    [
      "again where another subscriber gets the event in the same try",
      bothPending,
      deliver,
      ["marked books; waiting for stock (AccessDenied)"],
    ],
  ])("is written down %s", async (_case, record, delivering, marks) => {
    const { end, done } = await processed({ ...recorded(record), deliver: delivering });
    expect(end).not.toBe("done");
    expect(done).toEqual(marks.map((mark) => `${mark} since ${waiting.attentionSince}`));
  });

  test("that waits again after it was undeliverable has its own start time and a short error name", async () => {
    const errorName = "E".repeat(80);
    const delivering = refusedBy([{ subscriber: "books", errorName, kind: "refused" }]);
    const triedWith = (record: PublishedRecord) =>
      processed({ ...recorded(record), deliver: delivering, now: () => start + 1_000 });
    const { done } = await triedWith(givenUp);
    const mark = (kind: string) => `marked ; ${kind} for books (${"E".repeat(64)}) since `;
    expect(done).toEqual([`${mark("undeliverable")}${waiting.attentionSince}`]);
    const now = new Date(start + 1_000).toISOString();
    expect((await triedWith({ ...published, attentionSince: "x" })).done).toEqual([
      `${mark("waiting")}${now}`,
    ]);
  });

  test("gets one try for each event after it has refused for the whole patience", async () => {
    const first = { ...queuedCallback(), receiveCount: 1 };
    const { end, done } = await processed({ deliver, isHopeless }, first);
    expect(end).toBe("done");
    expect(done.join()).toContain("undeliverable for stock");
    const some = await processed({ deliver: refusedBy([refused, throttled]), isHopeless });
    expect(some.end).not.toBe("done");
    const silent: Failure = { subscriber: "stock", errorName: "TimeoutError", kind: "no-response" };
    const timedOut = await processed({ deliver: refusedBy([silent]), isHopeless }, first);
    expect(timedOut.end).not.toBe("done");
  });

  test("for 280 seconds, is silent for 100 and then hangs once, costs another order no event", async () => {
    let now = start;
    const failing = createFailingSubscribers(() => now);
    const stock = { name: "stock", types: ["*"], queueUrl: "stock", ordered: true };
    const triedWith = async (error: Error) => {
      const receivedAt = new Date(now).toISOString();
      const record = { ...published, pending: ["stock"], receivedAt, recordedAt: receivedAt };
      const message = { ...queuedCallback(), receiveCount: 1, sentAtMilliseconds: now };
      const { lines } = await processed(
        {
          ...recorded(record),
          deliver: async (pending) => {
            const delivery = await deliverEvent(pending, [stock], () => Promise.reject(error));
            failing.note(delivery);
            return delivery;
          },
          isHopeless: failing.isHopeless,
          now: () => now,
        },
        message,
      );
      return lines[0]!.fields.ending;
    };
    for (; now < start + 280_000; now += 10_000) await triedWith(sqsError("AccessDenied", 403));
    now += 100_000;
    const timeout = new DOMException("too late", "TimeoutError");
    expect(await triedWith(timeout)).toBe("given-back");
    expect(await triedWith(sqsError("AccessDenied", 403))).toBe("given-back");
  });

  test("whose event everybody has got leaves no attention behind", async () => {
    const found = recorded({ ...waiting, pending: [] });
    const { end, done } = await processed({ ...found, deliver: nothingLeft });
    expect(end).toBe("done");
    expect(done).toEqual(["marked "]);
  });
});

describe("what cannot be understood", () => {
  const unreadable = queuedCallback(orderResult({ status: "paid" }));

  const unknown = queuedText("hello");
  const tooLarge = new PaycastError("item-too-large", "too large");
  const fails = (error: Error) => () => Promise.reject(error);

  test("is recorded, and copied nowhere", async () => {
    const { end, done, lines } = await processed({}, unreadable);
    expect(end).toBe("done");
    expect(done).toEqual(["recorded result-unreadable"]);
    expect(lines[0]).toMatchObject({
      fields: { outcome: "quarantined", orderNo: "ORDER-2026-000042", callbackId: hashOfC1 },
      metrics: { Quarantined: 1 },
    });
  });

  test("stays in the inbox while its record cannot be written", async () => {
    const recordQuarantine = fails(new Error("no"));
    const { end, done } = await processed({ recordQuarantine }, unreadable);
    expect(end).not.toBe("done");
    expect(done).toEqual([]);
  });

  test.each([
    ["is too large for a record", unreadable, "result-unreadable"],
    ["is no message of this version", unknown, "inbox-message-unreadable"],
  ])(
    "and %s goes to the dead letters alone, with the first reason",
    async (_case, message, reason) => {
      const { end, done } = await processed({ recordQuarantine: fails(tooLarge) }, message);
      expect([end, done]).toEqual(["done", [`dead letter ${reason}`]]);
    },
  );

  test("and is not our message is quarantined by the time it was sent", async () => {
    const sendToDeadLetters = fails(new TypeError("no"));
    expect((await processed({ sendToDeadLetters }, unknown)).end).toEqual({});
  });
});

test("a message of a newer version stays in the inbox, however old it is", async () => {
  const text = JSON.stringify({ ...JSON.parse(textOf(queuedCallback())), version: 2 });
  const message = { ...queuedCallback(), body: stamped("g", text) };
  const { end, done, lines } = await processed({ now: () => start + 7 * 60 * minute }, message);
  expect([end, done]).toEqual([{}, []]);
  expect(lines[0]!.fields).toMatchObject({ outcome: "failed", reason: "inbox-message-newer" });
});

describe("a message without the stamp of our functions", () => {
  const never = () => Promise.reject(new Error("must not be called"));
  const nothing = { record: never, deliver: never, mark: never, recordQuarantine: never };

  test.each([
    ["stamp-missing", { ...queuedCallback(), body: textOf(queuedCallback()) }],
    ["stamp-wrong", { ...queuedCallback(), group: "another" }],
  ])("goes to the dead letters and does nothing else: %s", async (reason, message) => {
    const { end, done, lines } = await processed(nothing, message);
    expect([end, done]).toEqual(["done", [`dead letter ${reason}`]]);
    expect(lines[0]!.metrics).toEqual({ StampRefused: 1, WaitingSeconds: 0 });
  });

  test("stays in the inbox while the dead letters do not take it", async () => {
    const down = Object.assign(new Error("down"), { $metadata: {} });
    const sendToDeadLetters = () => Promise.reject(down);
    const message = { ...queuedCallback(), body: "hello" };
    const { end, lines } = await processed({ ...nothing, sendToDeadLetters }, message);
    expect(end).toEqual({});
    expect(lines[0]!.metrics).toMatchObject({ Failed: 1, GivenBack: 1 });
  });

  test("returns to the inbox while the key cannot be read, however long", async () => {
    const versions = () => Promise.reject(new PaycastError("keys-invalid", "too short"));
    const stampKeys = { ...openingDeps.stampKeys, versions };
    const now = () => start + 7 * 24 * 60 * minute;
    const { end, done, lines } = await processed({ ...nothing, stampKeys, now });
    expect([end, done]).toEqual([{}, []]);
    expect(lines[0]!.fields).toMatchObject({ outcome: "failed", reason: "stamp-unchecked" });
  });
});

describe("a message that names a record", () => {
  const body = writeRedrive({ callbackKey: "k", receipt: "first" });
  const redriven = { ...queuedCallback(), body, sentAtMilliseconds: start + 30 * minute };
  const message = textOf(queuedCallback());
  const never = () => Promise.reject(new Error("must not be called"));

  test("processes the record's own message again, and writes no second record", async () => {
    const record = { ...published, message };
    const given: unknown[] = [];
    const revise: ProcessCallback["revise"] = async (...args) => {
      given.push(args);
      return { record, isNew: false };
    };
    const over = { loadRecord: async () => record, record: never, revise };
    const { end, done, lines } = await processed(over, redriven);
    expect([end, done]).toEqual(["done", ["marked books stock"]]);
    expect(given[0]).toMatchObject([
      record,
      { body: message, group: "g" },
      { orderNo: "ORDER-2026-000042" },
    ]);
    expect(lines[0]!.fields).toMatchObject({ outcome: "resumed" });
  });

  test("is tried for a minute after the redrive, however old the record is", async () => {
    const record = { ...published, message };
    const revise = async () => ({ record, isNew: false });
    const at = (now: number) =>
      processed(
        { loadRecord: async () => record, record: never, revise, deliver, now: () => now },
        redriven,
      );
    expect((await at(start + 31 * minute - 1)).end).toEqual({ triedForMilliseconds: minute - 1 });
    expect((await at(start + 31 * minute)).end).toBe("done");
  });

  test("of a finished record publishes nothing, and says whether it brought a fact back", async () => {
    const record = { ...published, message, pending: [] };
    const outcomes = [{}, { isRestored: true as const }].map(async (found) => {
      const revise = async () => ({ record, isNew: false, ...found });
      const over = { loadRecord: async () => record, record: never, revise, deliver: never };
      const { end, lines } = await processed(over, redriven);
      return [end, lines[0]!.fields.outcome, lines[0]!.metrics];
    });
    expect(await Promise.all(outcomes)).toEqual([
      ["done", "duplicate", { Duplicate: 1 }],
      ["done", "restored", { Restored: 1 }],
    ]);
  });

  test("of a message in quarantine is tried like a new receipt", async () => {
    const record = {
      ...published,
      message,
      outcome: "quarantined",
      attention: { kind: "quarantined" },
    } as unknown as CallbackRecord;
    const { end, lines } = await processed({ loadRecord: async () => record }, redriven);
    expect([end, lines[0]!.fields.outcome]).toEqual(["done", "published"]);
  });

  test("that is gone ends with a line", async () => {
    const { end, done, lines } = await processed({ record: never, deliver: never }, redriven);
    expect([end, done, lines.length]).toEqual(["done", [], 1]);
  });
});

test("an error that passes gives the message back, by its own name", async () => {
  const cause = Object.assign(new Error("secret"), { name: "InternalServerError" });
  const error = new PaycastError("aggregate-contended", "secret", { retryable: true, cause });
  const { end, done, lines } = await processed({ record: () => Promise.reject(error) });
  expect(end).not.toBe("done");
  expect(done).toEqual([]);
  expect(lines[0]).toMatchObject({
    fields: { outcome: "failed", errorName: "InternalServerError", orderNo: "ORDER-2026-000042" },
    metrics: { Failed: 1, GivenBack: 1 },
  });
});

/** The flow at several times after the start, in one instance; what each try ends with. */
async function tryAt(
  times: readonly number[],
  over: Partial<ProcessCallback>,
  message = queuedCallback(),
) {
  let now = start;
  const { deps, done, lines } = flow({ ...over, now: () => now });
  const ends: unknown[] = [];
  for (const time of times) {
    now = start + time;
    ends.push(await processCallback(message, deps));
  }
  return { ends, done, lines };
}

describe("an error of our own", () => {
  const hour = 60 * minute;
  const typeError = new TypeError("secret");
  const failing = { record: () => Promise.reject(typeError) };
  const redriven = { ...queuedCallback(), sentAtMilliseconds: start + 9 * hour };

  test("quarantines a message that has failed for six hours, and names only the error", async () => {
    const times = [0, 6 * hour - 1, 6 * hour];
    const { ends, done, lines } = await tryAt(times, failing);
    expect(ends).toEqual([{}, {}, "done"]);
    expect(done).toEqual(["recorded processing-failed"]);
    expect(lines.at(-1)).toMatchObject({
      fields: {
        outcome: "quarantined",
        reason: "processing-failed",
        detail: "Processing fails with TypeError.",
        orderNo: "ORDER-2026-000042",
      },
      metrics: { Quarantined: 1 },
    });
  });

  test.each([
    ["waited behind another one and was not tried itself", queuedCallback()],
    ["is redriven before the fix", redriven],
  ])("holds up its group for ten minutes with an old message that %s", async (_case, message) => {
    const times = [9 * hour, 9 * hour + 10 * minute - 1];
    const { ends, done } = await tryAt(times, failing, message);
    expect([ends, done]).toEqual([[{}, {}], []]);
    const after = await tryAt([...times, 9 * hour + 10 * minute], failing, message);
    expect(after.ends).toEqual([{}, {}, "done"]);
    expect(after.done).toEqual(["recorded processing-failed"]);
  });

  test("sends the message to the dead letters alone if its record fails in the same way", async () => {
    const recordQuarantine = () => Promise.reject(typeError);
    const { ends, done } = await tryAt([0, 6 * hour], { ...failing, recordQuarantine });
    expect(ends).toEqual([{}, "done"]);
    expect(done).toEqual(["dead letter processing-failed"]);
  });
});

test("an error of AWS never quarantines, however long it lasts", async () => {
  const error = Object.assign(new Error("no"), { name: "AccessDenied", $metadata: {} });
  const times = [0, 6, 100].map((hours) => hours * 60 * minute);
  const { ends, done } = await tryAt(times, { record: () => Promise.reject(error) });
  expect(ends).toEqual([{}, {}, {}]);
  expect(done).toEqual([]);
});
