import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { retryOffsetsMilliseconds } from "../../simulator/callbacks/retry-schedule.ts";
import type { ServiceOptions } from "../../simulator/service/service.ts";
import { type Simulator, startSimulator } from "../../simulator/start-simulator.ts";
import { acknowledgement, type CallbackReceiver, startReceiver } from "./callback-receiver.ts";
import { createBody, createdPayment } from "./storefront.ts";
import { newTestMerchant, openCallback } from "./test-merchant.ts";

const merchant = newTestMerchant();
const daySeconds = 86_400;
const unavailable = { status: 503, body: "" };

let receiver: CallbackReceiver;
let simulator: Simulator;

beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await simulator.stop();
  await receiver.stop();
});

async function paidOrder(options: Partial<ServiceOptions> = {}): Promise<string> {
  simulator = await startSimulator({ merchants: [merchant.service], clockSpeed: 0, ...options });
  const body = createBody({ callbackUrl: receiver.url }, { orderNo: "ORDER" });
  const paymentId = await createdPayment(simulator, merchant, body);
  simulator.pay(paymentId);
  await simulator.settled();
  return paymentId;
}

async function step(seconds: number): Promise<void> {
  simulator.stepClock(seconds);
  await simulator.settled();
}

const ids = () => receiver.received.map(({ body }) => JSON.parse(body).id);
const events = () => receiver.received.map(({ body }) => JSON.parse(body).eventName);

describe("a callback", () => {
  test("has the envelope and the result object of the interface", async () => {
    await paidOrder();
    await step(2);
    const [confirming, success] = receiver.received;
    expect(JSON.parse(success?.body ?? "")).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      merchantId: merchant.merchantId,
      eventName: "payment.order.success",
      format: "json",
      charset: "utf-8",
      encryptType: "AES",
      signType: "RSA",
      sign: expect.any(String),
      timestamp: expect.any(Number),
      body: expect.any(String),
    });
    expect(success?.headers["content-type"]).toBe("application/json");
    const first = openCallback(merchant, confirming?.body ?? "");
    expect(first).toMatchObject({ status: "confirming", referOrderNo: "ORDER" });
    expect(first).not.toHaveProperty("completeTime");
    expect(openCallback(merchant, success?.body ?? "")).toEqual({
      merchantId: merchant.merchantId,
      referOrderNo: "ORDER",
      transactionId: first["transactionId"],
      paymentAmount: 25,
      currency: "EUR",
      paymentTime: expect.any(Number),
      completeTime: expect.any(Number),
      status: "success",
    });
  });

  test("of a failed and of an expired order tells the reason", async () => {
    await paidOrder();
    const failing = await createdPayment(
      simulator,
      merchant,
      createBody({ callbackUrl: receiver.url }),
    );
    simulator.fail(failing);
    await createdPayment(simulator, merchant, createBody({ callbackUrl: receiver.url }));
    await step(3600);
    const told = receiver.received
      .map(({ body }) => openCallback(merchant, body))
      .filter(({ msg }) => msg !== undefined);
    expect(told).toMatchObject([
      { status: "failed", msg: "the payment was declined", transactionId: expect.any(String) },
      { status: "timeout", msg: "the order was not paid in time" },
    ]);
    expect(told[1]).not.toHaveProperty("transactionId");
  });

  test("is stamped with real time however fast the clock runs", async () => {
    await paidOrder({ clockSpeed: 1_000_000 });
    await expect.poll(() => events()).toContain("payment.order.success");
    for (const { body } of receiver.received) {
      const { completeTime = Date.now() } = openCallback(merchant, body);
      expect(Math.abs(JSON.parse(body).timestamp - Date.now())).toBeLessThan(60_000);
      expect(Math.abs(Number(completeTime) - Date.now())).toBeLessThan(60_000);
    }
  });

  test("is sent once for each of many orders that expire in one step", async () => {
    simulator = await startSimulator({ merchants: [merchant.service], clockSpeed: 0 });
    for (let count = 0; count < 120; count += 1) simulator.makeOrder({ callbackUrl: receiver.url });
    await step(3600);
    expect(receiver.received).toHaveLength(120);
    expect(new Set(ids()).size).toBe(120);
  });

  test("goes to the one address that overrides the orders' own", async () => {
    simulator = await startSimulator({ merchants: [merchant.service], callbackUrl: receiver.url });
    const elsewhere = createBody({ callbackUrl: "https://shop.example/callbacks" });
    simulator.pay(await createdPayment(simulator, merchant, elsewhere));
    await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
  });

  test("without an address is not sent, and the order says so", async () => {
    await paidOrder();
    const paymentId = await createdPayment(simulator, merchant, createBody());
    simulator.expire(paymentId);
    await simulator.settled();
    expect(simulator.order(paymentId).callbacks).toMatchObject([
      { state: "no address", attempts: [] },
    ]);
  });
});

