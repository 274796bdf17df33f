import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Simulator, startSimulator } from "../../../tools/simulator/start-simulator.ts";
import { temporaryFolder } from "../../setup/temporary-folder.ts";
import { acknowledgement, type CallbackReceiver, startReceiver } from "./callback-receiver.ts";
import { createBody, createdPayment, query } from "./storefront.ts";
import { newTestMerchant, openCallback } from "./test-merchant.ts";

const daySeconds = 86_400;
const unavailable = { status: 503, body: "" };
const merchant = newTestMerchant();
let folder: string;
let ordersFile: string;
let receiver: CallbackReceiver;
let simulator: Simulator;
let lines: string[];

beforeEach(async () => {
  folder = temporaryFolder("orders");
  ordersFile = join(folder, "data", "orders.json");
  receiver = await startReceiver();
  await start();
});
afterEach(async () => {
  await simulator.stop();
  await receiver.stop();
});

async function start(merchants = [merchant.service], holdsClock = false): Promise<void> {
  lines = [];
  const log = (line: string) => lines.push(line);
  simulator = await startSimulator({ merchants, clockSpeed: 0, ordersFile, log, holdsClock });
}

async function restart(): Promise<void> {
  await simulator.stop();
  await start();
}

async function step(seconds: number): Promise<void> {
  simulator.jumpClock(seconds);
  await simulator.settled();
}

const order = (orderNo: string) =>
  createdPayment(simulator, merchant, createBody({ callbackUrl: receiver.url }, { orderNo }));
const bodies = () => receiver.received.map(({ body }) => body);

describe("orders that are kept", () => {
  test("are the same after a restart, with refunds and attempts", async () => {
    const paymentId = await order("KEPT");
    simulator.pay(paymentId);
    await step(2);
    simulator.refund(paymentId, { amount: "10", outcome: "failed" });
    await step(2);
    const before = simulator.order(paymentId);
    const stoppedAt = Date.now();
    await restart();
    // The clock goes on in real time while the simulator is stopped.
    const mostSeconds = Math.ceil((Date.now() - stoppedAt) / 1000);
    const isLess = (seconds: number) => {
      const passed = before.expiresInSeconds - seconds;
      return passed >= 0 && passed <= mostSeconds;
    };
    expect(simulator.order(paymentId)).toEqual({
      ...before,
      checkoutUrl: expect.any(String),
      expiresInSeconds: expect.toSatisfy(isLess),
    });
    expect((await query(simulator, merchant, paymentId)).data).toMatchObject({ status: "success" });
    expect(statSync(ordersFile).mode & 0o077).toBe(0);
  });

  test("keep their place in the list, and their numbers stay taken", async () => {
    await order("FIRST");
    await order("SECOND");
    await restart();
    expect(simulator.orders().map(({ orderNo }) => orderNo)).toEqual(["SECOND", "FIRST"]);
    const other = createBody({ paymentAmount: 26 }, { orderNo: "FIRST", tips: 1 });
    await expect(createdPayment(simulator, merchant, other)).rejects.toThrow("used before");
  });

  test("get the outcome that was coming, and expire in time", async () => {
    const [paid, failed, refunded] = [await order("A"), await order("B"), await order("C")];
    const forgotten = await order("D");
    simulator.pay(refunded);
    await step(2);
    simulator.pay(paid);
    simulator.fail(failed);
    simulator.refund(refunded);
    await simulator.settled();
    await restart();
    await step(2);
    const states = [paid, failed, forgotten].map((id) => simulator.order(id).status);
    expect(states).toEqual(["success", "failed", "pending"]);
    expect(simulator.order(refunded).refunds).toMatchObject([{ status: "refund_success" }]);
    await step(1800);
    expect(simulator.order(forgotten).status).toBe("timeout");
    for (const body of bodies()) openCallback(merchant, body);
  });

  test("go on with the retry schedule, byte for byte", async () => {
    receiver.answer = unavailable;
    const paymentId = await order("RETRIED");
    simulator.expire(paymentId);
    await step(60);
    await restart();
    await step(480);
    expect(bodies()).toHaveLength(2);
    await step(60);
    expect(bodies()).toHaveLength(3);
    await restart();
    await step(8 * daySeconds);
    expect(bodies()).toHaveLength(9);
    expect(new Set(bodies()).size).toBe(1);
    expect(simulator.order(paymentId).callbacks).toMatchObject([{ state: "given up" }]);
  });

  test("wait for a merchant that starts later, if asked", async () => {
    receiver.answer = unavailable;
    const paymentId = await order("EARLY");
    simulator.expire(paymentId);
    await simulator.settled();
    await simulator.stop();
    await start([merchant.service], true);
    await step(60);
    expect((await query(simulator, merchant, paymentId)).data).toMatchObject({ status: "timeout" });
    expect(bodies()).toHaveLength(1);
    simulator.releaseClock();
    await simulator.settled();
    expect(bodies()).toHaveLength(2);
  });

  test("keep the faults of a callback: a forged attempt comes before the authentic one", async () => {
    receiver.answer = unavailable;
    simulator.addFault({ kind: "wrong-key", attempts: 2, times: 1 });
    const paymentId = await order("FORGED");
    simulator.expire(paymentId);
    await simulator.settled();
    await restart();
    receiver.answer = acknowledgement;
    await step(60);
    expect(() => openCallback(merchant, bodies()[1] ?? "")).toThrow();
    const [callback] = simulator.order(paymentId).callbacks;
    expect(callback?.attempts).toMatchObject([
      { faults: ["wrong-key"] },
      { faults: ["wrong-key"] },
    ]);
  });

  test("send a callback that was held back", async () => {
    simulator.addFault({ kind: "out-of-order", times: 1 });
    simulator.expire(await order("HELD"));
    await simulator.settled();
    await restart();
    await step(30);
    expect(bodies()).toEqual([]);
    await step(30);
    expect(bodies()).toHaveLength(1);
  });

  test("are saved while the simulator runs, so that a crash loses little", async () => {
    await order("SAVED-EARLY");
    // The file may be there before the order, without it.
    const saved = () => (existsSync(ordersFile) ? readFileSync(ordersFile, "utf8") : "");
    await expect.poll(saved).toContain("SAVED-EARLY");
    await expect.poll(() => readdirSync(folder)).toEqual(["data"]);
  });

  test("of a merchant that is gone are dropped, and the log says so", async () => {
    await order("DROPPED");
    await simulator.stop();
    await start([newTestMerchant({}, { merchantId: "another" }).service]);
    expect(simulator.orders()).toEqual([]);
    expect(lines).toContainEqual(expect.stringContaining("merchants that no longer exist: 1."));
  });
});

test.each([
  ["half a file", '{"version":1,"orders":[{"paym'],
  ["another version", '{"version":2,"aheadMilliseconds":0,"orders":[]}'],
])("%s is moved aside, and the simulator starts without orders", async (_what, text) => {
  await order("LOST");
  await simulator.stop();
  writeFileSync(ordersFile, text);
  await start();
  expect(simulator.orders()).toEqual([]);
  const [aside = ""] = readdirSync(join(folder, "data")).filter((name) => name.includes("broken"));
  expect(readFileSync(join(folder, "data", aside), "utf8")).toBe(text);
  expect(lines).toContainEqual(expect.stringContaining(aside));
});
