import { GetMetricDataCommand } from "@aws-sdk/client-cloudwatch";
import * as z from "zod/mini";
import { parseJson } from "../../shared/parse-json.ts";
import { openQueue, type QueueCount } from "../dead-letters/message-queue.ts";
import { explainAwsError } from "../target/explain-error.ts";
import { keptFor, type Target } from "../target/target.ts";
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

const callMilliseconds = 10_000;
const oldestSchema = z.object({ sentAtMilliseconds: z.optional(z.number()) });

/** The local emulator tells it (local/aws/sqs); another one in its place does not. */
async function oldestHere(url: string, now: () => number): Promise<number | undefined> {
  const address = new URL(`/queues/${queueNameOf(url)}/oldest`, url);
  const answer = await fetch(address, { signal: AbortSignal.timeout(callMilliseconds) }).catch(
    () => undefined,
  );
  const read = oldestSchema.safeParse(parseJson((await answer?.text()) ?? ""));
  const sentAt = read.success ? read.data.sentAtMilliseconds : undefined;
  return sentAt === undefined ? undefined : Math.max(0, Math.round((now() - sentAt) / 1000));
}

export function queueNameOf(url: string): string {
  return new URL(url).pathname.split("/").at(-1) ?? "";
}
