import { capturedMessageSchema } from "../../shared/receiving/captured-message.ts";
import { makeMerchant, merchantPair } from "../builders/merchant.ts";
import { createQueue, drain, randomName } from "./aws-stores.ts";
import { type Fields, paymentCallback } from "./callbacks.ts";
import { sendTo } from "./fault-proxy.ts";
import type { Instance } from "./instance.ts";
import { httpEvent } from "./lambda-events.ts";
import type { World } from "./world.ts";

/** A receiver that captures into a queue of its own, for an hour from now. */
export async function startCapturing(
  world: World,
  environment: Readonly<Record<string, string>> = {},
) {
  const queueUrl = await createQueue(world.sqs, randomName("captured"), true);
  const variables = {
    CAPTURED_QUEUE_URL: queueUrl,
    CAPTURE_UNTIL_MILLISECONDS: String(Date.now() + 3_600_000),
    ...environment,
  };
  const receiver = await world.start("receive-callback", variables);
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

/** Refuses again while the queue is slower than the answer waits for it, as it may be on a busy machine. */
export async function untilCaptured<Answer>(
  { lines }: Instance,
  refuse: () => Promise<Answer>,
): Promise<Answer> {
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await refuse();
    if (lines.at(-1)?.includes('"captured"')) return answer;
  }
  throw new Error("nothing was captured");
}

export async function captured(world: World, queueUrl: string) {
  const messages = await drain(world.sqs, queueUrl);
  return messages.map(({ Body }) => capturedMessageSchema.parse(JSON.parse(Body!)));
}
