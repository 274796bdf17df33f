import { counted, wholeSeconds } from "../../../shared/text/number-text.ts";
import { lateText } from "../overview/flow-stages.ts";
import { waitingSince, waitOf } from "../overview/read-flow.ts";
import { isAvailable } from "../ports/available.ts";
import {
  countIn,
  type OldestTimes,
  type QueueAttributes,
  type StackSubscriber,
} from "../ports/queues.ts";
import type { Target } from "../ports/target.ts";
import { stackOption } from "../stack-option.ts";
import { type Check, faultsOr, problem, type Verdict } from "./finding.ts";
import { missingQueue, missingSubscriberQueue } from "./missing-queue.ts";

interface CheckedQueue {
  readonly name: string;
  readonly url: string;
  /** What to do if the queue is not empty. */
  readonly whenNotEmpty?: string;
  /** Whose events go to it. */
  readonly subscriber?: StackSubscriber;
}

export function queueChecks(target: Pick<Target, "stack" | "queues">): readonly Check[] {
  return checkedQueues(target).map((queue) => ({
    name: queue.name,
    run: (on) => checkQueue(on, queue),
  }));
}

function checkedQueues(target: Pick<Target, "stack" | "queues">): readonly CheckedQueue[] {
  const { inbox, subscribers, captured } = target.queues;
  const { smoke } = target.stack;
  return [
    deadLettersOf(target, "the inbox", "inbox", inbox.deadLettersUrl),
    { name: "inbox", url: inbox.url },
    ...subscribers.flatMap((subscriber) => {
      const { name, queueUrl, deadLettersUrl } = subscriber;
      return [
        deadLettersOf(target, name, name, deadLettersUrl),
        { name: `queue of ${name}`, url: queueUrl, subscriber },
      ];
    }),
    ...(isAvailable(smoke) ? [{ name: "queue of smoke tests", url: smoke.queueUrl }] : []),
    ...(isAvailable(captured) ? [{ name: "queue of captured callbacks", url: captured.url }] : []),
  ];
}

function deadLettersOf(
  target: Pick<Target, "stack">,
  owner: string,
  word: string,
  url: string,
): CheckedQueue {
  const whenNotEmpty = `List them: npx paycast dead-letters list ${word}${stackOption(target.stack)}`;
  return { name: `dead letters of ${owner}`, url, whenNotEmpty };
}

async function checkQueue(
  target: Pick<Target, "stack" | "queues" | "clock">,
  queue: CheckedQueue,
): Promise<readonly Verdict[]> {
  const { url, subscriber } = queue;
  const attributes = await target.queues.open(url).attributes();
  if (attributes === undefined) {
    return [
      subscriber === undefined ? missingQueue(target) : missingSubscriberQueue(target, subscriber),
    ];
  }
  const faults = [...lettersIn(attributes, queue), ...(await lateIn(target, queue, attributes))];
  return faultsOr(faults, summaryOf(attributes, queue));
}

function lettersIn(
  attributes: QueueAttributes,
  { whenNotEmpty }: CheckedQueue,
): readonly Verdict[] {
  const count = messagesIn(attributes);
  if (whenNotEmpty === undefined || count === 0) return [];
  const message = count === 1 ? "1 message needs attention." : `${count} messages need attention.`;
  return [problem(message, whenNotEmpty)];
}

/** A queue that nobody reads. */
async function lateIn(
  target: Pick<Target, "queues" | "clock">,
  { subscriber, url }: CheckedQueue,
  attributes: QueueAttributes,
): Promise<readonly Verdict[]> {
  if (subscriber === undefined || messagesIn(attributes) === 0) return [];
  const times = await target.queues.oldestTimes([url]).catch((): OldestTimes => new Map());
  const wait = waitOf(subscriber, waitingSince(times.get(url), target.clock.now()));
  const text = lateText({ ...countIn(attributes), ...wait }, wholeSeconds);
  return text === undefined ? [] : [problem(text, lateAction(subscriber))];
}

function lateAction({ name }: StackSubscriber): string {
  return `Check whether the consumer of ${name} runs, and read its log. Its events stay in the queue for 14 days.`;
}

/** Includes messages that a consumer is reading. */
function messagesIn(attributes: QueueAttributes): number {
  const { waiting, inFlight } = countIn(attributes);
  return waiting + inFlight;
}

function summaryOf(attributes: QueueAttributes, { whenNotEmpty }: CheckedQueue): string {
  const kind = attributes["FifoQueue"] === "true" ? "FIFO" : "standard";
  const holds = whenNotEmpty === undefined ? counted(messagesIn(attributes), "message") : "empty";
  return `${kind}, ${holds}`;
}
