import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FaultInput, faultDescriptions } from "../../simulator/faults/fault.ts";
import { refusalCodes } from "../../simulator/orders/refusal.ts";
import { type Simulator, startSimulator } from "../../simulator/start-simulator.ts";
import { acknowledgement, type CallbackReceiver, startReceiver } from "./callback-receiver.ts";
import { control, create, createBody, createdPayment, paths, query } from "./storefront.ts";
import { decryptCallback, newTestMerchant, openCallback, sealRequest } from "./test-merchant.ts";

const merchant = newTestMerchant();
const daySeconds = 86_400;
let simulator: Simulator;
let receiver: CallbackReceiver;

beforeAll(async () => {
  receiver = await startReceiver();
  simulator = await startSimulator({ merchants: [merchant.service], clockSpeed: 0 });
});
afterAll(async () => {
  await simulator.stop();
  await receiver.stop();
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answer = acknowledgement;
});
afterEach(() => simulator.clearFaults());

async function step(seconds: number): Promise<void> {
  simulator.stepClock(seconds);
  await simulator.settled();
}

async function newOrder(orderNo?: string): Promise<string> {
  const named = orderNo === undefined ? {} : { orderNo };
  return await createdPayment(
    simulator,
    merchant,
    createBody({ callbackUrl: receiver.url }, named),
  );
}

/** Pays an order while the fault is on, and gives the envelopes that arrived. */
async function payUnder(fault: FaultInput): Promise<Record<string, unknown>[]> {
  const paymentId = await newOrder();
  simulator.addFault(fault);
  simulator.pay(paymentId);
  await simulator.settled();
  await step(2);
  return envelopes();
}

const envelopes = () => receiver.received.map(({ body }) => JSON.parse(body));
const events = () => envelopes().map(({ eventName }) => eventName);
const opens = ({ body }: { body: string }) => {
  try {
    openCallback(merchant, body);
    return true;
  } catch {
    return false;
  }
};

describe("on the way of a callback", () => {
  test("send-twice sends every callback twice under one id", async () => {
    await payUnder({ kind: "send-twice" });
    expect(events()).toEqual([
      "payment.order.confirming",
      "payment.order.confirming",
      "payment.order.success",
      "payment.order.success",
    ]);
    expect(new Set(envelopes().map(({ id }) => id)).size).toBe(2);
  });

  test("out-of-order sends what comes later first", async () => {
    await payUnder({ kind: "out-of-order" });
    expect(events()).toEqual(["payment.order.success", "payment.order.confirming"]);
  });

  test("out-of-order sends a callback that stays alone after a minute", async () => {
    const paymentId = await newOrder();
    simulator.addFault({ kind: "out-of-order" });
    simulator.expire(paymentId);
    await step(59);
    expect(simulator.order(paymentId).callbacks).toMatchObject([{ state: "held back" }]);
    await step(1);
    expect(events()).toEqual(["payment.order.timeout"]);
  });

  test("lose sends nothing, ever, while a query tells the status", async () => {
    const paymentId = await newOrder();
    simulator.addFault({ kind: "lose" });
    simulator.pay(paymentId);
    await step(8 * daySeconds);
    expect(receiver.received).toEqual([]);
    expect((await query(simulator, merchant, paymentId)).data).toMatchObject({ status: "success" });
  });

  test("delay sends late on the simulator's clock", async () => {
    await payUnder({ kind: "delay", seconds: 300 });
    expect(receiver.received).toEqual([]);
    await step(300);
    expect(events()).toEqual(["payment.order.confirming", "payment.order.success"]);
  });
});

