import { randomUUID } from "node:crypto";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { expect } from "vitest";
import { orderResult } from "../../../builders/callback.ts";
import { until } from "../../../end-to-end/running-stack.ts";
import { createCallbackSender } from "../../../runbook/causes.ts";
import type { OperatedStack } from "../operated-stack.ts";

const merchantId = "shop-1";

/** Uses everything that the functions can do, so that the stack calls everything that their roles allow. */
export async function takeEveryFlow(operated: OperatedStack): Promise<void> {
  await payAndRefund(operated);
  await loseCallbacks(operated);
  await shortenNumber(operated);
  await sendForeignMessages(operated);
  await refuseCallback(operated);
  expect((await operated.paycast("smoke", "--yes")).code).toBe(0);
  await redriveQuarantined(operated);
  await leaveUnresolved(operated);
}

async function payAndRefund({ paidOrder, shop }: OperatedStack): Promise<void> {
  const paymentId = await paidOrder("FLOW-PAID");
  await shop().act(paymentId, "refund");
  await shop().step(60);
  await until("the refund to be recorded", async () => {
    const { order } = await shop().get("FLOW-PAID");
    return order.refunds?.length > 0 ? true : undefined;
  });
}

/** query-order finds the first, reconcile-orders the second. */
async function loseCallbacks({ shop, untilStored }: OperatedStack): Promise<void> {
  for (const orderNo of ["FLOW-ASKED", "FLOW-DUE"]) {
    const { body } = await shop().create(orderNo);
    await shop().fault("lose", orderNo);
    await shop().act(body.paymentId, "pay");
  }
  expect((await shop().get("FLOW-ASKED")).order.status).toBe("success");
  await untilStored("FLOW-ASKED", "success");
  await shop().step(40 * 60);
  await untilStored("FLOW-DUE", "success");
  await shop().control("DELETE", "/faults");
}

/** create-order makes a notice. */
async function shortenNumber({ shop }: OperatedStack): Promise<void> {
  const orderNo = `FLOW-${"0123456789".repeat(4)}`;
  await shop().fault("short-numbers", orderNo);
  expect((await shop().create(orderNo)).status).toBe(201);
  await shop().control("DELETE", "/faults");
}

/** One goes to the dead letters at once. The other may have a stamp key that is not known yet, and is returned. */
async function sendForeignMessages({ target, clients }: OperatedStack): Promise<void> {
  const { inbox } = target().queues;
  const unknownStamp = { version: 1, stampKey: randomUUID(), stamp: "00", message: "{}" };
  for (const MessageBody of ["not ours", JSON.stringify(unknownStamp)]) {
    const ids = { MessageGroupId: randomUUID(), MessageDeduplicationId: randomUUID() };
    await clients().sqs.send(new SendMessageCommand({ QueueUrl: inbox.url, MessageBody, ...ids }));
  }
}

/** It is captured. */
async function refuseCallback(operated: OperatedStack): Promise<void> {
  const profile = { signatureHash: "SHA-512" } as const;
  const sent = { profile, nowMilliseconds: operated.target().clock.now() };
  const send = createCallbackSender(operated, merchantId);
  expect(await send(orderResult({ merchantId, referOrderNo: "FLOW-FORGED" }), sent)).toBe(401);
}

/** process-callback reads the record that a redrive names. */
async function redriveQuarantined(operated: OperatedStack): Promise<void> {
  const result = orderResult({ merchantId, referOrderNo: "FLOW-ODD", paymentAmount: "many" });
  const send = createCallbackSender(operated, merchantId);
  expect(await send(result, { nowMilliseconds: operated.target().clock.now() })).toBe(200);
  const id = await until("the callback to be quarantined", async () => {
    const { items } = await operated.paycastJson("attention", "list");
    return items.find(({ kind }: { kind: string }) => kind === "quarantined")?.id;
  });
  await operated.paycast("attention", "redrive", id, "--yes");
}

/** After nine days without a usable answer, reconcile-orders makes a notice. Meanwhile count-attention runs. */
async function leaveUnresolved({ shop, paycastJson }: OperatedStack): Promise<void> {
  await shop().create("FLOW-UNRESOLVED");
  await shop().fault("lose", "FLOW-UNRESOLVED");
  await shop().fault("broken-answer", "FLOW-UNRESOLVED");
  await shop().step(12 * 86_400);
  await until("the order to be unresolved", async () => {
    const { items } = await paycastJson("attention", "list");
    return items.find(({ kind }: { kind: string }) => kind === "unresolved");
  });
}
