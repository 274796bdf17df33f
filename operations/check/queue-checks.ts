import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { counted } from "../../shared/number-text.ts";
import { inboxVisibilityMilliseconds } from "../../shared/timing.ts";
import { countIn } from "../dead-letters/message-queue.ts";
import { stackOption, type Target } from "../target/target.ts";
import { type Check, faultsOr, ok, problem, type Verdict, warning } from "./finding.ts";
import {
  attributeFaults,
  encryptionFaults,
  type QueueAttributes,
  type QueueNeeds,
} from "./queue-attributes.ts";
import { policyFaults, readersIn, sendersIn, sendFaults } from "./queue-policy.ts";

interface CheckedQueue extends QueueNeeds {
  readonly name: string;
  readonly url: string;
  /** The function whose messages it must take. */
  readonly sender?: "receive-callback" | "process-callback";
  /** Messages in it need a person; this says what to do. */
  readonly whenNotEmpty?: string;
}

/** The inbox, the subscribers' queues and all their dead letters. */
export function queueChecks(target: Target): readonly Check[] {
  const { inbox, subscribers } = target;
  const queues: readonly CheckedQueue[] = [
    {
      name: "inbox",
      url: inbox.url,
      sender: "receive-callback",
      isOrdered: true,
      leastVisibilitySeconds: inboxVisibilityMilliseconds / 1000,
      deadLettersUrl: inbox.deadLettersUrl,
      mayHaveReaders: false,
    },
    {
      name: "dead letters of the inbox",
      url: inbox.deadLettersUrl,
      sender: "process-callback",
      isOrdered: true,
      mayHaveReaders: false,
      whenNotEmpty: `See them: npx paycast dead-letters list inbox${stackOption(target)}`,
    },
    ...subscribers.flatMap((one) => subscriberQueues(one, target)),
  ];
  return queues.map((queue) => ({ name: queue.name, run: (on) => checkQueue(on, queue) }));
}

function subscriberQueues(
  subscriber: Target["subscribers"][number],
  target: Target,
): readonly CheckedQueue[] {
  const { name, ordered: isOrdered, queueUrl: url, deadLettersUrl } = subscriber;
  const sender = "process-callback";
  return [
    { name: `queue of ${name}`, url, sender, isOrdered, deadLettersUrl, mayHaveReaders: true },
    {
      name: `dead letters of ${name}`,
      url: deadLettersUrl,
      isOrdered,
      mayHaveReaders: true,
      whenNotEmpty: `See them: npx paycast dead-letters list ${name}${stackOption(target)}`,
    },
  ];
}

/** Who may send to the inbox by hand. A missing refusal is told by the check of the queue. */
export const operatorsCheck: Check = {
  name: "operators",
  run: async (target) => {
    const attributes = await readAttributes(target, target.inbox.url);
    const roles = target.functions.map(({ role }) => role);
    const operators = sendersIn(attributes ?? {})?.filter((sender) => !roles.includes(sender));
    if (operators?.length === 0) return [noOperators];
    return [ok(`${operators?.join(", ") ?? "everybody"} may redrive and replay, if IAM allows it`)];
  },
};

const noOperators = warning(
  "Nobody may redrive or replay: the queues accept messages from the functions alone.",
  "List the roles of your operators in operators of the config, and deploy.",
);

async function checkQueue(target: Target, queue: CheckedQueue): Promise<readonly Verdict[]> {
  const attributes = await readAttributes(target, queue.url);
  if (attributes === undefined) return [deleted];
  const isDeployed = target.kind === "deployed";
  const faults = [
    ...attributeFaults(attributes, queue),
    // The emulator keeps nothing about encryption.
    ...(isDeployed ? encryptionFaults(attributes, target.encryptionKeyArn) : []),
    ...(isDeployed ? policyFaults(attributes, queue.mayHaveReaders) : []),
    ...(isDeployed ? senderFaults(target, attributes, queue) : []),
    ...lettersIn(attributes, queue),
  ];
  return faultsOr(faults, summaryOf(attributes, queue));
}

function senderFaults(
  { functions }: Target,
  attributes: QueueAttributes,
  { sender }: CheckedQueue,
): readonly Verdict[] {
  const role = functions.find(({ label }) => label === sender)?.role;
  return role === undefined || sender === undefined ? [] : sendFaults(attributes, sender, role);
}

async function readAttributes(
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

/** CloudFormation does not notice, so a deployment alone does not bring it back. */
const deleted = problem(
  "The queue does not exist: somebody deleted it outside the stack.",
  "Create a queue with the same name and the attributes of the template.",
);

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

function summaryOf(attributes: QueueAttributes, { isOrdered, whenNotEmpty }: CheckedQueue): string {
  const kind = isOrdered ? "FIFO" : "standard";
  const holds = whenNotEmpty === undefined ? counted(messagesIn(attributes), "message") : "empty";
  const readers = readersIn(attributes);
  const read = readers.length === 0 ? "" : `, also read by ${readers.join(", ")}`;
  return `${kind}, ${holds}${read}`;
}
