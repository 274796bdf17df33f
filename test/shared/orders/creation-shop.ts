import { expect } from "vitest";
import { noticeKeyOf } from "../../../shared/attention/notice.ts";
import {
  type Aggregate,
  loadOrder,
  loadPayment,
  saveAggregates,
} from "../../../shared/orders/aggregate-store.ts";
import type { AttemptEnd } from "../../../shared/orders/creation.ts";
import { storeBeginning, storePayment } from "../../../shared/orders/creation-store.ts";
import type { Database } from "../../../shared/table/database.ts";
import { getItem } from "../../../shared/table/items.ts";
import { type Input, memoryDatabase } from "../../builders/memory-table.ts";
import { aCreation, aPayment, expected, merchantId } from "./facts.ts";

export const now = Date.UTC(2026, 10, 15);
const name = { merchantId, orderNo: "A" };
const request = {
  ...aCreation(now),
  content: {},
  amount: expected,
  paymentTimeMilliseconds: now,
};
const created = { state: "created", paymentId: "P1", checkoutUrl: "https://pay.test/" } as const;
const settings = {
  tables: { callbacks: "callbacks", orders: "orders" },
  notices: { recordExpiryDays: 90, now: () => now },
};

/** The service returned the payment with the short form of the order's number. */
export const shortened = { ...created, isNumberShortened: true };
/** The payment that the service returned, if it was linked to another order before. */
export const paymentOfAnother = aPayment({ order: { orderNo: "B", expected } });

/** The names of items in `writes`. Notices have the names that they have in the partition of their order. */
export const orderKey = `${merchantId}#order#A`;
export const paymentKey = `${merchantId}#payment#P1`;

/** Happens before each write: `attempt` counts the writes from 1. */
type BeforeWrite = (attempt: number, names: readonly string[]) => Promise<void> | void;

/** An order that was sent to the service, which then returns the payment P1. */
export async function creationShop(clock: Partial<Database> = {}) {
  const database = { ...memoryDatabase(now), ...clock };
  const load = async () => ({
    order: await loadOrder(database, "orders", merchantId, "A"),
    payment: await loadPayment(database, "orders", merchantId, "P1"),
  });
  const save = async (...aggregates: readonly Aggregate[]) => {
    expect(await saveAggregates(database, "orders", aggregates)).toBe(true);
  };
  const callbackKey = noticeKeyOf({ kind: "order", ...name });
  const notice = (receipt: string) => getItem(database, "callbacks", { callbackKey, receipt });

  const pay = async (
    before: BeforeWrite = () => {},
    end: Extract<AttemptEnd, { state: "created" }> = created,
  ) => {
    let reads = 0;
    const writes: string[][] = [];
    const send = async (command: { input: Input }) => {
      const names = namesIn(command.input);
      if (names.length > 0) await before(writes.push(names), names);
      else reads += 1;
      return await database.client.send(command as never);
    };
    const client = { send } as unknown as Database["client"];
    const storing = storePayment({ ...database, client }, settings, begun, "one", end);
    const stored = await storing.catch((error: unknown) => ({ kind: "thrown", error }));
    return { reads, writes, stored };
  };

  const { order: begun } = await storeBeginning(database, "orders", name, request, "one");
  return { load, save, notice, pay };
}

function namesIn(input: Input): string[] {
  const puts = input.TransactItems?.map(({ Put }) => Put) ?? [input];
  return puts.flatMap(({ Item }) =>
    Item === undefined ? [] : [(Item["receipt"] ?? Item["aggregateKey"])?.S ?? "unnamed"],
  );
}
