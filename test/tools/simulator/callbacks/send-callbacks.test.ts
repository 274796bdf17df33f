import { describe, expect, test } from "vitest";
import { limitConcurrency } from "../../../../tools/simulator/callbacks/post-callback.ts";
import { retryOffsetsMilliseconds } from "../../../../tools/simulator/callbacks/retry-schedule.ts";
import type { ServiceOptions } from "../../../../tools/simulator/service/service.ts";
import { collectGarbage } from "../../../setup/collect-garbage.ts";
import { acknowledgement, type CallbackReceiver } from "../callback-receiver.ts";
import { runSimulatorPerTest } from "../running-simulator.ts";
import { createdPayment } from "../storefront.ts";
import { openCallback } from "../test-merchant.ts";

const daySeconds = 86_400;
const unavailable = { status: 503, body: "" };
const running = runSimulatorPerTest();
const received = () => running.receiver.received;

/** Starts a simulator and submits a payment; the first callback gets this answer. */
async function submittedOrder(
  options: Partial<ServiceOptions> = {},
  answer: CallbackReceiver["answer"] = acknowledgement,
): Promise<string> {
  await running.start(options);
  running.receiver.answer = answer;
  const paymentId = await running.order({}, { orderNo: "ORDER" });
  running.simulator.pay(paymentId);
  await running.simulator.settled();
  return paymentId;
}

describe("a callback", () => {
  test("has the envelope and the result object of the interface", async () => {
    await submittedOrder();
    await running.step(2);
    const { merchantId } = running.merchant;
    expect(running.envelopes()[1]).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      merchantId,
      eventName: "payment.order.success",
      format: "json",
      charset: "utf-8",
      encryptType: "AES",
      signType: "RSA",
      sign: expect.any(String),
      timestamp: expect.any(Number),
      body: expect.any(String),
    });
    expect(received()[1]?.headers["content-type"]).toBe("application/json");
    const [confirming, success] = running.results();
    expect(confirming).toMatchObject({ status: "confirming", referOrderNo: "ORDER" });
    expect(confirming).not.toHaveProperty("completeTime");
    expect(success).toEqual({
      merchantId,
      referOrderNo: "ORDER",
      transactionId: confirming?.["transactionId"],
      paymentAmount: 25,
      currency: "EUR",
      paymentTime: expect.any(Number),
      completeTime: expect.any(Number),
      status: "success",
    });
  });

  test("of a failed and of an expired order has the reason", async () => {
    await submittedOrder();
    running.simulator.fail(await running.order());
    await running.order();
    await running.step(60);
    await running.step(3600);
    const withReason = running.results().filter(({ msg }) => msg !== undefined);
    expect(withReason).toMatchObject([
      { status: "failed", msg: "the payment was declined", transactionId: expect.any(String) },
      { status: "timeout", msg: "the order was not paid in time" },
    ]);
    expect(withReason[1]).not.toHaveProperty("transactionId");
  });

  test("has real timestamps at any clock speed", async () => {
    await submittedOrder();
    // Only now, because at this speed the order expires within two milliseconds.
    running.simulator.setClockSpeed(1_000_000);
    await expect.poll(() => running.events()).toContain("payment.order.success");
    for (const { body } of received()) {
      const { completeTime = Date.now() } = openCallback(running.merchant, body);
      expect(Math.abs(JSON.parse(body).timestamp - Date.now())).toBeLessThan(60_000);
      expect(Math.abs(Number(completeTime) - Date.now())).toBeLessThan(60_000);
    }
  });

  test("is sent once for each of many orders that expire in one step", async () => {
    await running.start();
    const callbackUrl = running.receiver.url;
    for (let count = 0; count < 120; count += 1) running.simulator.makeOrder({ callbackUrl });
    await running.step(3600);
    expect(received()).toHaveLength(120);
    expect(new Set(running.envelopes().map(({ id }) => id)).size).toBe(120);
  });

  test("without an address is not sent, and the order says so", async () => {
    await running.start();
    const paymentId = await createdPayment(running.simulator, running.merchant);
    running.simulator.expire(paymentId);
    await running.simulator.settled();
    const { callbacks } = running.simulator.order(paymentId);
    expect(callbacks).toMatchObject([{ state: "no address", attempts: [] }]);
  });
});

