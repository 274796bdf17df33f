import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  normalWayMilliseconds,
  undeliveredRecords,
} from "../../../operations/quarantine/undelivered-records.ts";
import { hourBucket, shardOf } from "../../../shared/records/time-bucket.ts";
import { until } from "../../end-to-end/running-stack.ts";
import { putItem, scan } from "../../integration/aws-stores.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { received } from "../replay/recorded-events.ts";
import { callback } from "./put-aside.ts";
import { useQuarantineDesk } from "./quarantine-desk.ts";

const operated = useOperatedStack();
const { paycast, paycastJson } = operated;
const { toInbox, published, stored, letterCount } = useQuarantineDesk(operated);
const subscribers = ["fulfilment", "order-history", "analytics"];
const day = 24 * 60 * 60_000;

type Stored = Awaited<ReturnType<typeof published>>;

/** The record as it is when the dead letter of the event has expired. Nobody has an unread event after that. */
async function leavePending(one: Stored, pending: readonly string[], ageMilliseconds: number) {
  const { clients, tables } = operated.target();
  const recordedAt = new Date(Date.now() - ageMilliseconds).toISOString();
  const timeBucket = hourBucket(recordedAt, shardOf(String(one["group"])));
  const changes = { recordedAt, timeBucket, pending: new Set(pending) };
  await putItem(clients.dynamodb, tables.callbacks, { ...one, ...changes });
  for (const name of subscribers) await received(operated.target(), name);
  return { since: recordedAt, until: recordedAt };
}

async function undelivered(pending: readonly string[], ageMilliseconds = 20 * day) {
  const aside = callback();
  await toInbox(aside);
  const one = await published(aside);
  const range = await leavePending(one, pending, ageMilliseconds);
  return { aside, event: one["event"], place: ["--since", range.since, "--until", range.until] };
}

const list = async (...args: string[]) => (await paycastJson("quarantine", "list", ...args)).items;

test("an event without a dead letter is found by its order, sent to who misses it, and to nobody else", async () => {
  const { aside, event } = await undelivered(["analytics"]);
  expect(await list()).toEqual([]);
  expect(await list("--order", aside.orderNo)).toMatchObject([
    { kind: "undeliverable", where: "record", pending: ["analytics"], gone: [] },
  ]);
  const redrive = ["quarantine", "redrive", "--order", aside.orderNo];
  const preview = await paycast(...redrive);
  expect(preview.out).toContain("1 message would be sent to the inbox again:\n");
  expect(await received(operated.target(), "analytics")).toEqual([]);
  expect(await paycastJson(...redrive, "--yes")).toMatchObject({
    sent: 1,
    items: [{ item: { kind: "undeliverable" }, outcome: { kind: "published" } }],
  });
  const bodies = (await received(operated.target(), "analytics")).map(({ body }) => body);
  expect(bodies).toEqual([event]);
  for (const name of ["fulfilment", "order-history"]) {
    expect(await received(operated.target(), name)).toEqual([]);
  }
  expect((await stored(aside))[0]).not.toHaveProperty("pending");
  expect(await letterCount()).toEqual({ visible: 0, held: 0 });
  expect(await list("--order", aside.orderNo)).toEqual([]);
  const lines = readFileSync(join(operated.directory, "audit.log"), "utf8").trim().split("\n");
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({
    selection: "orderNo",
    orderNo: aside.orderNo,
    count: 1,
  });
});

test("it is found by its time, by an id there, and what is in another time is left alone", async () => {
  const [one, other] = [
    await undelivered(["analytics"]),
    await undelivered(["analytics"], 3 * day),
  ];
  const [item, ...more] = await list(...one.place);
  expect(more).toEqual([]);
  expect((await paycast("quarantine", "redrive", item.id, "--yes")).code).toBe(2);
  expect((await paycast("quarantine", "show", item.id, ...one.place)).out).toContain("analytics");
  const answer = await paycastJson("quarantine", "redrive", item.id, ...one.place, "--yes");
  expect(answer).toMatchObject({ sent: 1, items: [{ outcome: { kind: "published" } }] });
  expect((await stored(other.aside))[0]).toHaveProperty("pending");
  const rest = await paycastJson("quarantine", "redrive", ...other.place, "--yes");
  expect(rest).toMatchObject({ sent: 1, items: [{ outcome: { kind: "published" } }] });
});

test("an order's place has the refunds of its payments, and no other order", async () => {
  const paymentId = await operated.paidOrder("UNDELIVERED-1");
  await operated.shop().act(paymentId, "refund", { amount: "4.10" });
  const { clients, tables } = operated.target();
  const refund = await until("the refund to be delivered", async () => {
    const records = await scan(clients.dynamodb, tables.callbacks);
    return records.find(
      ({ type, pending }) => type === "payment.refund.success" && pending === undefined,
    );
  });
  await leavePending(refund, ["order-history"], day);
  await undelivered(["order-history"]);
  expect(await list("--order", "UNDELIVERED-1")).toMatchObject([
    { kind: "undeliverable", paymentId, pending: ["order-history"] },
  ]);
});

test("an event that is on its normal way is not listed", async () => {
  const { aside, place } = await undelivered(["analytics"], normalWayMilliseconds - 60_000);
  expect(await list("--order", aside.orderNo)).toEqual([]);
  expect(await list(...place)).toEqual([]);
  expect(normalWayMilliseconds).toBeGreaterThan(5 * 60_000);
});

test("a subscriber that is no longer configured is told as such, and nothing is sent for it", async () => {
  const { aside } = await undelivered(["long-gone"]);
  const shown = await paycast("quarantine", "list", "--order", aside.orderNo);
  expect(shown.out).toContain("No longer configured: long-gone; nothing can be sent to it.");
  const { code, out } = await paycast(
    ...["quarantine", "redrive", "--order", aside.orderNo, "--yes"],
  );
  expect({ code, out }).toEqual({
    code: 1,
    out: "There is nothing to redrive.\nLeft out: 1 event for subscribers that are no longer configured.\n",
  });
});

test("too many recorded events are refused, and progress is told", async () => {
  const { place } = await undelivered(["analytics"], 40 * day);
  const [, since = "", , end = ""] = place;
  const scope = { since, until: end };
  const tooMany = undeliveredRecords(operated.target(), scope, { most: 0 });
  await expect(tooMany).rejects.toMatchObject({ code: "wrong-usage" });
  const told: number[] = [];
  const onRecords = (looked: number) => void told.push(looked);
  expect(await undeliveredRecords(operated.target(), scope, { onRecords })).toHaveLength(1);
  expect([told[0], told.at(-1)]).toEqual([0, 1]);
});
