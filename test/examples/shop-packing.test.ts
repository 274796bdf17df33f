import { randomUUID } from "node:crypto";
import { CreateQueueCommand, SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createMemory } from "../../examples/shop/memory.ts";
import { packOrders } from "../../examples/shop/pack-orders.ts";
import { startSqs } from "../../local/aws/sqs/start-sqs.ts";
import { testEvent } from "../../shared/consumer/test-events.ts";
import { until } from "../end-to-end/running-stack.ts";
import { sqsClient } from "../local/aws/aws-clients.ts";
import { guideFlags } from "./guide-flags.ts";

describe("the shop", () => {
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
        ...{ QueueUrl: queueUrl, MessageBody: JSON.stringify(event) },
        ...{ MessageGroupId: orderNo, MessageDeduplicationId: randomUUID() },
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