describe("a callback that is not answered with 200", () => {
  const slow = { processingSeconds: 30 * daySeconds };

  test("is retried 8 times over 7 days, at growing intervals", () => {
    const intervals = retryOffsetsMilliseconds.map(
      (offset, index) => offset - (retryOffsetsMilliseconds[index - 1] ?? 0),
    );
    expect(retryOffsetsMilliseconds).toHaveLength(8);
    expect(retryOffsetsMilliseconds.at(-1)).toBe(7 * daySeconds * 1000);
    expect(intervals).toEqual([...new Set(intervals)].sort((left, right) => left - right));
  });

  test("comes again at each of these times and not before, byte for byte the same", async () => {
    const paymentId = await submittedOrder(slow, unavailable);
    let passedSeconds = 0;
    for (const [index, offsetMilliseconds] of retryOffsetsMilliseconds.entries()) {
      await running.step(offsetMilliseconds / 1000 - passedSeconds - 1);
      expect(received()).toHaveLength(index + 1);
      await running.step(1);
      expect(received()).toHaveLength(index + 2);
      passedSeconds = offsetMilliseconds / 1000;
    }
    await running.step(20 * daySeconds);
    expect(received()).toHaveLength(9);
    expect(new Set(received().map(({ body }) => body)).size).toBe(1);
    const [callback] = running.simulator.order(paymentId).callbacks;
    expect(callback).toMatchObject({ state: "given up" });
    expect(callback?.attempts).toHaveLength(9);
  });

  test("gets all its retries in one long step", async () => {
    await submittedOrder(slow, unavailable);
    await running.step(8 * daySeconds);
    expect(received()).toHaveLength(9);
  });

  test("keeps its id with a new timestamp and signature if retries are resealed", async () => {
    await submittedOrder({ ...slow, retries: "resealed" }, unavailable);
    const before = Date.now();
    await running.step(60);
    const [first, second] = running.envelopes();
    expect(second?.["id"]).toBe(first?.["id"]);
    expect(second?.["timestamp"]).toBeGreaterThanOrEqual(before);
    const [result, again] = running.results();
    expect(again).toEqual(result);
  });

  test.each([
    ["a 404", { status: 404, body: "" }, 404],
    ["a 204", { status: 204, body: "" }, 204],
    ["a redirect", { status: 302, body: "" }, 302],
    ["a cut connection", "reset" as const, undefined],
    ["silence", "silence" as const, undefined],
  ])("after %s is delivered by the next attempt", async (_what, answer, httpStatus) => {
    // The answer to the next attempt must come within the same time, also on a busy machine.
    const callbackTimeoutSeconds = 5;
    const paymentId = await submittedOrder({ ...slow, callbackTimeoutSeconds }, answer);
    running.receiver.answer = acknowledgement;
    await running.step(60);
    expect(running.simulator.order(paymentId).callbacks).toMatchObject([
      { state: "delivered", attempts: [{ httpStatus }, { httpStatus: 200 }] },
    ]);
    expect(new Set(running.envelopes().map(({ id }) => id)).size).toBe(1);
  });

  test("does not delay the callbacks after it", async () => {
    await submittedOrder({}, unavailable);
    running.receiver.answer = acknowledgement;
    await running.step(2);
    await running.step(60);
    const [confirming, success] = ["payment.order.confirming", "payment.order.success"];
    expect(running.events()).toEqual([confirming, success, confirming]);
  });

  test("can be sent again by hand, and then is not retried", async () => {
    const paymentId = await submittedOrder(slow, unavailable);
    running.receiver.answer = acknowledgement;
    const [callback] = running.simulator.order(paymentId).callbacks;
    expect(await running.simulator.sendAgain(callback?.id ?? "")).toBe(true);
    await running.step(8 * daySeconds);
    expect(received()).toHaveLength(2);
    expect(await running.simulator.sendAgain("none")).toBe(false);
  });
});

test("a merchant that does not answer is not waited for longer, whatever is collected", async () => {
  await running.start({ clockSpeed: 1, callbackTimeoutSeconds: 1 });
  running.receiver.answer = "silence";
  const paymentId = await running.order();
  running.simulator.pay(paymentId);
  await expect.poll(() => received().length).toBe(1);
  await collectGarbage();
  const attempts = () => running.simulator.order(paymentId).callbacks[0]?.attempts;
  await expect.poll(attempts).toMatchObject([{ detail: "no response within 1 s" }]);
});

test("stopping the simulator does not wait for a merchant that never answers", async () => {
  await running.start({ clockSpeed: 1, callbackTimeoutSeconds: 600 });
  running.receiver.answer = "silence";
  running.simulator.pay(await running.order());
  await expect.poll(() => received().length).toBe(1);
  await running.simulator.stop();
  await expect(fetch(running.simulator.url)).rejects.toThrow();
});

test("no more works than allowed run at a time, and all get their turn in order", async () => {
  const inTurn = limitConcurrency(3);
  const started: number[] = [];
  let running = 0;
  let most = 0;
  const works = Array.from({ length: 20 }, (_item, index) =>
    inTurn(async () => {
      started.push(index);
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    }),
  );
  await Promise.all(works);
  expect(most).toBe(3);
  expect(started).toEqual(Array.from({ length: 20 }, (_item, index) => index));
});

test("a work that fails gives its turn away", async () => {
  const inTurn = limitConcurrency(1);
  const failing = inTurn(() => Promise.reject(new Error("no")));
  const next = inTurn(async () => "done");
  await expect(failing).rejects.toThrow("no");
  await expect(next).resolves.toBe("done");
});
