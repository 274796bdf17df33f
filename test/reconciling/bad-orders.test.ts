import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import { describe, expect, test } from "vitest";
import { toAttributes } from "../../shared/table/attributes.ts";
import { getItem, putItem } from "../integration/aws-stores.ts";
import { queuedPayment } from "../integration/callbacks.ts";
import { to, writes } from "../integration/fault-proxy.ts";
import { notices, openNotices, process } from "../integration/flow.ts";
import { dynamodbError } from "../storefront/dynamodb-faults.ts";
import type { SeenRequest } from "../storefront/openssl-service.ts";
import { makeOpensslShop, success } from "../storefront/openssl-shop.ts";
import { type Shop, useShops } from "../storefront/shop.ts";
import { dueOrder, store, storeDue } from "./due-orders.ts";
import { day, dueOf, hour, minute, timeOf } from "./overdue.ts";

const makeShop = useShops();
const paid = { status: "success", payAmount: 25, currency: "EUR", transactionId: "T1" };

/** A service that answers each payment as arranged, and all others as paid. */
async function shopWith(answers: Record<string, unknown>, options = {}) {
  return await makeOpensslShop(makeShop, options, ({ body }: SeenRequest) => {
    return answers[String(body["paymentId"])] ?? success(paid);
  });
}

const storeOne = async (shop: Shop, orderNo: string, lateMilliseconds: number) =>
  await store(shop, [dueOrder(shop, { orderNo, lateMilliseconds })]);

const badAnswers = {
  "P-NO-AMOUNT": success({ status: "success" }),
  "P-UNKNOWN-STATUS": success({ status: "unheard-of" }),
  "P-OTHER-MERCHANT": success({ ...paid, merchantId: "M9" }),
  "P-NOT-FOUND": { code: 40400, msg: "not found" },
  "P-REFUND": success({ status: "refund_success" }),
  "P-NO-ANSWER": "{}",
};

