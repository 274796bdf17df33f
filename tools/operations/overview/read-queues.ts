import { GetMetricDataCommand } from "@aws-sdk/client-cloudwatch";
import * as z from "zod/mini";
import { parseJson } from "../../../shared/parse-json.ts";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { openQueue, type QueueCount } from "../queues/message-queue.ts";
import { explainAwsError } from "../target/explain-error.ts";
import { keptFor, type Target, type TargetSubscriber } from "../target/target.ts";
import { keepAMinute } from "../telemetry/metric.ts";

export interface QueueNumbers extends QueueCount {
  /** Why the numbers cannot be read. */
  readonly problem?: string;
}

/** Never throws: one queue that cannot be read must not hide the others. */
export async function readQueueNumbers(
  target: Pick<Target, "clients">,
  url: string,
): Promise<QueueNumbers> {
  try {
    return await openQueue(target, url).count();
  } catch (error) {
    const problem = explainAwsError(error)?.message ?? String(error);
    return { waiting: 0, inFlight: 0, problem };
  }
}

type Ages = ReadonlyMap<string, number>;

/** What CloudWatch told, for as long as the target is in use. */
const keptAges = keptFor(() => keepAMinute<Ages>(Date.now));

/** The age of each queue's oldest message in seconds, by URL. A queue of which it is not known is left out. */
export async function readOldestSeconds(
  target: Target,
  urls: readonly string[],
  now: () => number,
): Promise<Ages> {
  if (target.endpoints === undefined) {
    return await keptAges(target)(urls.join(), () => oldestAtAws(target, urls, now));
  }
  const found = await Promise.all(urls.map((url) => oldestHere(url, now)));
  return new Map(found.flatMap((seconds, index) => entry(urls[index], seconds)));
}

function entry(url: string | undefined, seconds: number | undefined): [string, number][] {
  return url === undefined || seconds === undefined ? [] : [[url, seconds]];
}

async function oldestAtAws(
  { clients }: Target,
  urls: readonly string[],
  now: () => number,
): Promise<Ages> {
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
  const seconds = new Map(MetricDataResults.map(({ Id, Values }) => [Id, Values?.[0]]));
  return new Map(urls.flatMap((url, index) => entry(url, seconds.get(`q${index}`))));
}

const oldestSchema = z.object({ sentAtMilliseconds: z.optional(z.number()) });

async function oldestHere(url: string, now: () => number): Promise<number | undefined> {
  const read = oldestSchema.safeParse(await askEmulator(url, "oldest").catch(() => undefined));
  const sentAt = read.success ? read.data.sentAtMilliseconds : undefined;
  return sentAt === undefined ? undefined : Math.max(0, Math.round((now() - sentAt) / 1000));
}

const callMilliseconds = 10_000;

/** What only the local emulator tells of a queue (tools/local/aws/sqs). Another one in its place may give another answer. */
async function askEmulator(url: string, what: "oldest" | "messages"): Promise<unknown> {
  const address = new URL(`/queues/${queueNameOf(url)}/${what}`, url);
  const answer = await fetch(address, { signal: AbortSignal.timeout(callMilliseconds) });
  return parseJson(await answer.text());
}

function queueNameOf(url: string): string {
  return new URL(url).pathname.split("/").at(-1) ?? "";
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
 * without a receive, so that looking takes nothing away from a consumer. AWS has no such thing.
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
