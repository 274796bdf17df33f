import * as z from "zod/mini";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { explainAwsError } from "../explain-error.ts";
import { available } from "../ports/available.ts";
import { isQueueMissing, type QueueCount, type StackSubscriber } from "../ports/queues.ts";
import type { Target } from "../ports/target.ts";

export interface QueueNumbers extends QueueCount {
  /** Why the numbers cannot be read. */
  readonly problem?: string;
  /** Somebody deleted the queue. */
  readonly isGone?: true;
}

const queueGone = "It does not exist: it was deleted.";

/** Never throws: one queue that cannot be read must not hide the others. */
export async function readQueueNumbers(
  target: Pick<Target, "queues">,
  url: string,
): Promise<QueueNumbers> {
  try {
    return await target.queues.open(url).count();
  } catch (error) {
    if (isQueueMissing(error)) return { waiting: 0, inFlight: 0, problem: queueGone, isGone: true };
    const problem = explainAwsError(error)?.message ?? String(error);
    return { waiting: 0, inFlight: 0, problem };
  }
}

/** An event that lies in a subscriber's queue. */
export interface QueuedEvent {
  readonly eventId: string;
  readonly type: string;
  readonly orderNo: string | undefined;
  readonly origin: string;
  readonly sequence: number;
}

const eventSchema = z.object({
  id: z.string(),
  type: z.string(),
  subject: z.optional(z.string()),
  origin: z.string(),
  sequence: z.string(),
});

/** The events in a subscriber's queue on the local stack, in the order in which they were sent. */
export async function readQueuedEvents(
  { queues }: Pick<Target, "queues">,
  { queueUrl }: StackSubscriber,
): Promise<QueuedEvent[]> {
  return (await available(queues.peek)(queueUrl)).flatMap(readEvent);
}

/** A developer may have put something else into a local queue. */
function readEvent(body: string): QueuedEvent[] {
  const read = eventSchema.safeParse(parseJson(body));
  if (!read.success) return [];
  const { id: eventId, type, subject: orderNo, origin, sequence } = read.data;
  return [{ eventId, type, orderNo, origin, sequence: Number(sequence) }];
}
