import { beforeEach, expect, test, vi } from "vitest";
import { storePayment } from "../../shared/orders/end-creation.ts";
import { orderKeyOf } from "../../shared/orders/order.ts";
import { dynamodbClient } from "../local/aws-clients.ts";
import { putItem } from "./aws-stores.ts";
import { queuedPayment, queuedRefund } from "./callbacks.ts";
import { type FaultProxy, sendTo, startFaultProxy, to } from "./fault-proxy.ts";
import { deliverPending, eventsOf, makeDue, orderItem, process, subscriber } from "./flow.ts";
import type { Instance } from "./instance.ts";
import { useWorlds, type World } from "./world.ts";

/*
 * A refund that is told before anybody knows whose payment it is, to a subscriber that is down; then create-order
 * stores the payment while deliver-pending is at work. Whatever the order of their steps, nobody waits for ever.
 */

const makeWorld = useWorlds();
const paymentId = "PAY-1";
const orderNo = "A";
let world: World;
let processor: Instance;
let deliverer: Instance;

const early = () => queuedRefund(world, { paymentId, refundId: "R1", status: "refund_failed" });

beforeEach(async () => {
  world = await makeWorld();
  processor = await world.start("process-callback");
  deliverer = await world.start("deliver-pending");
  const { merchantId } = world.merchant;
  const amount = { value: "129.95", minor: "12995", currency: "EUR" };
  const order = { orderKey: orderKeyOf(merchantId, orderNo), merchantId, orderNo };
  await putItem(world.dynamodb, world.tables.orders, { ...order, expected: { amount } });
});

/** The first refund, which the subscriber cannot take, is left to deliver-pending. */
async function processEarly(): Promise<void> {
  processor.faults.fail(toBooks(), { kind: "cut" });
  expect(await process(processor, early())).toEqual([]);
  processor.faults.heal();
}

const toBooks = () => sendTo(subscriber(world, "books").queueUrl);

const creation = {
  state: "created",
  contentHash: "hash",
  leaseEndsAtMilliseconds: 0,
  startedAtMilliseconds: 0,
  expiresAtMilliseconds: 0,
  channel: "WEB",
  paymentId,
} as const;

/** As create-order does when the service has answered. */
async function store(client = world.dynamodb): Promise<void> {
  const name = { merchantId: world.merchant.merchantId, orderNo };
  await storePayment(client, world.tables.orders, name, creation);
}

const called = (faults: FaultProxy, operation: string) =>
  vi.waitFor(() => expect(faults.calls.map((call) => call.operation)).toContain(operation), 5_000);

async function expectNobodyWaits(): Promise<void> {
  await deliverPending(world, deliverer);
  await process(processor, queuedRefund(world, { paymentId, refundId: "R1" }));
  await process(processor, queuedPayment(world, { referOrderNo: orderNo }));
  for (const _ of "12") await deliverPending(world, deliverer);
  const events = await eventsOf(world, "books");
  expect(events.map(({ data }) => data.status).sort()).toEqual([
    "refund_failed",
    "refund_success",
    "success",
  ]);
  expect(await orderItem(world, orderNo)).not.toHaveProperty("behind");
}

test("the payment is stored before deliver-pending comes", async () => {
  await processEarly();
  await store();
  await expectNobodyWaits();
});

test("the payment is stored while process-callback sends: what comes next does not overtake", async () => {
  processor.faults.fail(toBooks(), { kind: "stall" });
  const processing = process(processor, early());
  await called(processor.faults, "SendMessage");
  await store();
  expect(await processing).toEqual([]);
  processor.faults.heal();
  await process(processor, queuedRefund(world, { paymentId, refundId: "R1" }));
  expect(await eventsOf(world, "books")).toEqual([]);
  for (const _ of "12") await deliverPending(world, deliverer);
  const events = await eventsOf(world, "books");
  expect(events.map(({ data }) => data.status)).toEqual(["refund_failed", "refund_success"]);
  expect(await orderItem(world, orderNo)).not.toHaveProperty("behind");
});

test("the payment is stored while deliver-pending sends", async () => {
  await processEarly();
  deliverer.faults.fail(toBooks(), { kind: "slow", milliseconds: 500 });
  await makeDue(world);
  const run = deliverer.invoke({});
  await called(deliverer.faults, "SendMessage");
  await store();
  await run;
  deliverer.faults.heal();
  await expectNobodyWaits();
});

test("deliver-pending is done between create-order's reading and its writing", async () => {
  await processEarly();
  const { protocol, hostname, port } = await world.dynamodb.config.endpoint!();
  const dynamodb = `${protocol}//${hostname}:${port}`;
  const proxy = await startFaultProxy({ sqs: "", dynamodb, secretsmanager: "" }, () => undefined);
  const slow = { kind: "slow", milliseconds: 1_000 } as const;
  const isAdoption = to("dynamodb", "TransactWriteItems");
  proxy.fail(isAdoption, slow, { skip: 1, times: 1 });
  const client = dynamodbClient(proxy.endpoint);
  const storing = store(client);
  await vi.waitFor(() => expect(proxy.calls.filter(isAdoption)).toHaveLength(2), 5_000);
  await deliverPending(world, deliverer);
  await storing;
  client.destroy();
  await proxy.stop();
  await expectNobodyWaits();
});
