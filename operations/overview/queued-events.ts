import * as z from "zod/mini";
import { parseJson } from "../../shared/parse-json.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import type { TargetSubscriber } from "../target/target.ts";
import { queueNameOf } from "./queue-numbers.ts";

/** An event that lies in a subscriber's queue. */
export interface QueuedEvent {
  readonly eventId: string;
  readonly type: string;
  readonly orderNo: string | undefined;
  readonly origin: string;
  readonly sequence: number;
}

const messagesSchema = z.array(z.object({ body: z.string() }));
const eventSchema = z.object({
  id: z.string(),
  type: z.string(),
  subject: z.optional(z.string()),
  origin: z.string(),
  sequence: z.string(),
});

const callMilliseconds = 10_000;

/**
 * The events in a subscriber's queue on the local stack, in the order in which they were sent. The emulator shows them
 * without a receive, so that looking takes nothing away from a consumer. AWS has no such thing.
 */
export async function readQueuedEvents({ queueUrl }: TargetSubscriber): Promise<QueuedEvent[]> {
  const address = new URL(`/queues/${queueNameOf(queueUrl)}/messages`, queueUrl);
  const answer = await fetch(address, { signal: AbortSignal.timeout(callMilliseconds) });
  const read = messagesSchema.safeParse(parseJson(await answer.text()));
  if (read.success) return read.data.flatMap(({ body }) => readEvent(body));
  const message = "The SQS emulator does not show the messages of this queue.";
  throw new PaycastError("local-queue-hidden", message);
}

/** A developer may have put something else into a local queue. */
function readEvent(body: string): QueuedEvent[] {
  const read = eventSchema.safeParse(parseJson(body));
  if (!read.success) return [];
  const { id: eventId, type, subject: orderNo, origin, sequence } = read.data;
  return [{ eventId, type, orderNo, origin, sequence: Number(sequence) }];
}
