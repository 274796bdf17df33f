import { randomUUID } from "node:crypto";
import { CreateQueueCommand, SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createMemory } from "../../examples/shop/memory.ts";
import { packOrders } from "../../examples/shop/pack-orders.ts";
import { type Pay, payAgain } from "../../examples/shop/pay.ts";
import type { NewOrder, PaidOrder } from "../../examples/shop/paycast-api.ts";
import { testEvent } from "../../shared/consumer/test-events.ts";
import { startSqs } from "../../tools/local/aws/sqs/start-sqs.ts";
import { until } from "../end-to-end/running-stack.ts";
import { sqsClient } from "../tools/local/aws/aws-clients.ts";
import { guideFlags } from "./guide-flags.ts";

describe("the packing table", () => {
  let server: Awaited<ReturnType<typeof startSqs>>;
  let sqs: SQSClient;
  let queueUrl: string;
  const memory = createMemory();
  const lines: string[] = [];
  const stopping = new AbortController();
  let packing: Promise<void>;

  beforeAll(async () => {
    server = await startSqs();
    sqs = sqsClient(server.endpoint);
    const Attributes = { FifoQueue: "true" };
    const create = new CreateQueueCommand({ QueueName: "shop.fifo", Attributes });
    queueUrl = (await sqs.send(create)).QueueUrl!;
    const tell = (line: string) => void lines.push(line);
    packing = packOrders({ sqs, queueUrl, memory, tell, stopped: stopping.signal });
  });
  afterAll(async () => {
    stopping.abort();
    await packing;
    await server.stop();
  });

  /** What the shop says about a payment of an order of its own, with this flag. */
  async function packPaid(flag: string): Promise<string> {
    memory.changeBasket(flag, "sencha", 1);
    const { orderNos } = memory.purchaseOf(flag, memory.basketOf(flag).id)!;
    const orderNo = orderNos[0]!;
    const event = testEvent("payment.order.success", { orderNo, flags: [flag] });
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: JSON.stringify(event),
        MessageGroupId: orderNo,
        MessageDeduplicationId: randomUUID(),
      }),
    );
    const line = await until("the shop's line", () => lines.find((one) => one.includes(orderNo)));
    return line.replace(orderNo, "IT");
  }

  test.each(guideFlags.stopping)(
    "does not pack a payment that a person must look at: %s",
    async (flag) => {
      expect(await packPaid(flag)).toMatch(/^do not pack IT: .+\.$/);
    },
  );

  test.each(guideFlags.others)("packs a payment with the flag %s", async (flag) => {
    expect(await packPaid(flag)).toBe("pack 1 × Sencha for IT");
  });
});

const pending: PaidOrder = {
  status: "pending",
  stale: false,
  refunds: [],
  flags: [],
  checkoutUrl: "https://pay.example/checkout",
};
const older: PaidOrder = { ...pending, stale: true };
const expired: PaidOrder = { ...pending, status: "timeout" };

/** A shop with one order. Paycast, a double here, gives these answers about it, and the last one from then on. */
function makeShop(answers: readonly [PaidOrder, ...PaidOrder[]]) {
  const left = [...answers];
  const created: string[] = [];
  const memory = createMemory();
  memory.changeBasket("visitor", "sencha", 1);
  const [orderNo = ""] =
    memory.purchaseOf("visitor", memory.basketOf("visitor").id)?.orderNos ?? [];
  memory.noteCreated(orderNo);
  const api = {
    createOrder: async ({ order }: NewOrder) => {
      created.push(order.orderNo);
      return pending;
    },
    readOrder: async () => (left.length > 1 ? left.shift() : left[0]),
  };
  const deps: Pay = { api, memory, address: "", tell: () => {}, creating: new Map() };
  return { orderNo, created, again: () => payAgain(orderNo, deps) };
}

test("a customer who orders again before the end of the order is stored gets the next number", async () => {
  const { orderNo, created, again } = makeShop([older, expired]);
  expect(await again()).toBe(pending.checkoutUrl);
  expect(created).toEqual([`${orderNo}-2`]);
});

test("while Paycast cannot be sure of the end, an order keeps its number: nobody pays twice", async () => {
  const { orderNo, created, again } = makeShop([older]);
  await again();
  expect(created).toEqual([orderNo]);
});
