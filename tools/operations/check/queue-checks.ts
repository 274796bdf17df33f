import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { counted } from "../../../shared/number-text.ts";
import { anyoneMaySend } from "../../../shared/open-senders.ts";
import { inboxVisibilityMilliseconds } from "../../../shared/timing.ts";
import { countIn } from "../queues/message-queue.ts";
import { stackOption, type Target } from "../target/target.ts";
import { type Check, faultsOr, ok, problem, type Verdict, warning } from "./finding.ts";
import {
  attributeFaults,
  encryptionFaults,
  type QueueAttributes,
  type QueueNeeds,
} from "./queue-attributes.ts";
import {
  foreignOperators,
  policyFaults,
  type QueueUser,
  readersIn,
  sendersIn,
  useFaults,
} from "./queue-policy.ts";

interface CheckedQueue extends QueueNeeds {
  readonly name: string;
  readonly url: string;
  /** The function whose messages it must take. */
  readonly sender?: "receive-callback" | "process-callback";
  /** The function that receives from it; nobody else may. */
  readonly reader?: "process-callback";
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
      reader: "process-callback",
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

/** Who may send to the inbox by hand. The check of a queue reports a refusal that is missing in its policy. */
export const operatorsCheck: Check = {
  name: "operators",
  run: async (target) => {
    const attributes = (await readAttributes(target, target.inbox.url)) ?? {};
    const roles = target.functions.map(({ role }) => role);
    const operators = sendersIn(attributes)?.filter((sender) => !roles.includes(sender));
    if (operators === undefined) return [ok(anyoneMaySend)];
    if (operators.length === 0) return [noOperators];
    const foreign = foreignOperators(attributes, operators).map(elsewhere);
    return faultsOr(foreign, `${operators.join(", ")} may redrive and replay, if IAM allows it`);
  },
};

const noOperators = warning(
  "Nobody may redrive or replay: the queues accept messages from the functions alone.",
  "Deploy the stack again: its template names the operators of the config, or refuses nobody.",
);

function elsewhere(role: string): Verdict {
  return problem(
    `${role} is a role of another account and cannot send to the queues.`,
    "Name a role of the stack's account in operators of the config, and deploy.",
  );
}

async function checkQueue(target: Target, queue: CheckedQueue): Promise<readonly Verdict[]> {
  const attributes = await readAttributes(target, queue.url);
  if (attributes === undefined) return [deleted];
  const isDeployed = target.kind === "deployed";
  const faults = [
    ...attributeFaults(attributes, queue),
    // The emulator keeps nothing about encryption.
    ...(isDeployed ? encryptionFaults(attributes, target.encryptionKeyArn) : []),
    ...(isDeployed ? policyFaults(attributes, policyNeeds(target, queue)) : []),
    ...(isDeployed ? usersOf(target, queue).flatMap((one) => useFaults(attributes, one)) : []),
    ...lettersIn(attributes, queue),
  ];
  return faultsOr(faults, summaryOf(attributes, queue));
}

function policyNeeds({ hasOperators }: Target, { mayHaveReaders, reader }: CheckedQueue) {
  return { mayHaveReaders, hasKnownSenders: hasOperators, hasOneReader: reader !== undefined };
}

function usersOf({ functions }: Target, { sender, reader }: CheckedQueue): readonly QueueUser[] {
  const user = (label: string | undefined, does: QueueUser["does"]) => {
    const role = functions.find((one) => one.label === label)?.role;
    return role === undefined || label === undefined ? [] : [{ functionName: label, role, does }];
  };
  return [...user(sender, "send"), ...user(reader, "receive")];
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
