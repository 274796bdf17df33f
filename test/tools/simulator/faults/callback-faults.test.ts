import { describe, expect, test } from "vitest";
import type { FaultInput } from "../../../../tools/simulator/faults/fault.ts";
import { acknowledgement } from "../callback-receiver.ts";
import { runSimulator } from "../running-simulator.ts";
import { decryptCallback, openCallback } from "../test-merchant.ts";

const daySeconds = 86_400;
const running = runSimulator();
const { merchant } = running;

/** Pays an order while the fault is on, and gives the envelopes that arrived. */
async function payUnder(fault: FaultInput): Promise<Record<string, unknown>[]> {
  const paymentId = await running.order();
  running.simulator.addFault(fault);
  running.simulator.pay(paymentId);
  await running.simulator.settled();
  await running.step(2);
  return running.envelopes();
}

const firstBody = () => running.receiver.received[0]?.body ?? "";
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
    expect(running.events()).toEqual([
      "payment.order.confirming",
      "payment.order.confirming",
      "payment.order.success",
      "payment.order.success",
    ]);
    expect(new Set(running.envelopes().map(({ id }) => id)).size).toBe(2);
  });

  test("out-of-order sends what comes later first", async () => {
    await payUnder({ kind: "out-of-order" });
    expect(running.events()).toEqual(["payment.order.success", "payment.order.confirming"]);
  });

  test("out-of-order sends a callback that stays alone after a minute", async () => {
    const paymentId = await running.order();
    running.simulator.addFault({ kind: "out-of-order" });
    running.simulator.expire(paymentId);
    await running.step(59);
    expect(running.simulator.order(paymentId).callbacks).toMatchObject([{ state: "held back" }]);
    await running.step(1);
    expect(running.events()).toEqual(["payment.order.timeout"]);
  });

  test("lose sends nothing, ever, while a query tells the status", async () => {
    const paymentId = await running.order();
    running.simulator.addFault({ kind: "lose" });
    running.simulator.pay(paymentId);
    await running.step(8 * daySeconds);
    expect(running.receiver.received).toEqual([]);
    expect((await running.query(paymentId)).data).toMatchObject({ status: "success" });
  });

  test("delay sends late on the simulator's clock", async () => {
    await payUnder({ kind: "delay", seconds: 300 });
    expect(running.receiver.received).toEqual([]);
    await running.step(298);
    expect(running.events()).toEqual(["payment.order.confirming"]);
    await running.step(2);
    expect(running.events()).toEqual(["payment.order.confirming", "payment.order.success"]);
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
    running.receiver.answer = { status: 401, body: "" };
    const paymentId = await running.order();
    running.simulator.addFault({ ...fault, times: 1 });
    running.simulator.expire(paymentId);
    await running.simulator.settled();
    running.receiver.answer = acknowledgement;
    await running.step(60);
    expect(running.receiver.received.map(opens)).toEqual([false, true]);
    expect(new Set(running.envelopes().map(({ id }) => id)).size).toBe(1);
    expect(running.simulator.order(paymentId).callbacks[0]?.attempts).toMatchObject([
      { faults: [fault.kind], httpStatus: 401 },
      { faults: [], httpStatus: 200 },
    ]);
  });

  test("tampered-body decrypts to a plausible object with another amount", async () => {
    await payUnder({ kind: "tampered-body", times: 1 });
    const plaintext = decryptCallback(merchant, firstBody());
    expect(JSON.parse(plaintext)).toMatchObject({ status: "confirming", paymentAmount: 25.01 });
  });

  test("wrong-merchant names another one, outside or inside", async () => {
    const [outside] = await payUnder({ kind: "wrong-merchant", times: 1 });
    expect(outside).toMatchObject({ merchantId: "somebody-else" });
    expect(running.receiver.received.map(opens)[0]).toBe(true);
    running.receiver.received.length = 0;
    const [inside] = await payUnder({ kind: "wrong-merchant", where: "result", times: 1 });
    expect(inside).toMatchObject({ merchantId: merchant.merchantId });
    expect(openCallback(merchant, firstBody())).toMatchObject({
      merchantId: "somebody-else",
    });
  });

  test("old-timestamp is nine days old, or of the future, and properly signed", async () => {
    const [old] = await payUnder({ kind: "old-timestamp", times: 1 });
    expect(Number(old?.["timestamp"])).toBeLessThan(Date.now() - 8.9 * daySeconds * 1000);
    expect(running.receiver.received.every(opens)).toBe(true);
    running.receiver.received.length = 0;
    const [future] = await payUnder({ kind: "old-timestamp", seconds: -600 });
    expect(Number(future?.["timestamp"])).toBeGreaterThan(Date.now() + 500_000);
  });

  test("can be spoiled on several attempts", async () => {
    running.receiver.answer = { status: 401, body: "" };
    running.simulator.addFault({ kind: "wrong-key", attempts: 2 });
    running.simulator.expire(await running.order());
    await running.step(600);
    expect(running.receiver.received.map(opens)).toEqual([false, false, true]);
  });
});

