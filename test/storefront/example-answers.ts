import { createServer } from "node:http";
import { orderRequests } from "../../tools/contract/documents/openapi/examples.ts";
import { listenOnLoopback } from "../../tools/local/aws/listen-on-loopback.ts";
import { to, writes } from "../integration/fault-proxy.ts";
import type { Instance } from "../integration/instance.ts";
import type { Answer, Shop } from "./shop.ts";

/** What has to happen for an answer to be the one of the example. */
export type Situation = (shop: Shop) => Promise<Answer>;

const order = orderRequests.minimal;
const { orderNo } = order.order;

async function paymentOf(answer: Promise<Answer>): Promise<string> {
  return String((await answer).body["paymentId"]);
}

async function lostButConfirming(shop: Shop): Promise<void> {
  shop.simulator.addFault({ kind: "reset-connections", when: "after", times: 1 });
  await shop.create(order);
  shop.simulator.pay(shop.simulator.orders()[0]!.paymentId);
  await shop.simulator.settled();
  await shop.pump();
}

async function refunded(shop: Shop): Promise<void> {
  const paymentId = await paymentOf(shop.create(order));
  await shop.pay(paymentId);
  shop.simulator.refund(paymentId, { amount: "4.10", referRefundNo: "RMA-881" });
  shop.simulator.jumpClock(2);
  await shop.simulator.settled();
  await shop.pump();
}

const cutOff = { kind: "cut" } as const;

export const creating: Record<string, Situation> = {
  "200 repeated": async (shop) => {
    await shop.pay(await paymentOf(shop.create(order)));
    return await shop.create(order);
  },
  "201 created": (shop) => shop.create(order),
  "400 body-invalid": (shop) =>
    shop.create({
      ...order,
      order: { ...order.order, orderAmount: "12.00" },
      redirectUrl: "https://elsewhere.example.com/",
    }),
  "409 order-differs": async (shop) => {
    await shop.create(order);
    return await shop.create({ ...order, paymentAmount: "12.40" });
  },
  "400 merchant-unknown": (shop) => shop.create({ ...order, merchantId: "nobody" }),
  "409 order-exists": async (shop) => {
    await lostButConfirming(shop);
    return await shop.create(order);
  },
  "409 order-in-progress": async (shop) => {
    const { faults } = await shop.creator();
    faults.fail(writes, { kind: "die-after" });
    await shop.create(order);
    await shop.replace("create-order");
    return await shop.create(order);
  },
  "413 body-too-large": (shop) => shop.create(`${JSON.stringify(order)}${" ".repeat(1024 * 1024)}`),
  "502 service-answer-incomplete": (shop) => {
    shop.simulator.addFault({ kind: "incomplete-answer" });
    return shop.create(order);
  },
  "502 service-refused": (shop) => {
    const [code, msg] = [40902, "orderNo was used before"];
    shop.simulator.addFault({ kind: "refuse-creates", code, msg });
    return shop.create(order);
  },
  "503 service-busy": (shop) => {
    const [code, msg] = [42900, "too many requests"];
    shop.simulator.addFault({ kind: "refuse-creates", code, msg, httpStatus: 429 });
    return shop.create(order);
  },
  "503 service-unreachable": async (shop) => {
    await shop.stopService();
    return await shop.create(order);
  },
  "503 unavailable": async (shop) => {
    (await shop.creator()).faults.fail(to("dynamodb"), cutOff);
    return await shop.create(order);
  },
  "504 outcome-unknown": (shop) => {
    shop.simulator.addFault({ kind: "reset-connections" });
    return shop.create(order);
  },
};

const asking = (path: string): Record<string, Situation> => ({
  "400 merchant-unknown": (shop) => shop.get(`${path}?merchantId=nobody`),
  "503 unavailable": async (shop) => {
    (await shop.querier()).faults.fail(to("dynamodb"), cutOff);
    return await shop.get(path);
  },
});

export const askingForOrders: Record<string, Situation> = {
  ...asking(`/orders/${orderNo}`),
  "200 pending": async (shop) => {
    await shop.create(order);
    return await shop.get(`/orders/${orderNo}`);
  },
  "200 refused": async (shop) => {
    const [code, msg] = [40902, "orderNo was used before"];
    shop.simulator.addFault({ kind: "refuse-creates", code, msg });
    await shop.create(order);
    return await shop.get(`/orders/${orderNo}`);
  },
  "200 stale": async (shop) => {
    await shop.create(order);
    await shop.stopService();
    return await shop.get(`/orders/${orderNo}`);
  },
  "200 unanswered": async (shop) => {
    shop.simulator.addFault({ kind: "reset-connections" });
    await shop.create(order);
    return await shop.get(`/orders/${orderNo}`);
  },
  "200 paid": async (shop) => {
    await shop.pay(await paymentOf(shop.create(order)));
    return await shop.get(`/orders/${orderNo}`);
  },
  "200 refunded": async (shop) => {
    await refunded(shop);
    return await shop.get(`/orders/${orderNo}`);
  },
  "404 order-unknown": (shop) => shop.get(`/orders/${orderNo}`),
};

/** GET /payments/P1 while the service has only one answer. */
async function askService(shop: Shop, status: number, said: object): Promise<Answer> {
  const server = createServer((_request, response) => {
    response.writeHead(status).end(JSON.stringify(said));
  });
  const { endpoint, stop } = await listenOnLoopback(server);
  const paths = { create: "/create", query: "/query" };
  const GATEWAY = JSON.stringify({ baseUrl: endpoint, pathPrefix: "", paths });
  const querier = await shop.start("query-order", { GATEWAY });
  const outcome = await querier.invoke({
    routeKey: "GET /payments/{paymentId}",
    pathParameters: { paymentId: "P1" },
  });
  await stop();
  return readAnswer(outcome);
}

/** What an instance that was called without HTTP has answered. */
export function readAnswer(outcome: Awaited<ReturnType<Instance["invoke"]>>): Answer {
  if (outcome.kind !== "returned") throw new Error("no answer");
  const answer = outcome.value as {
    statusCode: number;
    headers: Record<string, string>;
    body: string;
  };
  const headers = new Headers(answer.headers);
  return { status: answer.statusCode, headers, body: JSON.parse(answer.body) };
}

export const askingForPayments: Record<string, Situation> = {
  ...asking("/payments/P1"),
  "200 paid": async (shop) => {
    const paymentId = await paymentOf(shop.create(order));
    await shop.pay(paymentId);
    return await shop.get(`/payments/${paymentId}`);
  },
  "200 elsewhere": async (shop) => {
    const amount = { amount: order.paymentAmount, currency: order.currency };
    const { paymentId } = shop.simulator.makeOrder({ orderNo: "ELSEWHERE-7", ...amount });
    shop.simulator.pay(paymentId);
    shop.simulator.jumpClock(2);
    return await shop.get(`/payments/${paymentId}`);
  },
  "404 payment-unknown": (shop) =>
    askService(shop, 200, { code: 40401, msg: "paymentId is not known" }),
  "503 service-busy": (shop) => askService(shop, 429, { code: 42900, msg: "too many requests" }),
  "503 service-no-answer": (shop) => askService(shop, 500, {}),
  "503 service-unreachable": async (shop) => {
    await shop.stopService();
    return await shop.get("/payments/P1");
  },
};
