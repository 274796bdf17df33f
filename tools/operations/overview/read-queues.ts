import { GetMetricDataCommand, type MetricDataResult } from "@aws-sdk/client-cloudwatch";
import * as z from "zod/mini";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { isQueueMissing, openQueue, type QueueCount } from "../queues/message-queue.ts";
import { queueNameOf } from "../queues/queue-metrics.ts";
import { explainAwsError } from "../target/explain-error.ts";
import { keptFor, type Target, type TargetSubscriber } from "../target/target.ts";
import { keepAMinute, minuteMilliseconds, minuteOf } from "../telemetry/metric.ts";

export interface QueueNumbers extends QueueCount {
  /** Why the numbers cannot be read. */
  readonly problem?: string;
  /** Somebody deleted the queue. */
  readonly isGone?: true;
}

const queueGone = "It does not exist: it was deleted.";

/** Never throws: one queue that cannot be read must not hide the others. */
export async function readQueueNumbers(
  target: Pick<Target, "clients">,
  url: string,
): Promise<QueueNumbers> {
  try {
    return await openQueue(target, url).count();
  } catch (error) {
    if (isQueueMissing(error)) return { waiting: 0, inFlight: 0, problem: queueGone, isGone: true };
    const problem = explainAwsError(error)?.message ?? String(error);
    return { waiting: 0, inFlight: 0, problem };
  }
}

export type OldestTimes = ReadonlyMap<string, number>;

/** What CloudWatch returned, kept as long as the target is in use. */
const keptTimes = keptFor(() => keepAMinute<OldestTimes>(Date.now));

/**
 * Since when each queue's oldest message waits, by URL, in milliseconds. A time, not an age: it stays the same between
 * reads. A queue without a known time is omitted.
 */
export async function readOldestTimes(
  target: Target,
  urls: readonly string[],
  now: () => number,
): Promise<OldestTimes> {
  if (target.endpoints === undefined) {
    return await keptTimes(target)(urls.join(), () => oldestAtAws(target, urls, now));
  }
  const found = await Promise.all(urls.map(oldestHere));
  return new Map(found.flatMap((time, index) => entry(urls[index], time)));
}

function entry(url: string | undefined, time: number | undefined): [string, number][] {
  return url === undefined || time === undefined ? [] : [[url, time]];
}

async function oldestAtAws(
  { clients }: Target,
  urls: readonly string[],
  now: () => number,
): Promise<OldestTimes> {
  const command = new GetMetricDataCommand({
    StartTime: new Date(now() - 10 * 60_000),
    EndTime: new Date(now()),
    ScanBy: "TimestampDescending",
    MetricDataQueries: urls.map((url, index) => ({
      Id: `q${index}`,
      MetricStat: {
        Metric: {
          Namespace: "AWS/SQS",
          MetricName: "ApproximateAgeOfOldestMessage",
          Dimensions: [{ Name: "QueueName", Value: queueNameOf(url) }],
        },
        Period: 60,
        Stat: "Maximum",
      },
    })),
  });
  const { MetricDataResults = [] } = await clients.cloudWatch.send(command);
  const times = new Map(MetricDataResults.map((result) => [result.Id, oldestIn(result)]));
  return new Map(urls.flatMap((url, index) => entry(url, times.get(`q${index}`))));
}

/** The newest age, taken off the minute that it is of. To the minute, like the metric. */
function oldestIn({ Timestamps, Values }: MetricDataResult): number | undefined {
  const [time, seconds] = [Timestamps?.[0], Values?.[0]];
  if (time === undefined || seconds === undefined) return undefined;
  return minuteOf(time.getTime() - seconds * 1000) * minuteMilliseconds;
}

const oldestSchema = z.object({ sentAtMilliseconds: z.optional(z.number()) });

async function oldestHere(url: string): Promise<number | undefined> {
  const read = oldestSchema.safeParse(await askEmulator(url, "oldest").catch(() => undefined));
  return read.success ? read.data.sentAtMilliseconds : undefined;
}

const callMilliseconds = 10_000;

/** What only the local emulator reports about a queue (tools/local/aws/sqs). Another emulator may not. */
async function askEmulator(url: string, what: "oldest" | "messages"): Promise<unknown> {
  const address = new URL(`/queues/${queueNameOf(url)}/${what}`, url);
  const answer = await fetch(address, { signal: AbortSignal.timeout(callMilliseconds) });
  return parseJson(await answer.text());
}

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

/**
 * The events in a subscriber's queue on the local stack, in the order in which they were sent. The emulator shows them
 * without a receive, so this takes nothing away from a consumer. AWS has no such call.
 */
export async function readQueuedEvents({ queueUrl }: TargetSubscriber): Promise<QueuedEvent[]> {
  const read = messagesSchema.safeParse(await askEmulator(queueUrl, "messages"));
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