describe("a callback that is not authentic", () => {
  const forgeries: [what: string, fault: FaultInput][] = [
    ["wrong-key", { kind: "wrong-key" }],
    ["wrong-key of AES", { kind: "wrong-key", which: "aes" }],
    ["tampered-body in its plaintext", { kind: "tampered-body" }],
    ["tampered-body in its ciphertext", { kind: "tampered-body", how: "ciphertext" }],
  ];
  test.each(forgeries)("%s cannot be opened, and the retry is genuine", async (_what, fault) => {
    receiver.answer = { status: 401, body: "" };
    const paymentId = await newOrder();
    simulator.addFault({ ...fault, times: 1 });
    simulator.expire(paymentId);
    await simulator.settled();
    receiver.answer = acknowledgement;
    await step(60);
    expect(receiver.received.map(opens)).toEqual([false, true]);
    expect(new Set(envelopes().map(({ id }) => id)).size).toBe(1);
    expect(simulator.order(paymentId).callbacks[0]?.attempts).toMatchObject([
      { faults: [fault.kind], httpStatus: 401 },
      { faults: [], httpStatus: 200 },
    ]);
  });

  test("tampered-body decrypts to a plausible object with another amount", async () => {
    await payUnder({ kind: "tampered-body", times: 1 });
    const plaintext = decryptCallback(merchant, receiver.received[0]?.body ?? "");
    expect(JSON.parse(plaintext)).toMatchObject({ status: "confirming", paymentAmount: 25.01 });
  });

  test("wrong-merchant names another one, outside or inside", async () => {
    const [outside] = await payUnder({ kind: "wrong-merchant", times: 1 });
    expect(outside).toMatchObject({ merchantId: "somebody-else" });
    expect(receiver.received.map(opens)[0]).toBe(true);
    receiver.received.length = 0;
    const [inside] = await payUnder({ kind: "wrong-merchant", where: "result", times: 1 });
    expect(inside).toMatchObject({ merchantId: merchant.merchantId });
    expect(openCallback(merchant, receiver.received[0]?.body ?? "")).toMatchObject({
      merchantId: "somebody-else",
    });
  });

  test("old-timestamp is nine days old, or of the future, and properly signed", async () => {
    const [old] = await payUnder({ kind: "old-timestamp", times: 1 });
    expect(Number(old?.["timestamp"])).toBeLessThan(Date.now() - 8.9 * daySeconds * 1000);
    expect(receiver.received.every(opens)).toBe(true);
    receiver.received.length = 0;
    const [future] = await payUnder({ kind: "old-timestamp", seconds: -600 });
    expect(Number(future?.["timestamp"])).toBeGreaterThan(Date.now() + 500_000);
  });

  test("can be spoiled on several attempts", async () => {
    receiver.answer = { status: 401, body: "" };
    simulator.addFault({ kind: "wrong-key", attempts: 2 });
    simulator.expire(await newOrder());
    await step(600);
    expect(receiver.received.map(opens)).toEqual([false, false, true]);
  });
});

describe("an authentic callback", () => {
  test("unknown-event has a name of its own", async () => {
    await payUnder({ kind: "unknown-event" });
    expect(new Set(events())).toEqual(new Set(["payment.order.unheard-of"]));
    expect(receiver.received.every(opens)).toBe(true);
  });

  test("malformed-result is not JSON", async () => {
    await payUnder({ kind: "malformed-result" });
    expect(() => openCallback(merchant, receiver.received[0]?.body ?? "")).toThrow(SyntaxError);
  });

  test.each([
    ["missing-fields", { merchantId: merchant.merchantId }],
    ["wrong-types", { status: 7, paymentAmount: "a lot" }],
  ] as const)("malformed-result can have %s", async (how, content) => {
    await payUnder({ kind: "malformed-result", how });
    const result = openCallback(merchant, receiver.received[0]?.body ?? "");
    expect(result).toMatchObject(content);
    expect(result).not.toHaveProperty("status", "confirming");
  });

  test("wrong-amount says one cent more", async () => {
    await payUnder({ kind: "wrong-amount" });
    expect(openCallback(merchant, receiver.received[0]?.body ?? "")).toMatchObject({
      paymentAmount: 25.01,
    });
  });
});