describe("one bad order", () => {
  test("with any bad answer does not stop the rest, keeps its status and is checked again", async () => {
    const { shop } = await shopWith(badAnswers);
    const bad = Object.keys(badAnswers).map((paymentId) => paymentId.slice("P-".length));
    for (const orderNo of bad) await storeOne(shop, orderNo, 10 * minute);
    const orderNos = await storeDue(shop, 2);
    const time = timeOf(shop);
    expect(await time.run()).toMatchObject({
      outcome: "reconciled",
      News: 2,
      UnreadableAnswer: 3,
      ServiceRefused: 1,
      RefundStatusAnswered: 1,
      QueryFailed: 1,
    });
    await shop.pump();
    for (const orderNo of orderNos) {
      expect(await shop.order(orderNo)).toMatchObject({ status: "success" });
    }
    for (const orderNo of bad) {
      expect(await shop.order(orderNo)).toMatchObject({ status: "pending", flags: [] });
      // A refund shows that the order was paid, so the next run queries it again.
      const next = orderNo === "REFUND" ? 0 : 7 * minute;
      expect(Math.sign((await dueOf(shop, orderNo))! - time.now() - next)).toBe(
        next === 0 ? -1 : 1,
      );
    }
    const noticed = await openNotices(shop.world);
    expect(noticed.map(({ attention }) => attention)).toHaveLength(3);
    const unreadable = ["NO-AMOUNT", "OTHER-MERCHANT", "UNKNOWN-STATUS"].map((orderNo) => ({
      kind: "unreadable-answer",
      orderNo,
      claims: { status: "pending", amount: "25.00", currency: "EUR" },
    }));
    expect(noticed.map(({ attention }) => attention)).toEqual(expect.arrayContaining(unreadable));
  });

  test("with an unreadable answer is noticed once, and its end ends the notice", async () => {
    const { shop } = await shopWith(badAnswers);
    await storeOne(shop, "NO-AMOUNT", 10 * minute);
    const time = timeOf(shop);
    expect(await time.run()).toMatchObject({ UnreadableAnswer: 1 });
    const [first, ...others] = await notices(shop.world);
    expect(others).toEqual([]);
    const again = await time.runAt((await dueOf(shop, "NO-AMOUNT"))!);
    expect(again).toMatchObject({ UnreadableAnswer: 1 });
    expect(await notices(shop.world)).toEqual([first]);
    const processor = await shop.world.start("process-callback");
    await process(
      processor,
      queuedPayment(shop.world, { referOrderNo: "NO-AMOUNT", paymentAmount: 25 }),
    );
    expect(await shop.order("NO-AMOUNT")).toMatchObject({ status: "success" });
    expect(await openNotices(shop.world)).toEqual([]);
    expect(await shop.order("NO-AMOUNT")).not.toHaveProperty("hasUnreadableAnswer");
  });

  test("whose notice cannot be written stays due, and has it at a later check", async () => {
    const { shop } = await shopWith(badAnswers);
    await storeOne(shop, "NO-AMOUNT", 10 * minute);
    const time = timeOf(shop);
    const { faults } = await shop.reconciler();
    const error = dynamodbError("AccessDeniedException");
    faults.fail(to("dynamodb", "TransactWriteItems"), { kind: "refuse", error }, { times: 1 });
    expect(await time.run()).toMatchObject({ UnreadableAnswer: 1, CheckFailed: 1 });
    expect(await notices(shop.world)).toEqual([]);
    await time.runAt((await dueOf(shop, "NO-AMOUNT"))!);
    expect(await openNotices(shop.world)).toHaveLength(1);
  });

  test("or many, whose items are too large to be written, do not end the run", async () => {
    const { shop } = await shopWith({});
    for (let index = 0; index < 6; index += 1) await storeOne(shop, `LARGE-${index}`, hour);
    const orderNos = await storeDue(shop, 2);
    const time = timeOf(shop);
    const message = "Item size has exceeded the maximum allowed size";
    (await shop.reconciler()).faults.fail(
      (call) => writes(call) && JSON.stringify(call.input).includes("LARGE-"),
      { kind: "refuse", error: dynamodbError("ValidationException", { message }) },
    );
    const line = await time.run();
    expect(line).toMatchObject({ outcome: "reconciled", reason: "item-too-large", News: 2 });
    expect(line["aggregateKeys"]).toHaveLength(5);
    await shop.pump();
    for (const orderNo of orderNos) {
      expect(await shop.order(orderNo)).toMatchObject({ status: "success" });
    }
  });

  test("whose item cannot be read is named, and stays due until a person has fixed it", async () => {
    const { shop } = await shopWith({});
    const [orderNo = ""] = await storeDue(shop, 1);
    const { merchant, tables, dynamodb } = shop.world;
    const broken = {
      ...dueOrder(shop, { orderNo: "BROKEN", lateMilliseconds: 2 * day }),
      status: "nonsense",
    };
    await putItem(dynamodb, tables.orders, broken);
    const time = timeOf(shop);
    const line = await time.run();
    expect(line).toMatchObject({
      UnreadableOrder: 1,
      News: 1,
      aggregateKeys: [`${merchant.merchantId}#order#BROKEN`],
    });
    expect(line["OldestDueSeconds"]).toBeGreaterThanOrEqual((2 * day) / 1000);
    await shop.pump();
    expect(await shop.order(orderNo)).toMatchObject({ status: "success" });
    const { aggregateKey } = broken;
    const stored = await getItem(dynamodb, tables.orders, { aggregateKey });
    expect(stored).toEqual(JSON.parse(JSON.stringify(broken)));
  });

  test("whose time in the index makes no sense is named, and the others are checked", async () => {
    const { shop } = await shopWith({});
    const { merchant, tables, dynamodb } = shop.world;
    const order = dueOrder(shop, { orderNo: "BROKEN", lateMilliseconds: hour });
    const Item = { ...toAttributes(order), dueAtMilliseconds: { N: "1.5" } };
    await dynamodb.send(new PutItemCommand({ TableName: tables.orders, Item }));
    await storeDue(shop, 1);
    const time = timeOf(shop);
    expect(await time.run()).toMatchObject({
      outcome: "reconciled",
      UnreadableOrder: 1,
      News: 1,
      aggregateKeys: [`${merchant.merchantId}#order#BROKEN`],
    });
  });

  test("that timed out keeps its last check if the service refuses to answer about it", async () => {
    const { shop } = await shopWith({ "P-OVER": { code: 50001, msg: "system busy" } });
    const learnedAt = new Date(Date.now() - day).toISOString();
    const order = dueOrder(shop, { orderNo: "OVER", lateMilliseconds: 2 * day });
    const state = {
      kind: "ended",
      waitingSinceMilliseconds: Date.parse(learnedAt),
      confirmAtMilliseconds: Date.now(),
    } as const;
    await store(shop, [{ ...order, status: "timeout", payment: { learnedAt }, state }]);
    const time = timeOf(shop);
    expect(await time.run()).toMatchObject({ outcome: "reconciled", ServiceRefused: 1 });
    expect(await dueOf(shop, "OVER")).toBeGreaterThan(time.now() + 7 * minute);
    expect(await dueOf(shop, "OVER")).toBeLessThan(time.now() + 13 * minute);
    expect(await shop.order("OVER")).toMatchObject({ failedChecks: 1 });
  });

  test("of a merchant that is not configured costs no question, and is unresolved in the end", async () => {
    const { shop, service } = await shopWith({});
    const merchantId = "GONE";
    const young = dueOrder(shop, { orderNo: "YOUNG", lateMilliseconds: minute, merchantId });
    const old = dueOrder(shop, { orderNo: "OLD", lateMilliseconds: 9 * day, merchantId });
    await store(shop, [young, old]);
    await storeDue(shop, 1);
    const time = timeOf(shop);
    expect(await time.run()).toMatchObject({ MerchantNotConfigured: 2, Unresolved: 1, News: 1 });
    expect(service.requests).toHaveLength(1);
    expect(await time.runAt(time.now() + minute)).toMatchObject({ OldestDueSeconds: 0 });
  });
});

describe("a merchant whose keys cannot be fetched", () => {
  test("is asked about once, its other orders are set aside, and the others are checked", async () => {
    const { shop, service } = await shopWith({}, { otherMerchants: ["M2"] });
    const ofOther = Array.from({ length: 8 }, (_item, index) =>
      dueOrder(shop, { orderNo: `M2-${index}`, lateMilliseconds: 10 * minute, merchantId: "M2" }),
    );
    await store(shop, ofOther);
    await storeDue(shop, 2);
    const { faults } = await shop.reconciler();
    let broken: unknown;
    faults.fail(
      ({ service: called, input }) => {
        if (called === "secretsmanager") broken ??= input["SecretId"];
        return called === "secretsmanager" && input["SecretId"] === broken;
      },
      { kind: "refuse", error: dynamodbError("AccessDeniedException") },
    );
    const reconciler = await shop.reconciler();
    await reconciler.invoke({}, 50_000);
    const line = JSON.parse(reconciler.lines.at(-1)!);
    expect(line).toMatchObject({ outcome: "reconciled", QueryFailed: 1, News: 2, SetAside: 7 });
    for (const { aggregateKey } of ofOther) {
      const item = await getItem(shop.world.dynamodb, shop.world.tables.orders, { aggregateKey });
      expect(item!["dueAtMilliseconds"]).toBeGreaterThan(Date.now());
    }
    expect(service.requests.map(({ merchantId }) => merchantId)).not.toContain("M2");
  });
});
