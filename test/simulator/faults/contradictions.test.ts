import { expect, test } from "vitest";
import { acknowledgement } from "../callback-receiver.ts";
import { runSimulator } from "../running-simulator.ts";

const running = runSimulator();

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
