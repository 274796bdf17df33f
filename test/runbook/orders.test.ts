import { randomUUID } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { newPayment } from "../../shared/orders/payment.ts";
import { orderResult } from "../builders/callback.ts";
import { makeMerchant } from "../builders/merchant.ts";
import { until } from "../end-to-end/running-stack.ts";
import { getItem, putItem } from "../integration/aws-stores.ts";
import { eventFrom } from "../integration/capturing.ts";
import { answerTo, logOf } from "../integration/flow.ts";
import type { Instance } from "../integration/instance.ts";
import { paymentData, success } from "../storefront/openssl-shop.ts";
import { orderBody } from "../storefront/order.ts";
import { keySetup } from "../tools/operations/keys/key-setup.ts";
import { useOperatedStack } from "../tools/operations/operated-stack.ts";
import {
  createCallbackSender,
  deployFunction,
  keepRunsAway,
  serviceCallback,
  whileReportedOnly,
} from "./causes.ts";
import { commandsOf, partOf, shellBlocks } from "./runbook.ts";
import { useOperator } from "./walk.ts";

const merchantId = "shop-1";
const minute = 60_000;
// The service's clock is slow: an order must not expire there before it is looked at here.
const operated = useOperatedStack({}, 5);
const { type, paste } = useOperator(operated);
const shop = () => operated.shop();
const faultForAll = (fields: object) => shop().control("POST", "/faults", fields);
const noFaults = () => shop().control("DELETE", "/faults");
afterEach(noFaults);

/** Types the command until it prints what is expected. */
async function untilShown(command: string | undefined, ORDER_NO: string, expected: RegExp) {
  await until(`${ORDER_NO} to show ${expected}`, async () =>
    expected.test((await type(command, { ORDER_NO })).out) ? true : undefined,
  );
}

test("attention-needed: the order of a conflict shows both contents", async () => {
  const [, order] = commandsOf("attention-needed", "look");
  const send = createCallbackSender(operated, merchantId);
  const [id, ORDER_NO] = [randomUUID(), "CONFLICT"];
  const result = { merchantId, referOrderNo: ORDER_NO };
  expect(await send(orderResult({ ...result, transactionId: "T1" }), { id })).toBe(200);
  await untilShown(order, ORDER_NO, /^status +success/m);
  expect(await send(orderResult({ ...result, transactionId: "T2" }), { id })).toBe(200);
  await untilShown(order, ORDER_NO, /published +.*conflict/);

  const { out } = await type(order, { ORDER_NO });
  expect(out).toContain('"transactionId": "T1"');
  expect(out).toContain('"transactionId": "T2"');
});

/** receive-callback of this stack, as a deployment with other addresses would make it. */
async function receiverFor(addresses: readonly string[]): Promise<Instance> {
  return await deployFunction(operated, "receive-callback", {
    ALLOWED_SOURCES: JSON.stringify(addresses),
  });
}

test("callbacks-refused: the keys are not used until a deployment lists the service's new address", async () => {
  const [, , check] = commandsOf("callbacks-missing", "look");
  const [over] = commandsOf("callbacks-missing", "over");
  const lastUsed = async (command: string | undefined) =>
    /(?<=last used +)\S+/.exec((await type(command)).out)?.[0];
  const before = await lastUsed(check);
  // The command shows whole seconds, so what comes now must be in a later one.
  const startedAt = await until("the next second", () => {
    const second = Math.floor(Date.now() / 1000) * 1000;
    return second <= Date.parse(before ?? "") ? undefined : second;
  });
  const result = orderResult({ merchantId, referOrderNo: "ADDRESS" });
  const event = eventFrom("198.51.100.7", serviceCallback(operated, merchantId, result));
  const old = await receiverFor(["203.0.113.0/24"]);
  expect(await answerTo(old, event)).toMatchObject({ statusCode: 403 });
  const [line] = logOf(old);
  expect(partOf("callbacks-refused", "look")).toContain(`"${line?.["outcome"]}"]`);
  expect(await lastUsed(check)).toBe(before);

  const deployed = await receiverFor(["203.0.113.0/24", "198.51.100.0/24"]);
  expect(await answerTo(deployed, event)).toMatchObject({ statusCode: 200 });
  await until("the keys to be used again", async () =>
    Date.parse((await lastUsed(over)) ?? "") >= startedAt ? true : undefined,
  );
  await Promise.all([old.stop(), deployed.stop()]);
});

