import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { counted } from "../../../shared/number-text.ts";
import { countIn } from "../queues/message-queue.ts";
import { stackOption, type Target } from "../target/target.ts";
import { readStackTemplate, type StackTemplate } from "../template/stack-template.ts";
import { missingQueue, queueFaults } from "./compare-queue.ts";
import { type Check, faultsOr, ok, problem, type Verdict, warning } from "./finding.ts";
import { declaredQueue, type QueueAttributes } from "./queue-template.ts";

interface CheckedQueue {
  readonly name: string;
  readonly url: string;
  /** Messages in it need a person; this says what to do. */
  readonly whenNotEmpty?: string;
}

/** Undefined if the template cannot be read, which is a finding of its own. */
type ReadTemplate = () => Promise<StackTemplate | undefined>;

/** The template itself, and each queue compared with it. Dead letters first: their queue cannot be made without them. */
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
    ...subscribers.flatMap(({ name, queueUrl, deadLettersUrl }) => [
      deadLettersOf(target, name, name, deadLettersUrl),
      { name: `queue of ${name}`, url: queueUrl },
    ]),
    ...(smoke === undefined ? [] : [{ name: "queue of smoke tests", url: smoke.queueUrl }]),
    ...(capturedUrl === undefined
      ? []
      : [{ name: "queue of captured callbacks", url: capturedUrl }]),
  ];
}

function deadLettersOf(target: Target, owner: string, word: string, url: string): CheckedQueue {
  const whenNotEmpty = `See them: npx paycast dead-letters list ${word}${stackOption(target)}`;
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
    return declared === undefined ? [gone] : missingQueue(target, declared);
  }
  const faults = [
    ...(declared === undefined ? [] : queueFaults(target, queue.url, declared, attributes)),
    ...(template !== undefined && declared === undefined ? [notDeclared] : []),
    ...lettersIn(attributes, queue),
  ];
  return faultsOr(faults, summaryOf(attributes, queue, declared !== undefined));
}

const gone = problem(
  "The queue does not exist: somebody deleted it outside the stack.",
  "Make the template readable, and check again: then this line has the command that makes the queue.",
);

const notDeclared = warning(
  "The template has no such queue.",
  "Deploy the stack again, or wait until the deployment that runs has ended.",
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
    if (error instanceof Error && /QueueDoesNotExist|NonExistentQueue/.test(error.name)) {
      return undefined;
    }
    throw error;
  }
}

function lettersIn(
  attributes: QueueAttributes,
  { whenNotEmpty }: CheckedQueue,
): readonly Verdict[] {
  const count = messagesIn(attributes);
  if (whenNotEmpty === undefined || count === 0) return [];
  const message = count === 1 ? "1 message needs a person." : `${count} messages need a person.`;
  return [problem(message, whenNotEmpty)];
}

/** Also those that somebody is reading. */
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
