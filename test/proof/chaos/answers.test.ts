import { expect, test } from "vitest";
import { ordersAreRight } from "./check/answers.ts";

const order = {
  ...{ orderNo: "C1-1", merchantId: "m1", amount: "19.99", currency: "EUR" },
  ...{ story: "paid", isOurs: true },
};
const times = { atMilliseconds: 1, endedMilliseconds: 2 };

/** What the rule finds in an order that the service has ended, and of which no callback could be read. */
function faults(created: number, answer: object) {
  const call = (request: string, status: number, body: object) => ({
    ...{ ...times, orderNo: order.orderNo, request, status, answer: JSON.stringify(body) },
  });
  const last = call("GET /orders/C1-1", 200, { status: "pending", ...answer });
  const post = { ...times, status: 200, answer: '{"code":20000,"msg":""}' } as const;
  const opened = { id: "c1", merchantId: "m1", eventName: "payment.order.timeout", keysIndex: 0 };
  const result = { referOrderNo: order.orderNo, merchantId: "another" };
  const [look] = ordersAreRight({
    evidence: {
      orders: [order],
      ledger: [{ ...order, paymentId: "p1", status: "timeout", callbacks: [] }],
      calls: [
        call(
          "POST /orders",
          created,
          created === 409 ? { type: "urn:paycast:problem:order-exists" } : {},
        ),
        last,
      ],
      ending: {
        answers: new Map([[order.orderNo, last]]),
        givenUp: [],
        needsPerson: [],
        timelines: new Map(),
      },
      ...{ posts: [], received: [], disturbances: [], subscribers: [], keysOf: () => [] },
    },
    statements: [
      {
        post: { ...post, envelope: "", by: "service" },
        opened: { ...opened, result },
        fact: undefined,
      },
    ],
    ...{ forged: [], events: [] },
  });
  return look?.wrong;
}

const isWrong = ["the status is pending, not timeout"];

test("the books count for an order that the storefront got, or whose payment is told", () => {
  expect(faults(201, {})).toEqual(isWrong);
  expect(faults(200, {})).toEqual(isWrong);
  expect(faults(409, { paymentId: "p1" })).toEqual(isWrong);
  expect(faults(503, {})).toEqual(isWrong);
});

test("an order whose payment nobody could tell Paycast is as its callbacks say", () => {
  expect(faults(409, {})).toEqual([]);
  expect(faults(409, { status: "timeout" })).toEqual(["the status is timeout, not pending"]);
});
