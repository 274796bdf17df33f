import { capturedMessageSchema } from "../../shared/receiving/captured-message.ts";
import { makeMerchant, merchantPair } from "../builders/merchant.ts";
import { createQueue, drain, randomName } from "./aws-stores.ts";
import { type Fields, paymentCallback } from "./callbacks.ts";
import { type FaultProxy, sendTo } from "./fault-proxy.ts";
import { waitUntil } from "./flow.ts";
import type { Instance } from "./instance.ts";
import { httpEvent } from "./lambda-events.ts";
import type { World } from "./world.ts";

/** A receiver that captures into a queue of its own, for an hour from now. */
export async function startCapturing(
  world: World,
  environment: Readonly<Record<string, string>> = {},
  prepare?: (faults: FaultProxy) => void,
) {
  const queueUrl = await createQueue(world.sqs, randomName("captured"), true);
  const variables = {
    CAPTURED_QUEUE_URL: queueUrl,
    CAPTURE_UNTIL_MILLISECONDS: String(Date.now() + 3_600_000),
    ...environment,
  };
  const receiver = await world.start("receive-callback", variables, prepare);
  return { queueUrl, receiver, variables };
}

/** A callback of the world's merchant that somebody else signed. */
export function forgedCallback(world: World, result: Fields = {}): Fields {
  const { merchantId } = world.merchant;
  const forger = makeMerchant({ merchantId, servicePair: merchantPair() });
  const envelope = paymentCallback({ ...world, merchant: forger }, result);
  return { ...envelope, body: paymentCallback(world, result)["body"] };
}

export function eventFrom(sourceIp: string, body: string): object {
  const event: Record<string, unknown> = { ...httpEvent(body) };
  return { ...event, requestContext: { http: { sourceIp } } };
}

/** How many sends to the queue the instance has begun. */
export function sendsBy({ faults }: Instance, queueUrl: string): number {
  return faults.calls.filter(sendTo(queueUrl)).length;
}

/** Waits until the instance has said of so many envelopes whether they were captured. */
export async function waitForCaptures({ lines }: Instance, count: number): Promise<void> {
  const ended = () => lines.filter((line) => line.includes('captured"')).length;
  await waitUntil(async () => ended() >= count);
}

export async function captured(world: World, queueUrl: string) {
  const messages = await drain(world.sqs, queueUrl);
  return messages.map(({ Body }) => capturedMessageSchema.parse(JSON.parse(Body!)));
}