test("callbacks-missing: check finds the address in order, and the order was reported by a query", async () => {
  const [check, order] = commandsOf("callbacks-missing", "look");
  const ORDER_NO = "NO-CALLBACK";
  const { body } = await shop().create(ORDER_NO);
  await shop().fault("lose", ORDER_NO);
  await shop().act(body.paymentId, "pay");
  await until("the answer of the service", async () => {
    await shop().get(ORDER_NO);
    const { out } = await type(order, { ORDER_NO });
    return /^status +success +by query/m.test(out) ? true : undefined;
  });
  expect((await type(check)).out).toMatch(/^ok +API /m);
});

test("requests-throttled: the lists show what API Gateway lets through, and not what it rejects", async () => {
  const [callbacks, orders] = commandsOf("requests-throttled", "look");
  const ORDER_NO = "LET-THROUGH";
  await operated.paidOrder(ORDER_NO);
  operated.stack().throttle(true);
  expect(await shop().create("REJECTED")).toMatchObject({ status: 429 });
  operated.stack().throttle(false);
  expect((await type(callbacks)).out).toMatch(/POST \/callbacks +200 .*LET-THROUGH/);
  const { out } = await type(orders);
  expect(out).toMatch(/POST \/orders +201 .*LET-THROUGH/);
  expect(out).not.toContain("REJECTED");
});

test("attention-needed: what was expected stands beside what was paid", async () => {
  const [, order] = commandsOf("attention-needed", "look");
  const ORDER_NO = "MISMATCH";
  const { body } = await shop().create(ORDER_NO);
  await shop().fault("wrong-amount", ORDER_NO);
  await shop().act(body.paymentId, "pay");
  await operated.untilStored(ORDER_NO, "success");
  const { out } = await type(order, { ORDER_NO });
  expect(out).toMatch(/^amount +12\.30 USD\npaid +12\.31 USD$/m);
  expect(out).toMatch(/^flags +mismatch$/m);
  expect(out).toMatch(/"paymentAmount": 12\.31,\n.*\n.*\n.*\n +"status": "success"/);
});