describe("a callback that is not answered with 200", () => {
  test("is retried 8 times over 7 days at growing distances, then given up", () => {
    const distances = retryOffsetsMilliseconds.map(
      (offset, index) => offset - (retryOffsetsMilliseconds[index - 1] ?? 0),
    );
    expect(retryOffsetsMilliseconds).toHaveLength(8);
    expect(retryOffsetsMilliseconds.at(-1)).toBe(7 * daySeconds * 1000);
    expect(distances).toEqual([...distances].sort((one, other) => one - other));
    expect(new Set(distances).size).toBe(8);
  });

  test("comes again at each of these times and not before, byte for byte the same", async () => {
    receiver.answer = unavailable;
    const paymentId = await paidOrder({ processingSeconds: 30 * daySeconds });
    let passed = 0;
    for (const [index, offsetMilliseconds] of retryOffsetsMilliseconds.entries()) {
      await step(offsetMilliseconds / 1000 - passed - 1);
      expect(receiver.received).toHaveLength(index + 1);
      await step(1);
      expect(receiver.received).toHaveLength(index + 2);
      passed = offsetMilliseconds / 1000;
    }
    await step(20 * daySeconds);
    expect(receiver.received).toHaveLength(9);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    const [callback] = simulator.order(paymentId).callbacks;
    expect(callback).toMatchObject({ state: "given up" });
    expect(callback?.attempts).toHaveLength(9);
  });

  test("is given all its retries by one long step", async () => {
    receiver.answer = unavailable;
    await paidOrder({ processingSeconds: 30 * daySeconds });
    await step(8 * daySeconds);
    expect(receiver.received).toHaveLength(9);
  });

  test("keeps its id under a new timestamp and signature where retries are resealed", async () => {
    receiver.answer = unavailable;
    await paidOrder({ processingSeconds: 30 * daySeconds, retries: "resealed" });
    const before = Date.now();
    await step(60);
    const [first, second] = receiver.received.map(({ body }) => JSON.parse(body));
    expect(second.id).toBe(first.id);
    expect(second.timestamp).toBeGreaterThanOrEqual(before);
    const [result, again] = receiver.received.map(({ body }) => openCallback(merchant, body));
    expect(again).toEqual(result);
  });

  test.each([
    ["a 404", { status: 404, body: "" }, 404],
    ["a 500", { status: 500, body: "" }, 500],
    ["a 204", { status: 204, body: "" }, 204],
    ["a redirect", { status: 302, body: "" }, 302],
    ["a cut connection", "reset" as const, undefined],
    ["silence", "silence" as const, undefined],
  ])("after %s is delivered by the next attempt", async (_what, answer, httpStatus) => {
    receiver.answer = answer;
    const paymentId = await paidOrder({ processingSeconds: 3600, callbackTimeoutSeconds: 0.3 });
    receiver.answer = acknowledgement;
    await step(60);
    expect(simulator.order(paymentId).callbacks).toMatchObject([
      { state: "delivered", attempts: [{ httpStatus }, { httpStatus: 200 }] },
    ]);
    expect(new Set(ids()).size).toBe(1);
  });

  test("does not hold up the callbacks after it", async () => {
    receiver.answer = unavailable;
    await paidOrder();
    receiver.answer = acknowledgement;
    await step(2);
    await step(60);
    expect(events()).toEqual([
      "payment.order.confirming",
      "payment.order.success",
      "payment.order.confirming",
    ]);
  });

  test("can be sent again by hand, and then is not retried", async () => {
    receiver.answer = unavailable;
    const paymentId = await paidOrder({ processingSeconds: 30 * daySeconds });
    receiver.answer = acknowledgement;
    const [callback] = simulator.order(paymentId).callbacks;
    expect(await simulator.sendAgain(callback?.id ?? "")).toBe(true);
    await step(8 * daySeconds);
    expect(receiver.received).toHaveLength(2);
    expect(await simulator.sendAgain("none")).toBe(false);
  });
});

test("an order's callbacks stop with the simulator, and stopping does not wait for a silent merchant", async () => {
  receiver.answer = "silence";
  simulator = await startSimulator({ merchants: [merchant.service], callbackTimeoutSeconds: 600 });
  const body = createBody({ callbackUrl: receiver.url });
  simulator.pay(await createdPayment(simulator, merchant, body));
  await expect.poll(() => receiver.received.length).toBe(1);
  await simulator.stop();
  await expect(fetch(simulator.url)).rejects.toThrow();
});
