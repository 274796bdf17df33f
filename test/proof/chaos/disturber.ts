import { setTimeout as wait } from "node:timers/promises";
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  type QueueAttributeName,
} from "@aws-sdk/client-sqs";
import type { Service, Trouble } from "./fault-proxy.ts";
import type { Random } from "./random.ts";
import { merchantIds, subscribers, type World } from "./world.ts";

/** A time in which something was broken on purpose. */
export interface Disturbance {
  readonly what: string;
  readonly fromMilliseconds: number;
  readonly untilMilliseconds: number;
}

type Disturb = (world: World, random: Random) => Promise<string>;

const troubles: readonly Trouble[] = ["throttle", "stall", "lose-answer", "drop", "away"];
const services: readonly Service[] = ["sqs", "dynamodb"];

const troubleAws: Disturb = async ({ proxy }, random) => {
  const service = random.pick(services);
  const trouble = random.pick(troubles);
  const share = trouble === "away" ? 1 : random.pick([0.1, 0.3, 0.7]);
  const end = proxy.trouble({ service, trouble, share });
  await wait(random.between(1_000, 6_000));
  end();
  return `${service}: ${trouble} for ${share * 100} % of the calls`;
};

/** Calls in the middle of which an instance ends. The answer of the call never arrives. */
const steps = [
  { functionName: "process-callback", operation: "TransactWriteItems" },
  { functionName: "process-callback", operation: "SendMessage" },
  { functionName: "process-callback", operation: "UpdateItem" },
  { functionName: "create-order", operation: "TransactWriteItems" },
] as const;

const crashInstance: Disturb = async ({ proxy, stack }, random) => {
  const { functionName, operation } = random.pick(steps);
  const when = random.pick(["before", "after"] as const);
  await new Promise<void>((resolve) => {
    const crash = () => {
      stack.crash(functionName);
      resolve();
    };
    proxy.crashAt({ operation, when, crash });
    setTimeout(resolve, 5_000);
  });
  // The pause in which SQS hides the message of an instance that ended.
  await wait(1_000);
  return `an instance of ${functionName} ends ${when} ${operation}`;
};

const killStack: Disturb = async ({ stack }) => {
  await stack.killAndStart();
  return "the whole stack is killed";
};

const rotateKeys: Disturb = async ({ simulator }, random) => {
  const merchantId = random.pick(merchantIds);
  await simulator.rotateKeys(merchantId);
  // An instance that has just looked for new keys looks again after a minute.
  await wait(1_000);
  return `the keys of ${merchantId} rotate`;
};

const jumpClock: Disturb = async ({ simulator }, random) => {
  const seconds = random.pick([600, 7_200, 90_000]);
  simulator.stepClock(seconds);
  return `the service's clock jumps ${seconds} s ahead`;
};

/** The queue is closed and drained first: what lies in a queue is gone when somebody deletes it. */
const deleteQueue: Disturb = async ({ proxy, stack, consumers, sqs }, random) => {
  const { name } = random.pick(subscribers);
  const QueueUrl = stack.description().queues.subscribers[name]?.url ?? "";
  const reopen = proxy.trouble({ service: "sqs", trouble: "away", share: 1, about: QueueUrl });
  await wait(1_000);
  await consumers.drain(name);
  const AttributeNames: QueueAttributeName[] = ["All"];
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames }),
  );
  await sqs.send(new DeleteQueueCommand({ QueueUrl }));
  reopen();
  await wait(random.between(2_000, 15_000));
  const QueueName = QueueUrl.split("/").at(-1) ?? "";
  await sqs.send(new CreateQueueCommand({ QueueName, Attributes: settable(Attributes) }));
  return `the queue of ${name} is deleted and made again`;
};

const readOnly = /^(Approximate|CreatedTimestamp|LastModified|QueueArn)/;

function settable(attributes: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => !readOnly.test(name)));
}

const kinds: readonly { readonly weight: number; readonly disturb: Disturb }[] = [
  { weight: 8, disturb: troubleAws },
  { weight: 6, disturb: crashInstance },
  { weight: 2, disturb: jumpClock },
  { weight: 2, disturb: deleteQueue },
  { weight: 1, disturb: killStack },
  { weight: 1, disturb: rotateKeys },
];

/** Breaks one thing after the other, and writes down when. Each kind comes at least once in a run that is long enough. */
export async function disturb(
  world: World,
  random: Random,
  { untilMilliseconds, tell }: { untilMilliseconds: number; tell: (line: string) => void },
): Promise<Disturbance[]> {
  const done: Disturbance[] = [];
  const bag: Disturb[] = [];
  while (Date.now() < untilMilliseconds) {
    if (bag.length === 0) bag.push(...shuffled(random));
    const next = bag.pop();
    if (next === undefined) break;
    const fromMilliseconds = Date.now();
    const what = await next(world, random);
    done.push({ what, fromMilliseconds, untilMilliseconds: Date.now() });
    tell(what);
    await wait(random.between(300, 2_500));
  }
  return done;
}

function shuffled(random: Random): Disturb[] {
  const all = kinds.flatMap(({ weight, disturb }) => Array.from({ length: weight }, () => disturb));
  return all
    .map((disturb) => ({ disturb, place: random.next() }))
    .sort((left, right) => left.place - right.place)
    .map(({ disturb }) => disturb);
}
