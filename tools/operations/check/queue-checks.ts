import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { counted, wholeSeconds } from "../../../shared/text/number-text.ts";
import { lateText } from "../overview/flow-stages.ts";
import { waitingSince, waitOf } from "../overview/read-flow.ts";
import { type OldestTimes, readOldestTimes } from "../overview/read-queues.ts";
import { countIn, isQueueMissing } from "../queues/message-queue.ts";
import { stackOption } from "../target/stack-option.ts";
import type { Target, TargetSubscriber } from "../target/target.ts";
import { readStackTemplate, type StackTemplate } from "../template/stack-template.ts";
import { missingQueue, queueFaults } from "./compare-queue.ts";
import { type Check, faultsOr, ok, problem, type Verdict, warning } from "./finding.ts";
import { lostBefore, lostEvents } from "./lost-events.ts";
import { declaredQueue, type QueueAttributes } from "./queue-template.ts";

interface CheckedQueue {
  readonly name: string;
  readonly url: string;
  /** What to do if the queue is not empty. */
  readonly whenNotEmpty?: string;
  /** Whose events go to it. */
  readonly subscriber?: TargetSubscriber;
}

/** Undefined if the template cannot be read, which is a finding of its own. */
type ReadTemplate = () => Promise<StackTemplate | undefined>;

/**
 * The template itself, and each queue compared with it. Dead letters first: their queue cannot be made without them.
 */
export function queueChecks(target: Target): readonly Check[] {
  let reading: Promise<StackTemplate> | undefined;
  const read = () => {
    reading ??= readStackTemplate(target);
    return reading;
  };
  const readIfPossible: ReadTemplate = () => read().catch(() => undefined);
  const queues = checkedQueues(target).map((queue) => ({
    name: queue.name,
    run: async (on: Target) => await checkQueue(on, queue, await readIfPossible()),
  }));
  return [templateCheck(read), ...queues];
}

function templateCheck(read: () => Promise<StackTemplate>): Check {
  return {
    name: "template",
    run: async () => {
      const { template } = await read();
      return [ok(`${counted(Object.keys(template.Resources).length, "resource")}`)];
    },
  };
}

function checkedQueues(target: Target): readonly CheckedQueue[] {
  const { inbox, subscribers, capturedUrl, smoke } = target;
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
    ...(smoke === undefined ? [] : [{ name: "queue of smoke tests", url: smoke.queueUrl }]),
    ...(capturedUrl === undefined
      ? []
      : [{ name: "queue of captured callbacks", url: capturedUrl }]),
  ];
}

function deadLettersOf(target: Target, owner: string, word: string, url: string): CheckedQueue {
  const whenNotEmpty = `List them: npx paycast dead-letters list ${word}${stackOption(target)}`;
  return { name: `dead letters of ${owner}`, url, whenNotEmpty };
}

async function checkQueue(
  target: Target,
  queue: CheckedQueue,
  template: StackTemplate | undefined,
): Promise<readonly Verdict[]> {
  const attributes = await readAttributes(target, queue.url);
  const declared = template && declaredQueue(template, queue.url);
  if (attributes === undefined) {
    const { subscriber } = queue;
    return [
      ...(declared === undefined ? [gone] : missingQueue(target, declared)),
      ...(subscriber === undefined ? [] : await lostEvents(target, subscriber)),
    ];
  }
  const faults = [
    ...(declared === undefined ? [] : queueFaults(target, queue.url, declared, attributes)),
    ...(template !== undefined && declared === undefined ? [notDeclared] : []),
    ...lettersIn(attributes, queue),
    ...(await lateIn(target, queue, attributes)),
    ...(await lostIn(target, queue, attributes)),
  ];
  return faultsOr(faults, summaryOf(attributes, queue, declared !== undefined));
}

const gone = problem(
  "The queue does not exist: it was deleted outside the stack.",
  "Make the template readable and check again: this line then has the command that creates the queue.",
);

const notDeclared = warning(
  "The template has no such queue.",
  "Deploy the stack again, or wait until the running deployment has ended.",
);

export async function readAttributes(
  { clients }: Target,
  QueueUrl: string,
): Promise<QueueAttributes | undefined> {
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
  try {
    const { Attributes = {} } = await clients.sqs.send(command);
    return Attributes;
  } catch (error) {
    if (isQueueMissing(error)) return undefined;
    throw error;
  }
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

/** A queue that was deleted and recreated. */
async function lostIn(
  target: Target,
  { subscriber }: CheckedQueue,
  { CreatedTimestamp: createdAtSeconds }: QueueAttributes,
): Promise<readonly Verdict[]> {
  if (subscriber === undefined || createdAtSeconds === undefined) return [];
  return await lostBefore(target, subscriber, Number(createdAtSeconds) * 1_000);
}

/** A queue that nobody reads. */
async function lateIn(
  target: Target,
  { subscriber, url }: CheckedQueue,
  attributes: QueueAttributes,
): Promise<readonly Verdict[]> {
  if (subscriber === undefined || messagesIn(attributes) === 0) return [];
  const times = await readOldestTimes(target, [url], target.now).catch(
    (): OldestTimes => new Map(),
  );
  const wait = waitOf(subscriber, waitingSince(times.get(url), target.now()));
  const text = lateText({ ...countIn(attributes), ...wait }, wholeSeconds);
  return text === undefined ? [] : [problem(text, lateAction(subscriber))];
}

function lateAction({ name }: TargetSubscriber): string {
  return `Check whether the consumer of ${name} runs, and read its log. Its events stay in the queue for 14 days.`;
}

/** Includes messages that a consumer is reading. */
function messagesIn(attributes: QueueAttributes): number {
  const { waiting, inFlight } = countIn(attributes);
  return waiting + inFlight;
}

function summaryOf(
  attributes: QueueAttributes,
  { whenNotEmpty }: CheckedQueue,
  isCompared: boolean,
): string {
  const kind = attributes["FifoQueue"] === "true" ? "FIFO" : "standard";
  const holds = whenNotEmpty === undefined ? counted(messagesIn(attributes), "message") : "empty";
  return `${kind}, ${holds}, ${isCompared ? "as in the template" : "not compared with the template"}`;
}
