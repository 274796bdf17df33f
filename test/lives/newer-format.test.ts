import { beforeEach, describe, expect, test } from "vitest";
import type { QueuedMessage } from "../../shared/processing/process-batch.ts";
import { itemFormat } from "../../shared/table/item-format.ts";
import type { LogFields } from "../../shared/telemetry/log-line.ts";
import type { MemoryItems } from "../builders/memory-table.ts";
import { stamped } from "../builders/stamp.ts";
import { orderBody } from "../shared/storefront/order-body.ts";
import { startProduct } from "./product.ts";
import { readLives } from "./read-lives.ts";
import { callbackMessage, createAnswer } from "./said.ts";

/* What each reader does with an item that a newer version wrote in a format that this one would misread. */

const start = Date.UTC(2026, 10, 15);
const hour = 3_600_000;
let now: number;
let items: MemoryItems;
let lines: LogFields[];
let product: ReturnType<typeof startProduct>;

beforeEach(async () => {
  now = start;
  items = new Map();
  lines = [];
  product = startProduct({
    now: () => now,
    items,
    isRefused: () => false,
    queryPayment: () => ({ status: "pending" }),
    toInbox: () => {},
    log: (fields) => void lines.push(fields),
  });
  expect((await post()).statusCode).toBe(201);
  await receive("callback confirming id=C1");
});

const step = (text: string) => readLives(`## A life\n> ${text}\n`).lives[0]!.steps[0]!;
const post = async () =>
  await product.create(orderBody(), async () => createAnswer(step("create P1")));
const receive = async (text: string) => await product.process(queued(text));

function queued(text: string): QueuedMessage {
  const { message, group } = callbackMessage(step(text), [start], now, 1).message;
  const ids = { messageId: "m", receiptHandle: "r", receiveCount: 900 };
  return { ...ids, group, body: stamped(group, message), sentAtMilliseconds: start };
}

/** Every item whose key begins like this is as a newer version would write it. */
function renew(key: string): void {
  for (const [place, item] of items) {
    if (place.startsWith(key))
      items.set(place, { ...item, itemFormat: { N: String(itemFormat + 1) } });
  }
}

const stored = () => structuredClone([...items]);

describe("process-callback returns the message to the inbox and changes nothing, however often and late", () => {
  test.each([
    ["its record", "callbacks,M1#callback", "callback confirming id=C1"],
    ["the order", "orders,M1#order", "callback success id=C2"],
    ["the payment of the order that it ends", "orders,M1#payment", "callback success id=C2"],
    ["the payment of a refund", "orders,M1#payment", "refund refund_success R1 id=C2"],
    ["the order of a refund", "orders,M1#order", "refund refund_success R1 id=C2"],
    ["the order of a callback that cannot be understood", "orders,M1#order", "callback odd id=C2"],
  ])("%s is newer", async (_what, key, text) => {
    renew(key);
    const before = stored();
    now += 12 * hour;
    const message = queued(text);
    for (let tries = 0; tries < 3; tries += 1) {
      now += hour;
      expect(await product.process(message)).not.toBe("done");
    }
    expect(stored()).toEqual(before);
    expect(lines.at(-1)).toMatchObject({ outcome: "failed", reason: "item-newer" });
  });
});

test.each([
  ["order", "orders,M1#order"],
  ["payment", "orders,M1#payment"],
])("GET and POST answer 503 if the %s is newer", async (_what, key) => {
  renew(key);
  const before = stored();
  const answers = [await post(), await product.get({ orderNo: "ORDER-1" })];
  answers.push(await product.get({ paymentId: "P1" }));
  for (const { statusCode, headers } of answers) {
    expect([statusCode, headers["retry-after"]]).toEqual([503, "5"]);
  }
  if (key.includes("order#")) expect(stored()).toEqual(before);
});

test("reconciliation skips a newer order, counts it and goes on", async () => {
  renew("orders,M1#order");
  await product.create(orderBody({}, { orderNo: "ORDER-2" }), async () =>
    createAnswer(step("create P2")),
  );
  now += hour;
  expect(await product.reconcile()).toMatchObject({
    outcome: "reconciled",
    NewerOrder: 1,
    Asked: 1,
  });
});
