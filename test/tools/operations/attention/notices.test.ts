import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { noticeKinds } from "../../../../shared/attention/attention-kinds.ts";
import { kindWords } from "../../../../shared/attention/kind-words.ts";
import { openNotice } from "../../../../shared/attention/notice.ts";
import type { CheckContext } from "../../../../tools/operations/check/finding.ts";
import { attentionCheck } from "../../../../tools/operations/check/work-checks.ts";
import { until } from "../../../end-to-end/running-stack.ts";
import { putItem } from "../../../integration/aws-stores.ts";
import { useTarget } from "../use-target.ts";
import { callback, operator } from "./put-aside.ts";

const operated = useTarget();
const { paycast, paycastJson } = operated;
const { toInbox } = operator(operated);

const itemsOf = async (orderNo: string) =>
  (await paycastJson("attention", "list", "--order", orderNo)).items;

async function put(item: object): Promise<void> {
  await putItem(operated.clients().dynamodb, operated.target().records.table, item);
}

/** An order that two callbacks pay, each with a transaction of its own. */
async function paidTwice() {
  const orderNo = `TWICE-${randomUUID()}`;
  const [first, second] = [callback({ orderNo }), callback({ orderNo })];
  await toInbox(first);
  await toInbox(second);
  const [item] = await until("the notice", async () => {
    const items = await itemsOf(orderNo);
    return items.length > 0 ? items : undefined;
  });
  return { orderNo, item, transactions: [first, second].map((aside) => `TX-${aside.callbackId}`) };
}

describe("an order that was paid twice", () => {
  test("is a warning of check", async () => {
    await paidTwice();
    const [found, ...others] = await attentionCheck.run(operated.target(), {} as CheckContext);
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      status: "warning",
      message: expect.stringMatching(/^\d+ notices? about unusual payments or orders\.$/),
      action: "See which: npx paycast attention list --kind notice",
    });
  });

  test("is listed with what happened, what to do and how it ends", async () => {
    const { orderNo, item } = await paidTwice();
    expect(item).toMatchObject({ kind: "duplicate-payment", orderNo, merchantId: "shop-1" });
    const { code, out } = await paycast("attention", "list", "--kind", "duplicate-payment");
    const { means, todo, ends } = kindWords["duplicate-payment"];
    expect(code).toBe(0);
    for (const text of [orderNo, item.id, means, `Do: ${todo}`, `Ends: ${ends}`]) {
      expect(out).toContain(text);
    }
    const kinds = await paycastJson("attention", "list", "--kind", "conflict", "--order", orderNo);
    expect(kinds.items).toEqual([]);
    const notices = await paycastJson("attention", "list", "--kind", "notice", "--order", orderNo);
    expect(notices.items).toEqual([item]);
  });

  test("is listed with both transactions and their amounts", async () => {
    const { item, transactions } = await paidTwice();
    for (const transaction of transactions) expect(item.detail).toContain(transaction);
    expect(item.detail).toMatch(/^Paid 129\.95 EUR, transaction TX-.+, and 129\.95 EUR, transact/);
  });

  test("is shown with both transactions and their amounts", async () => {
    const { item, transactions } = await paidTwice();
    const { out } = await paycast("attention", "show", item.id);
    for (const transaction of transactions) expect(out).toContain(`transaction ${transaction}`);
    expect(out).toMatch(/^payment 1 +129.95 EUR, transaction TX-/m);
    expect(out).toMatch(/^payment 2 +129.95 EUR, transaction TX-/m);
    expect(out).not.toContain("payload");
  });

  test("cannot be redriven, by its id or with everything, and the command says why", async () => {
    const { item, orderNo } = await paidTwice();
    const { code, out } = await paycast("attention", "redrive", item.id, "--yes");
    expect(code).toBe(1);
    expect(out).toContain("There is nothing to redrive.");
    expect(out).toContain("A notice holds no message, so it cannot be redriven.");
    const whole = await paycastJson("attention", "redrive", "--order", orderNo);
    expect(whole).toMatchObject({ count: 2, finished: 2 });
  });

  test("is dismissed, stays in the order's timeline, and its record gets its usual expiry", async () => {
    const { item, orderNo } = await paidTwice();
    const open = await paycast("order", orderNo);
    expect(open.out).toMatch(/ {2}notice {4}paid twice \(129.95 EUR, transaction TX-/);
    expect(open.out).toContain("npx paycast attention dismiss --kind notice --order");
    expect((await paycast("attention", "dismiss", item.id, "--yes")).code).toBe(0);
    expect(await itemsOf(orderNo)).toEqual([]);
    const { out } = await paycast("order", orderNo);
    expect(out).toMatch(/ {2}notice {4}paid twice .*, dismissed$/m);
    expect(out).not.toContain("attention dismiss");
  });
});

test.each(noticeKinds)("a notice of the kind %s is listed, shown and dismissed", async (kind) => {
  const orderNo = `${kind}-${randomUUID()}`;
  const subject = { kind: "order" as const, merchantId: "shop-1", orderNo };
  const settings = { recordExpiryDays: 90, now: Date.now };
  await put(openNotice({ subject, kind, paymentId: "P1" }, settings));
  const [item] = await itemsOf(orderNo);
  expect(item).toMatchObject({ kind, orderNo, paymentId: "P1" });
  const { out } = await paycast("attention", "show", item.id);
  expect(out).toContain(kindWords[kind].means);
  const preview = await paycast("attention", "dismiss", item.id);
  expect(preview.out).toMatch(new RegExp(` ${kind}$`, "m"));
  expect(await paycastJson("attention", "dismiss", item.id, "--yes")).toMatchObject({
    dismissed: 1,
  });
  expect(await itemsOf(orderNo)).toEqual([]);
});

test("a foreign item in the index is listed, shown and dismissed, and hides nothing", async () => {
  const { item } = await paidTwice();
  const callbackKey = `FOREIGN-${randomUUID()}`;
  const place = { attentionShard: "notice#3", attentionSince: new Date().toISOString() };
  await put({ callbackKey, receipt: "x", attention: "no map", merchantId: 7, ...place });
  const { items } = await paycastJson("attention", "list", "--limit", "1000");
  expect(items.map(({ id }: { id: string }) => id)).toContain(item.id);
  const foreign = items.find(({ kind }: { kind: string }) => kind === "unknown");
  const { out } = await paycast("attention", "show", foreign.id);
  expect(out).toContain(callbackKey);
  expect(await paycastJson("attention", "dismiss", foreign.id, "--yes")).toMatchObject({
    dismissed: 1,
  });
});
