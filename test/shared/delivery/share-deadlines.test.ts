import { expect, test } from "vitest";
import { UntriedSend } from "../../../shared/delivery/failure.ts";
import { shareDeadlines } from "../../../shared/delivery/share-deadlines.ts";
import { sqsError } from "../../builders/sqs-error.ts";

const outgoing = { event: "{}", eventId: "fact", type: "payment.order.success", group: "group" };
const to = (name: string) => ({ name, types: ["*"], queueUrl: name, ordered: true });

/** One batch. Each send takes `takes` milliseconds, or its limit if that is shorter. */
function startBatch({ isHanging = false } = {}) {
  let now = 0;
  let takes = 20;
  const limits: number[] = [];
  const share = shareDeadlines({ isHanging: () => isHanging }, () => now);
  const send = share(async (_subscriber, _outgoing, limitMilliseconds) => {
    limits.push(limitMilliseconds);
    const endsAt = now + Math.min(takes, limitMilliseconds);
    // Others are started before this one ends.
    await Promise.resolve();
    now = Math.max(now, endsAt);
    if (takes > limitMilliseconds) throw new DOMException("too late", "TimeoutError");
    if (takes < 0) throw sqsError("AccessDenied", 403);
  });
  return {
    limits,
    now: () => now,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    hang: () => {
      takes = Number.POSITIVE_INFINITY;
    },
    refuse: () => {
      takes = -1;
    },
    send: async (name = "stock") => {
      try {
        await send(to(name), outgoing);
        return "sent";
      } catch (error) {
        return error instanceof UntriedSend ? "untried" : (error as Error).name;
      }
    },
  };
}

test("a queue that hangs costs a batch one time limit, however many events it has", async () => {
  const batch = startBatch();
  batch.hang();
  const ends: string[] = [];
  for (let event = 0; event < 10; event += 1) ends.push(await batch.send());
  expect(ends).toEqual(["TimeoutError", ...Array(9).fill("untried")]);
  expect(batch.limits).toEqual([3_300]);
  expect(batch.now()).toBe(3_300);
});

test("sends that begin while one hangs share its deadline", async () => {
  const batch = startBatch();
  batch.hang();
  const first = batch.send();
  batch.pass(1_000);
  const second = batch.send();
  expect(await Promise.all([first, second])).toEqual(["TimeoutError", "TimeoutError"]);
  expect(batch.limits).toEqual([3_300, 2_300]);
  expect(batch.now()).toBe(3_300);
});

test.each([
  ["accepts", () => {}, "sent"],
  ["refuses", (batch: ReturnType<typeof startBatch>) => batch.refuse(), "AccessDenied"],
])("a queue that %s gives each send its whole time", async (_case, prepare, end) => {
  const batch = startBatch();
  prepare(batch);
  for (let event = 0; event < 3; event += 1) {
    expect(await batch.send()).toBe(end);
    batch.pass(5_000);
  }
  expect(batch.limits).toEqual([3_300, 3_300, 3_300]);
});

test("the deadline is one queue's own", async () => {
  const batch = startBatch();
  batch.hang();
  await batch.send("stock");
  expect(await batch.send("books")).toBe("TimeoutError");
  expect(batch.limits).toEqual([3_300, 3_300]);
});

test("a queue that hung in an earlier batch gets half a second", async () => {
  const batch = startBatch({ isHanging: true });
  batch.hang();
  expect([await batch.send(), await batch.send()]).toEqual(["TimeoutError", "untried"]);
  expect(batch.now()).toBe(500);
});