describe("an authentic callback", () => {
  test("unknown-event has a name of its own", async () => {
    await payUnder({ kind: "unknown-event" });
    expect(new Set(running.events())).toEqual(new Set(["payment.order.unheard-of"]));
    expect(running.receiver.received.every(opens)).toBe(true);
  });

  test("malformed-result is not JSON", async () => {
    await payUnder({ kind: "malformed-result" });
    expect(() => running.results()).toThrow(SyntaxError);
  });

  test.each([
    ["missing-fields", { merchantId: merchant.merchantId }],
    ["wrong-types", { status: 7, paymentAmount: "a lot" }],
  ] as const)("malformed-result can have %s", async (how, content) => {
    await payUnder({ kind: "malformed-result", how });
    const result = openCallback(merchant, firstBody());
    expect(result).toMatchObject(content);
    expect(result).not.toHaveProperty("status", "confirming");
  });

  test("wrong-amount says one cent more", async () => {
    await payUnder({ kind: "wrong-amount" });
    expect(openCallback(merchant, firstBody())).toMatchObject({
      paymentAmount: 25.01,
    });
  });

  test("wrong-amount names another currency with the same decimals, if asked to", async () => {
    await payUnder({ kind: "wrong-amount", changes: "currency" });
    expect(openCallback(merchant, firstBody())).toMatchObject({
      paymentAmount: 25,
      currency: "USD",
    });
  });
});

test.each([
  ["number", expect.any(Number)],
  ["braces", expect.stringMatching(/^\{[0-9a-f-]{36}\}$/)],
  ["text", expect.stringMatching(/^callback\/[0-9a-f-]{36} \(no\. 1\)$/)],
] as const)("other-id sends an id that is a %s, signed", async (how, id) => {
  await payUnder({ kind: "other-id", how });
  expect(JSON.parse(firstBody())).toMatchObject({ id });
  expect(openCallback(merchant, firstBody())).toHaveProperty("status");
});

describe("callbacks that contradict", () => {
  test("duplicate-payment tells a second success with an id and a transaction of its own", async () => {
    running.simulator.addFault({ kind: "duplicate-payment", times: 1 });
    await running.paidOrder();
    await running.step(1);
    const success = "payment.order.success";
    expect(running.events()).toEqual(["payment.order.confirming", success, success]);
    expect(new Set(running.envelopes().map(({ id }) => id)).size).toBe(3);
    const [, first, second] = running.results();
    expect(second).toEqual({ ...first, transactionId: expect.stringMatching(/^T[0-9A-F]{28}$/) });
    expect(second?.["transactionId"]).not.toBe(first?.["transactionId"]);
  });

  test.each([
    ["amount", "paymentAmount"],
    ["transaction", "transactionId"],
  ] as const)("conflicting-callback repeats the id with another %s", async (changes, field) => {
    const paymentId = await running.order();
    running.simulator.addFault({ kind: "conflicting-callback", changes, times: 1 });
    running.simulator.pay(paymentId);
    await running.simulator.settled();
    expect(new Set(running.envelopes().map(({ id }) => id)).size).toBe(1);
    const [first, second] = running.results();
    expect(second).toEqual({ ...first, [field]: second?.[field] });
    expect(second?.[field]).not.toBe(first?.[field]);
    expect(running.simulator.order(paymentId).callbacks).toMatchObject([
      { state: "delivered", attempts: [{ faults: [] }, { faults: ["conflicting-callback"] }] },
    ]);
  });

  test("conflicting-callback is repeated as a whole until both are accepted", async () => {
    running.receiver.answer = { status: 503, body: "" };
    running.simulator.addFault({ kind: "conflicting-callback", changes: "transaction" });
    const paymentId = await running.order();
    running.simulator.expire(paymentId);
    await running.simulator.settled();
    running.receiver.answer = acknowledgement;
    await running.step(60);
    const [callback] = running.simulator.order(paymentId).callbacks;
    const own = running.receiver.received.filter(({ body }) => body.includes(callback?.id ?? ""));
    const [refused, again, contradiction] = own.map(({ body }) => body);
    expect(own).toHaveLength(3);
    expect(again).toBe(refused);
    expect(contradiction).not.toBe(refused);
  });
});