test("attention-needed: the timeline has both transactions, and in the end the refund", async () => {
  const [, order] = commandsOf("attention-needed", "look");
  const ORDER_NO = "TWICE";
  const paymentId = await operated.paidOrder(ORDER_NO);
  await shop().act(paymentId, "pay", { force: true });
  await untilShown(order, ORDER_NO, /published +.*duplicatePayment/);
  const { out } = await type(order, { ORDER_NO });
  const transactions = out.match(/(?<="transactionId": ")T[0-9A-F]+/g) ?? [];
  expect(new Set(transactions).size).toBe(2);

  await shop().act(paymentId, "refund");
  await untilShown(order, ORDER_NO, /payment\.refund\.success +published/);
});

/** Creates an order for which the service returns this payment. Gives the status of the answer. */
async function createWith(paymentId: string, orderNo: string): Promise<number> {
  const body = JSON.stringify(orderBody({}, { orderNo }));
  return await whileReportedOnly(success({ ...paymentData, paymentId }), async (environment) => {
    const creator = await deployFunction(operated, "create-order", environment);
    const { statusCode } = await answerTo(creator, { body, isBase64Encoded: false });
    await creator.stop();
    return statusCode;
  });
}

test("attention-needed: an order whose payment was claimed twice has an unknown outcome, until the service tells its status", async () => {
  const [, order] = commandsOf("attention-needed", "look");
  const ORDER_NO = "SECOND";
  const clients = operated.clients();
  const { tables } = operated.stack().description;
  const { callbackUrl } = operated.target().stack;
  const wanted = { merchantId, orderNo: ORDER_NO, amount: "25.00", callbackUrl };
  const { paymentId } = await shop().control("POST", "/orders", wanted);
  const expected = { value: "1.00", minor: "100", currency: "USD" };
  const link = { revision: 1, order: { orderNo: "FIRST", expected } };
  const payment = { ...newPayment(merchantId, paymentId), ...link };
  await putItem(clients.dynamodb, tables.orders, payment);
  expect(await createWith(paymentId, ORDER_NO)).toBe(504);

  const { out } = await type(order, { ORDER_NO });
  expect(out).toContain("the outcome of its creation is unknown");
  await shop().act(paymentId, "pay");
  await untilShown(order, ORDER_NO, /^status +success +by callback/m);
});

test("attention-new: the order with a shortened number shows the flag, and is settled by its payment id", async () => {
  const [, order] = commandsOf("attention-new", "over");
  const ORDER_NO = "0e4cb2a6-d94b-4f9c-8e5a-7d1b2c3d4e0f";
  await shop().fault("short-numbers", ORDER_NO);
  const { body } = await shop().create(ORDER_NO);
  expect((await type(order, { ORDER_NO })).out).toMatch(/^flags +shortenedNumber$/m);

  await shop().act(body.paymentId, "pay");
  await untilShown(order, ORDER_NO.slice(0, 32), /payment\.order\.success .*unknownOrder/);
  await until("the question to be answered", async () => {
    const { order: asked } = await shop().get(ORDER_NO);
    return asked.status === "success" ? true : undefined;
  });
  await untilShown(order, ORDER_NO, /^status +success +by query/m);
});

test("cannot-sell: a service that is down is seen by a question, and so is its return", async () => {
  const [, question] = shellBlocks(partOf("cannot-sell", "look"));
  const { body } = await shop().create("BEFORE");
  const words = { PAYMENT_ID: body.paymentId };
  await faultForAll({ kind: "reset-connections" });
  expect((await shop().create("DURING")).status).toBeGreaterThanOrEqual(503);
  const down = await paste(question, words);
  expect(down.out).toMatch(/^outcome +(not-sent|unknown)$/m);
  expect(down.code).toBe(4);

  await noFaults();
  const up = await paste(question, words);
  expect(up.out).toMatch(/^outcome +done$/m);
  expect(up.out).toContain('"status": "pending"');
  expect((await shop().create("AFTER")).status).toBe(201);
  expect((await shop().create("DURING")).status).toBeLessThan(300);
});

test("cannot-sell: the order shows the service's words, and its number is free", async () => {
  const [requests, keys, order] = commandsOf("cannot-sell", "look");
  const ORDER_NO = "REFUSED";
  await faultForAll({ kind: "refuse-creates", code: 50007, msg: "limit reached" });
  expect((await shop().create(ORDER_NO)).status).toBe(502);
  expect((await type(requests)).out).toContain(ORDER_NO);
  expect((await type(keys)).out).toContain("The keys are good.");
  expect((await type(order, { ORDER_NO })).out).toContain("rejected with 50007: limit reached");

  await noFaults();
  expect((await shop().create("NOT-REFUSED")).status).toBe(201);
  await until("the number to be free", async () =>
    (await shop().create(ORDER_NO)).status === 201 ? true : undefined,
  );
});

test("cannot-sell: wrong request keys are not proven, and keys restore ends it without files", async () => {
  const [, check] = commandsOf("cannot-sell", "look");
  const [preview, restore] = commandsOf("cannot-sell", "do");
  const words = { MERCHANT: merchantId };
  await shop().create("KNOWN");
  const { put, stagesOf } = keySetup(operated);
  const secret = operated.target().stack.merchants[0]!.requestKeys!;
  const { AWSCURRENT: right } = await stagesOf(secret);
  await put(secret, makeMerchant().requestSecret());
  expect(await createWithNewInstance("WRONG")).toBe(502);
  const order = await type("npx paycast order WRONG");
  expect(order.out).toContain("rejected with 40103: body cannot be decrypted");
  expect((await type(check)).out).toMatch(/not proven: .* with 40103: body cannot be decrypted/);

  expect((await type(preview, words)).out).toMatch(/previous request keys are proven: the serv/);
  expect((await type(restore, words)).code).toBe(0);
  expect(await stagesOf(secret)).toEqual({ AWSCURRENT: right });
  expect((await type(check)).out).toContain("The keys are good.");
  expect(await createWithNewInstance("WRONG-NO-MORE")).toBe(201);
});

/** Instances that run keep their keys for minutes. */
async function createWithNewInstance(orderNo: string): Promise<number> {
  const creator = await deployFunction(operated, "create-order");
  const body = JSON.stringify(orderBody({}, { orderNo }));
  const { statusCode } = await answerTo(creator, { body, isBase64Encoded: false });
  await creator.stop();
  return statusCode;
}

test("failed-queries: the storefront answers stale while the question fails", async () => {
  const [question] = shellBlocks(partOf("failed-queries", "look"));
  const { body } = await shop().create("STALE");
  const words = { PAYMENT_ID: body.paymentId };
  await faultForAll({ kind: "broken-answer", how: "http-404", operation: "query" });
  expect(await shop().get("STALE")).toMatchObject({ status: 200, order: { stale: true } });
  const failed = await paste(question, words);
  expect(failed.out).toMatch(/^outcome +refused$/m);
  expect(failed.out).toMatch(/^code +http-404$/m);

  await noFaults();
  expect((await paste(question, words)).out).toMatch(/^outcome +done$/m);
  await until("an answer that is not stale", async () =>
    (await shop().get("STALE")).order.stale ? undefined : true,
  );
});

/** Due for a check since an hour. */
async function makeDue(orderNo: string): Promise<void> {
  const clients = operated.clients();
  const { tables } = operated.stack().description;
  const key = { aggregateKey: `${merchantId}#order#${orderNo}` };
  const order = await getItem(clients.dynamodb, tables.orders, key);
  await putItem(clients.dynamodb, tables.orders, {
    ...order,
    dueAtMilliseconds: Date.now() - 60 * minute,
  });
}

/** One run of reconcile-orders. The stack's own runs stay away. Gives its line. */
async function run(changes: Readonly<Record<string, string>> = {}) {
  const reconciler = await deployFunction(operated, "reconcile-orders", changes);
  await keepRunsAway(operated, 3 * minute);
  // For this run that lease has ended.
  reconciler.advance(4 * minute);
  await reconciler.invoke({}, 50_000);
  await reconciler.stop();
  return logOf(reconciler).at(-1);
}

/** The service knows that the order is paid, and its callbacks are lost. */
async function paidInSilence(orderNo: string): Promise<void> {
  await keepRunsAway(operated, 3 * minute);
  const { body } = await shop().create(orderNo);
  await shop().fault("lose", orderNo);
  await shop().act(body.paymentId, "pay");
  await until("the payment's end at the service", async () => {
    const { status } = await shop().control("GET", `/orders/${body.paymentId}`);
    return status === "success" ? true : undefined;
  });
  await makeDue(orderNo);
}

test.each([
  ["ServiceRefused", { code: 40400, msg: "not found" }],
  ["UnreadableAnswer", { code: 20000, msg: "", data: { status: "unheard-of" } }],
])(
  "reconciliation-failing: after %s the order waits for its next check, and has its end when the service answers",
  async (metric, answer) => {
    const commands = commandsOf("reconciliation-failing", "look");
    const order = commands.find((command) => command.includes("ORDER_NO"));
    const ORDER_NO = `ORDER-${metric}`;
    await paidInSilence(ORDER_NO);
    const failed = await whileReportedOnly(answer, run);
    expect(failed?.[metric]).toBe(failed?.["Asked"]);
    for (const command of commands) {
      expect(await type(command, { ORDER_NO }), command).toMatchObject({ code: 0 });
    }
    const { out } = await type(order, { ORDER_NO });
    expect(out).toMatch(/^status +pending/m);
    expect(out).toContain("next check");

    await until("an answer that is news", async () => {
      await makeDue(ORDER_NO);
      const line = await run();
      expect(line![metric] ?? 0).toBe(0);
      return Number(line!["News"]) > 0 ? true : undefined;
    });
    await operated.untilStored(ORDER_NO, "success");
  },
);
