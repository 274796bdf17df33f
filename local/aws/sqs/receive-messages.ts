import * as z from "zod";
import { toReceived } from "./message.ts";
import { held, type Queue, receive } from "./queue.ts";
import { findByArn, type QueueStore } from "./queue-store.ts";

const names = z.array(z.string()).default([]);

export const receiveSchema = z.object({
  MaxNumberOfMessages: z.coerce.number().int().min(1).max(10).default(1),
  VisibilityTimeout: z.coerce.number().int().min(0).max(43_200).optional(),
  WaitTimeSeconds: z.coerce.number().int().min(0).max(20).optional(),
  AttributeNames: names,
  MessageSystemAttributeNames: names,
  MessageAttributeNames: names,
});
type Receive = z.output<typeof receiveSchema>;

/** Waits for the first message if the call or the queue says so. A caller that has gone gets nothing. */
export async function receiveMessages(
  store: QueueStore,
  queue: Queue,
  input: Receive,
  gone: AbortSignal,
): Promise<object> {
  const { attributes, name } = queue;
  store.tell.received(name);
  const waitSeconds = input.WaitTimeSeconds ?? Number(attributes.ReceiveMessageWaitTimeSeconds);
  const endsAt = performance.now() + waitSeconds * 1_000;
  while (!gone.aborted) {
    const received = receive(queue, {
      most: input.MaxNumberOfMessages,
      visibilitySeconds: input.VisibilityTimeout ?? Number(attributes.VisibilityTimeout),
      now: store.now(),
      findByArn: (arn) => findByArn(store, arn),
      buried: ({ body }) => store.tell.buried(name, body),
    });
    if (received.length > 0)
      return { Messages: received.map((one) => toReceived(one, wantedBy(input))) };
    const left = endsAt - performance.now();
    if (left <= 0) return {};
    await change(queue, Math.min(left, untilNextVisible(queue, store.now())), gone);
  }
  return {};
}

function wantedBy(input: Receive) {
  const systemAttributes = [...input.AttributeNames, ...input.MessageSystemAttributeNames];
  return { systemAttributes, attributes: input.MessageAttributeNames };
}

function untilNextVisible(queue: Queue, now: number): number {
  const times = held(queue, now).map(({ visibleAtMilliseconds }) => visibleAtMilliseconds - now);
  return times.reduce((least, time) => (time > 0 ? Math.min(least, time) : least), Infinity);
}

/** Resolves when the queue changed, or the time has passed, or nobody waits any more. */
async function change({ waiting }: Queue, milliseconds: number, gone: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(goOn, milliseconds);
    function goOn() {
      clearTimeout(timer);
      waiting.delete(goOn);
      gone.removeEventListener("abort", goOn);
      resolve();
    }
    waiting.add(goOn);
    gone.addEventListener("abort", goOn);
  });
}
