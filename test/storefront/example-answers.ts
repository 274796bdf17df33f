import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import { callbackRequests, orderRequests } from "../../docs/openapi/examples.ts";
import { randomName } from "../integration/aws-stores.ts";
import { to } from "../integration/fault-proxy.ts";
import { callbackVectors, keyPairs } from "../vectors/vectors.ts";
import type { Answer, Shop } from "./shop.ts";

/** What has to happen for an answer to be the one of the example. */
export type Situation = (shop: Shop) => Promise<Answer>;

const order = orderRequests.minimal;
const { orderNo } = order.order;

async function paymentOf(answer: Promise<Answer>): Promise<string> {
  return String((await answer).body["paymentId"]);
}

async function lostButPaid(shop: Shop): Promise<void> {
  shop.simulator.addFault({ kind: "reset-connections", when: "after", times: 1 });
  await shop.create(order);
  await shop.pay(shop.simulator.orders()[0]!.paymentId);
}

async function refunded(shop: Shop): Promise<void> {
  const paymentId = await paymentOf(shop.create(order));
  await shop.pay(paymentId);
  shop.simulator.refund(paymentId, { amount: "4.10", referRefundNo: "RMA-881" });
  shop.simulator.stepClock(2);
  await shop.simulator.settled();
  await shop.pump();
}

const cutTable = { kind: "cut" } as const;

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
  "409 order-exists": async (shop) => {
    await lostButPaid(shop);
    return await shop.create(order);
  },
  "409 order-in-progress": async (shop) => {
    const { faults } = await shop.creator();
    faults.fail(to("dynamodb", "UpdateItem"), { kind: "die-after" });
    await shop.create(order);
    await shop.replace("create-order");
    return await shop.create(order);
  },
  "413 body-too-large": (shop) => shop.create(`${JSON.stringify(order)}${" ".repeat(256 * 1024)}`),
  "422 service-refused": (shop) => {
    const [code, msg] = [40902, "orderNo was used before"];
    shop.simulator.addFault({ kind: "refuse-creates", code, msg });
    return shop.create(order);
  },
  "503 service-unreachable": async (shop) => {
    await shop.simulator.stop();
    return await shop.create(order);
  },
  "503 unavailable": async (shop) => {
    (await shop.creator()).faults.fail(to("dynamodb"), cutTable);
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
    (await shop.querier()).faults.fail(to("dynamodb"), cutTable);
    return await shop.get(path);
  },
});

export const askingForOrders: Record<string, Situation> = {
  ...asking(`/orders/${orderNo}`),
  "200 pending": async (shop) => {
    await shop.create(order);
    return await shop.get(`/orders/${orderNo}`);
  },
  "200 stale": async (shop) => {
    await shop.create(order);
    await shop.simulator.stop();
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

export const askingForPayments: Record<string, Situation> = {
  ...asking("/payments/P1"),
  "200 paid": async (shop) => {
    const paymentId = await paymentOf(shop.create(order));
    await shop.pay(paymentId);
    return await shop.get(`/payments/${paymentId}`);
  },
  "404 payment-unknown": (shop) => shop.get("/payments/P1"),
  "503 service-unreachable": async (shop) => {
    await shop.simulator.stop();
    return await shop.get("/payments/P1");
  },
};

/** POST /callbacks with the keys and at the time of the example. */
async function receive(shop: Shop, body: string, inboxIsDown = false): Promise<Answer> {
  const vector = callbackVectors.find(
    ({ envelope }) => envelope["sign"] === callbackRequests.paid.sign,
  )!;
  const servicePublicKey = keyPairs[vector.publicKey]!.public.spkiPem;
  const Name = randomName("callback-keys");
  const SecretString = JSON.stringify({ aesKey: vector.aesKey, servicePublicKey });
  await shop.world.secrets.send(new CreateSecretCommand({ Name, SecretString }));
  const CALLBACK_KEYS = JSON.stringify({ [callbackRequests.paid.merchantId]: Name });
  const receiver = await shop.start("receive-callback", { CALLBACK_KEYS });
  receiver.advance(callbackRequests.paid.timestamp - Date.now());
  if (inboxIsDown) receiver.faults.fail(to("sqs"), cutTable);
  const outcome = await receiver.invoke({ body, isBase64Encoded: false });
  if (outcome.kind !== "returned") throw new Error("no answer");
  const answer = outcome.value as {
    statusCode: number;
    headers: Record<string, string>;
    body: string;
  };
  const headers = new Headers(answer.headers);
  return { status: answer.statusCode, headers, body: JSON.parse(answer.body) };
}

const callback = JSON.stringify(callbackRequests.paid);

export const receiving: Record<string, Situation> = {
  "200 stored": (shop) => receive(shop, callback),
  "400 not-an-envelope": (shop) => receive(shop, "{}"),
  "401 not-authentic": (shop) => receive(shop, callback.replace("order.success", "order.failed")),
  "413 too-large": (shop) => receive(shop, `${callback}${" ".repeat(256 * 1024)}`),
  "503 not-stored": (shop) => receive(shop, callback, true),
};
