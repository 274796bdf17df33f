import { expect } from "vitest";
import { logOf } from "../integration/flow.ts";
import type { Shop } from "../storefront/shop.ts";

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/** The functions' clock moves by days, the simulator's wall clock does not. */
export const daysLater = { simulator: { requestWindowSeconds: 30 * 24 * 3600 } };

export type Line = Record<string, unknown>;

/** Enough for a whole run, as in AWS. */
const runMilliseconds = 50_000;

/** The time in which the functions of a shop live. */
export function timeOf(shop: Shop) {
  let offset = 0;
  const moveTo = (time: number) => {
    const by = time - (Date.now() + offset);
    shop.advance(by);
    offset += by;
  };
  /** One run of reconcile-orders, now; returns its line. */
  const run = async (milliseconds = runMilliseconds): Promise<Line> => {
    const reconciler = await shop.reconciler();
    const before = logOf(reconciler).length;
    const outcome = await reconciler.invoke({}, milliseconds);
    expect(outcome).toMatchObject({ kind: "returned" });
    const lines = logOf(reconciler).slice(before);
    expect(lines).toHaveLength(1);
    return lines[0]!;
  };
  return {
    moveTo,
    now: () => Date.now() + offset,
    run,
    runAt: async (time: number): Promise<Line> => {
      moveTo(time);
      return await run();
    },
  };
}

/** When the order is checked next. Both attributes of the index are there, or none. */
export async function dueOf(shop: Shop, orderNo: string): Promise<number | undefined> {
  const order = await shop.order(orderNo);
  expect(order?.["dueShard"] === undefined).toBe(order?.["dueAtMilliseconds"] === undefined);
  return order?.["dueAtMilliseconds"] as number | undefined;
}

/** How late the latest order of a list is due. */
export async function lastDueOf(shop: Shop, orderNos: readonly string[]): Promise<number> {
  const dues = await Promise.all(orderNos.map((orderNo) => dueOf(shop, orderNo)));
  return Math.max(...dues.map((due) => due ?? 0));
}
