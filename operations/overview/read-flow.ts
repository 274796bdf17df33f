import { refusalMetrics } from "../../shared/receiving/callback-line.ts";
import { explainAwsError } from "../target/explain-aws-error.ts";
import type { Target, TargetSubscriber } from "../target/target.ts";
import {
  type Counted,
  type Metric,
  type Range,
  type RangeName,
  type ReadMetrics,
  ranges,
} from "../telemetry/metric.ts";
import { type QueueNumbers, readOldestSeconds, readQueueNumbers } from "./queue-numbers.ts";
import { type AttentionSummary, readAttention } from "./read-attention.ts";
import type { Refusing } from "./refusing.ts";

/** A queue with its dead letters. */
export interface QueueFlow extends QueueNumbers {
  /** Undefined if the queue is empty, or if nobody tells. */
  readonly oldestSeconds: number | undefined;
  readonly deadLetters: QueueNumbers;
}

export interface SubscriberFlow extends QueueFlow {
  readonly name: string;
  readonly ordered: boolean;
  readonly types: readonly string[];
  /** Undefined means all merchants. */
  readonly merchants: readonly string[] | undefined;
  /** What its queue refuses now, if anything. */
  readonly refusing: Refusing | undefined;
}

/** What the functions counted. */
export interface FlowCounts {
  readonly accepted: Counted;
  /** Requests that were answered 400, 401, 403 or 413. */
  readonly refused: Counted;
  /** Of these, the ones answered 401, and of those the ones that named no merchant of the stack. */
  readonly notAuthentic: Counted;
  readonly unknownMerchant: Counted;
  readonly notStored: Counted;
  readonly published: Counted;
  /** Receipts that brought no news: a known fact, or the same callback again. */
  readonly known: Counted;
  readonly givenBack: Counted;
  readonly quarantined: Counted;
  /** Receipts whose flags say that money may be wrong. Each of them rings an alarm. */
  readonly doubtful: Counted;
}

/** Where everything is on its way from the payment service to the subscribers. */
export interface Flow {
  /** Of the last hour. Undefined if the counts cannot be read; `countsProblem` says why. */
  readonly counts: FlowCounts | undefined;
  /** The same for the range that was asked for. */
  readonly charts: FlowCounts | undefined;
  readonly countsProblem: string | undefined;
  readonly inbox: QueueFlow;
  /** Undefined if it cannot be read; `attentionProblem` says why. */
  readonly attention: AttentionSummary | undefined;
  readonly attentionProblem: string | undefined;
  readonly subscribers: readonly SubscriberFlow[];
}

function receiving(name: string): Metric {
  return { service: "receive-callback", name };
}

function processing(name: string): Metric {
  return { service: "process-callback", name };
}

export interface FlowOptions {
  readonly range?: RangeName;
  readonly now?: () => number;
}

export async function readFlow(
  target: Target,
  metrics: ReadMetrics,
  { range = "1h", now = Date.now }: FlowOptions = {},
): Promise<Flow> {
  const urls = [target.inbox.url, ...target.subscribers.map(({ queueUrl }) => queueUrl)];
  const oldest = readOldestSeconds(target, urls, now).catch(() => new Map<string, number>());
  const attention = tryToRead(target);
  const [counts, inbox, found, subscribers] = await Promise.all([
    tryToCount(metrics, range),
    readQueueFlow(target, target.inbox, oldest),
    attention,
    Promise.all(target.subscribers.map((one) => readSubscriber(target, one, oldest, attention))),
  ]);
  return { ...counts, inbox, ...found, subscribers };
}

type FoundAttention = Pick<Flow, "attention" | "attentionProblem">;

/** A missing permission on the table must not hide the queues. */
async function tryToRead(target: Target): Promise<FoundAttention> {
  try {
    return { attention: await readAttention(target), attentionProblem: undefined };
  } catch (error) {
    const attentionProblem = explainAwsError(error)?.message ?? String(error);
    return { attention: undefined, attentionProblem };
  }
}

/** The same for subscribers alone, without the counts, which cost on AWS. */
export async function readSubscribers(
  target: Target,
  subscribers: readonly TargetSubscriber[],
  now: () => number = Date.now,
): Promise<readonly SubscriberFlow[]> {
  const urls = subscribers.map(({ queueUrl }) => queueUrl);
  const oldest = readOldestSeconds(target, urls, now).catch(() => new Map<string, number>());
  const attention = tryToRead(target);
  return await Promise.all(
    subscribers.map((one) => readSubscriber(target, one, oldest, attention)),
  );
}

const refusals = Object.values(refusalMetrics).map(receiving);
const repeats = ["KnownFact", "Duplicate"].map(processing);
const doubts = ["DuplicatePayment", "Mismatch", "Conflict"].map(processing);
const singles = {
  accepted: receiving("Accepted"),
  notAuthentic: receiving(refusalMetrics["not-authentic"]),
  unknownMerchant: receiving("UnknownMerchant"),
  notStored: receiving("NotStored"),
  published: processing("Published"),
  givenBack: processing("GivenBack"),
  quarantined: processing("Quarantined"),
};

/** Without counts the queues still tell something. */
async function tryToCount(
  metrics: ReadMetrics,
  range: RangeName,
): Promise<Pick<Flow, "counts" | "charts" | "countsProblem">> {
  try {
    const counts = await readCounts(metrics, ranges["1h"]);
    const charts = range === "1h" ? counts : await readCounts(metrics, ranges[range]);
    return { counts, charts, countsProblem: undefined };
  } catch (error) {
    const countsProblem = explainAwsError(error)?.message ?? String(error);
    return { counts: undefined, charts: undefined, countsProblem };
  }
}

async function readCounts(metrics: ReadMetrics, range: Range): Promise<FlowCounts> {
  const wanted = [...refusals, ...repeats, ...doubts, ...Object.values(singles)];
  const count = await metrics(wanted, range);
  return {
    accepted: count(singles.accepted),
    refused: count(...refusals),
    notAuthentic: count(singles.notAuthentic),
    unknownMerchant: count(singles.unknownMerchant),
    notStored: count(singles.notStored),
    published: count(singles.published),
    known: count(...repeats),
    givenBack: count(singles.givenBack),
    quarantined: count(singles.quarantined),
    doubtful: count(...doubts),
  };
}

async function readQueueFlow(
  target: Target,
  { url, deadLettersUrl }: { readonly url: string; readonly deadLettersUrl: string },
  oldest: Promise<ReadonlyMap<string, number>>,
): Promise<QueueFlow> {
  const [numbers, deadLetters, ages] = await Promise.all([
    readQueueNumbers(target, url),
    readQueueNumbers(target, deadLettersUrl),
    oldest,
  ]);
  const isEmpty = numbers.waiting + numbers.inFlight === 0;
  return { ...numbers, deadLetters, oldestSeconds: isEmpty ? undefined : ages.get(url) };
}

async function readSubscriber(
  target: Target,
  { name, ordered, types, merchants, queueUrl: url, deadLettersUrl }: TargetSubscriber,
  oldest: Promise<ReadonlyMap<string, number>>,
  attention: Promise<FoundAttention>,
): Promise<SubscriberFlow> {
  const flow = await readQueueFlow(target, { url, deadLettersUrl }, oldest);
  const refusing = (await attention).attention?.subscribers[name];
  return { name, ordered, types, merchants, ...flow, refusing };
}
