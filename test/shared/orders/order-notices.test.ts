import { describe, expect, test } from "vitest";
import { noticeKeyOf } from "../../../shared/attention/notice.ts";
import { loadOrder, replaceOrder, saveAggregates } from "../../../shared/orders/aggregate-store.ts";
import type { Order } from "../../../shared/orders/order.ts";
import { noticesOfChange } from "../../../shared/orders/order-notices.ts";
import { getItem } from "../../../shared/table/items.ts";
import { memoryDatabase } from "../../builders/memory-table.ts";
import { anOrder, merchantId } from "./facts.ts";

const now = Date.UTC(2026, 10, 15);
const time = "2026-11-15T00:00:00.000Z";
const settings = { recordExpiryDays: 90, now: () => now };
const callbackKey = noticeKeyOf({ kind: "order", merchantId, orderNo: "A" });

const sound = anOrder();
const unresolved = anOrder({ flags: ["late", "unresolved"] });
const unreadable = anOrder({ hasUnreadableAnswer: true });
const refunded = anOrder({ flags: ["mismatch"], isUnpaidDespiteRefund: true });
const both = anOrder({ flags: ["unresolved"], hasUnreadableAnswer: true });

const opened = (kind: string) => ({ kind, attention: { kind, orderNo: "A" }, noticedAt: time });
const closed = (kind: string) => ({ kind, endedAt: time, expiresAt: now / 1000 + 90 * 86_400 });

describe("the notices of a change of an order", () => {
  test.each<[string, Order, Order, object[]]>([
    ["open when it becomes unresolved", sound, unresolved, [opened("unresolved")]],
    ["open with an unreadable answer", sound, unreadable, [opened("unreadable-answer")]],
    ["open one by one", unreadable, both, [opened("unresolved")]],
    ["close when it is resolved", unresolved, sound, [closed("unresolved")]],
    ["close with a readable answer", unreadable, sound, [closed("unreadable-answer")]],
    ["close together", both, sound, [closed("unresolved"), closed("unreadable-answer")]],
    [
      "open and close together",
      unreadable,
      unresolved,
      [opened("unresolved"), closed("unreadable-answer")],
    ],
    ["open for an unpaid order with a refund", sound, refunded, [opened("mismatch")]],
    ["do not open again for it, nor close", refunded, refunded, []],
    ["do not close when its end is recorded", refunded, sound, []],
    ["do not open again while it stays unresolved", both, both, []],
    ["do not exist for other flags", sound, anOrder({ flags: ["late"] }), []],
  ])("%s", (_when, stored, next, expected) => {
    const notices = noticesOfChange(stored, next, settings);
    const ofOrder = { callbackKey, merchantId, orderNo: "A" };
    expect(notices).toMatchObject(expected.map((notice) => ({ ...notice, ...ofOrder })));
  });

  test("are one per order and kind, so that a later one replaces an ended one", () => {
    const notices = noticesOfChange(sound, both, settings);
    expect(notices.map(({ receipt }) => receipt)).toEqual(["unresolved", "unreadable-answer"]);
  });
});

describe("an order that replaces the stored one", () => {
  const tables = { callbacks: "callbacks", orders: "orders" };

  async function storedOrder() {
    const database = memoryDatabase(now);
    await saveAggregates(database, "orders", [sound]);
    const stored = await loadOrder(database, "orders", merchantId, "A");
    const next = { ...stored, flags: ["unresolved"] };
    return {
      stored,
      next,
      replace: () => replaceOrder(database, tables, next, stored, settings),
      save: (order: Order) => saveAggregates(database, "orders", [order]),
      load: () => loadOrder(database, "orders", merchantId, "A"),
      notice: () => getItem(database, "callbacks", { callbackKey, receipt: "unresolved" }),
    };
  }

  test("is written with the notices of the change, and has the next revision", async () => {
    const { next, replace, load, notice } = await storedOrder();
    expect(await replace()).toEqual({ ...next, revision: 2 });
    expect(await load()).toEqual({ ...next, revision: 2 });
    expect(await notice()).toMatchObject(opened("unresolved"));
  });

  test("writes neither itself nor a notice if another writer was first", async () => {
    const { stored, replace, save, load, notice } = await storedOrder();
    await save(stored);
    expect(await replace()).toBeUndefined();
    expect(await load()).toEqual({ ...stored, revision: 2 });
    expect(await notice()).toBeUndefined();
  });
});