describe("on the answers of the service", () => {
  const sendCreate = () =>
    fetch(simulator.url + paths.create, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: sealRequest(merchant, "service.trade.create", createBody()),
    });

  test("slow-answer answers late, when the order is already made", async () => {
    simulator.addFault({ kind: "slow-answer", seconds: 0.5 });
    const before = simulator.orders().length;
    let answered = false;
    const answer = create(simulator, merchant).finally(() => {
      answered = true;
    });
    await expect.poll(() => simulator.orders().length).toBe(before + 1);
    expect(answered).toBe(false);
    expect(await answer).toMatchObject({ code: 20_000 });
  });

  test("refuse-creates refuses with the code and status it was given, and makes no order", async () => {
    const before = simulator.orders().length;
    simulator.addFault({
      kind: "refuse-creates",
      code: 40_777,
      msg: "closed",
      httpStatus: 503,
      times: 1,
    });
    const response = await sendCreate();
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ code: 40_777, msg: "closed" });
    simulator.addFault({ kind: "refuse-creates" });
    expect(await create(simulator, merchant)).toMatchObject({
      code: refusalCodes.refusedOnPurpose,
    });
    expect(simulator.orders()).toHaveLength(before);
  });

  test("reset-connections cuts before the work, or after it so that only the answer is lost", async () => {
    const before = simulator.orders().length;
    simulator.addFault({ kind: "reset-connections", times: 1 });
    await expect(sendCreate()).rejects.toThrow();
    expect(simulator.orders()).toHaveLength(before);
    simulator.addFault({ kind: "reset-connections", when: "after", times: 1 });
    await expect(sendCreate()).rejects.toThrow();
    expect(simulator.orders()).toHaveLength(before + 1);
  });

  test.each([
    ["html", 200, /^<html>/],
    ["empty", 200, /^$/],
    ["truncated", 200, /^\{"code":20000,[^}]*$/],
    ["http-404", 404, /Not found/],
    ["http-500", 500, /Internal error/],
  ] as const)("broken-answer can be %s", async (how, status, text) => {
    simulator.addFault({ kind: "broken-answer", how });
    const response = await sendCreate();
    expect(response.status).toBe(status);
    expect(await response.text()).toMatch(text);
  });

  test("faults of one operation leave the other alone", async () => {
    simulator.addFault({ kind: "reset-connections", operation: "create" });
    simulator.addFault({ kind: "refuse-creates" });
    expect(await query(simulator, merchant, "none")).toMatchObject({
      code: refusalCodes.unknownPayment,
    });
  });
});

describe("a fault", () => {
  test("for one order leaves the others alone, even set before it was created", async () => {
    simulator.addFault({ kind: "lose", orderNo: "DOOMED" });
    simulator.expire(await newOrder("DOOMED"));
    simulator.expire(await newOrder("LUCKY"));
    await simulator.settled();
    const results = receiver.received.map(({ body }) => openCallback(merchant, body));
    expect(results).toMatchObject([{ referOrderNo: "LUCKY" }]);
  });

  test("for a number of times is then over", async () => {
    simulator.addFault({ kind: "lose", times: 1 });
    await payUnder({ kind: "send-twice", times: 2 });
    expect(events()).toEqual(["payment.order.success", "payment.order.success"]);
    expect(simulator.orders()[0]?.callbacks).toMatchObject([
      { state: "lost" },
      { state: "delivered" },
    ]);
  });

  test("is set, listed and switched off by the control API", async () => {
    const set = await control(simulator, "POST", "/faults", {
      kind: "delay",
      seconds: 5,
      times: 3,
    });
    expect(set.body).toMatchObject({ kind: "delay", seconds: 5, left: 3 });
    await control(simulator, "POST", "/faults", { kind: "lose" });
    const removed = await control(simulator, "DELETE", `/faults/${set.body["id"]}`);
    expect(removed.body).toMatchObject({ faults: [{ kind: "lose" }] });
    expect((await control(simulator, "DELETE", "/faults")).body).toEqual({ faults: [] });
  });

  test.each([
    [{ kind: "gremlins" }],
    [{ kind: "delay", seconds: "soon" }],
    [{ kind: "lose", extra: 1 }],
  ])("%o is refused with a sentence", async (input) => {
    const answer = await control(simulator, "POST", "/faults", input);
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(/./) } });
  });

  test("of every kind is explained by the guide", async () => {
    const guide = await (await fetch(`${simulator.url}/control`)).text();
    for (const kind of Object.keys(faultDescriptions)) expect(guide).toContain(kind);
  });
});
