import * as z from "zod";
import { type Message, toReceived } from "./message.ts";
import { append, available, held, isFifo, type Queue } from "./queue.ts";
import { acceptsLettersOf, redriveOf } from "./queue-attributes.ts";
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

/** Waits for the first message if the call or the queue says so. A disconnected caller gets nothing. */
export async function receiveMessages(
  store: QueueStore,
  queue: Queue,
  input: Receive,
  gone: AbortSignal,
): Promise<object> {
  const { attributes, name } = queue;
  store.tell.received(name);
  const waitSeconds = input.WaitTimeSeconds ?? Number(attributes.ReceiveMessageWaitTimeSeconds);
  const visibilitySeconds = input.VisibilityTimeout ?? Number(attributes.VisibilityTimeout);
  const endsAt = performance.now() + waitSeconds * 1_000;
  while (!gone.aborted) {
    const taken = take(store, queue, input.MaxNumberOfMessages, visibilitySeconds);
    if (taken.length > 0) {
      store.lastGivenAt = performance.now();
      queue.counted.received += taken.length;
      return { Messages: taken.map((message) => toReceived(message, wantedBy(input))) };
    }
    const remaining = endsAt - performance.now();
    if (remaining <= 0) break;
    await change(queue, Math.min(remaining, untilNextVisible(queue, store.now())), gone);
  }
  queue.counted.emptyReceives += 1;
  return {};
}

function wantedBy(input: Receive) {
  const systemAttributes = [...input.AttributeNames, ...input.MessageSystemAttributeNames];
  return { systemAttributes, attributes: input.MessageAttributeNames };
}

/** A message that was received as often as the redrive policy allows moves to the dead-letter queue instead. */
function take(store: QueueStore, queue: Queue, most: number, visibilitySeconds: number): Message[] {
  const now = store.now();
  const redrive = redriveOf(queue.attributes);
  const deadLetters = deadLettersOf(store, queue);
  const mostReceives = redrive?.maxReceiveCount ?? Infinity;
  const taken: Message[] = [];
  for (const message of available(queue, now)) {
    if (taken.length >= most) break;
    if (deadLetters !== undefined && message.receiveCount >= mostReceives) {
      bury(message, queue, deadLetters, now);
      store.tell.buried(queue.name, message.body);
      continue;
    }
    message.receiveCount += 1;
    message.firstReceivedAtMilliseconds ??= now;
    message.visibleAtMilliseconds = now + visibilitySeconds * 1_000;
    taken.push(message);
  }
  return taken;
}

/**
 * A queue may name a dead-letter queue that does not exist yet, so its policy is checked again here. If it does not
 * accept the message, the message stays in its queue.
 */
function deadLettersOf(store: QueueStore, { arn, attributes }: Queue): Queue | undefined {
  const deadLetters = findByArn(store, redriveOf(attributes)?.deadLetterTargetArn ?? "");
  const accepts = deadLetters && acceptsLettersOf(deadLetters.attributes, arn);
  return accepts ? deadLetters : undefined;
}

/**
 * A dead letter keeps its id and its receive count. Only a FIFO queue resets its age, and uses the message's id as the
 * deduplication id.
 */
function bury(message: Message, queue: Queue, deadLetters: Queue, now: number): void {
  queue.messages.delete(message.id);
  const anew = isFifo(deadLetters) && { sentAtMilliseconds: now, deduplicationId: message.id };
  const letter = { ...message, ...anew, deadLetterSourceArn: queue.arn };
  append(deadLetters, letter, message.id);
}

/** The time until the next message of the queue becomes visible. Infinity if there is none. */
export function untilNextVisible(queue: Queue, now: number): number {
  const times = held(queue, now).map(({ visibleAtMilliseconds }) => visibleAtMilliseconds - now);
  return times.reduce((least, time) => (time > 0 ? Math.min(least, time) : least), Infinity);
}

/** Resolves when the queue changes, the time has passed, or the caller has disconnected. */
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
