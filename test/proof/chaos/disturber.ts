import { setTimeout as wait } from "node:timers/promises";
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
} from "@aws-sdk/client-sqs";
import { type Call, type Fault, sendTo, to } from "../../integration/fault-proxy.ts";
import type { Random } from "./random.ts";
import { merchantIds, subscribers, type World } from "./world.ts";

/** A time in which something was broken on purpose. */
export interface Disturbance {
  readonly what: string;
  readonly fromMilliseconds: number;
  readonly untilMilliseconds: number;
}

type Disturb = (world: World, random: Random) => Promise<string>;

/** AWS says "slow down", in the words of each service. */
const slowDown = {
  sqs: { status: 400, type: "RequestThrottled" },
  dynamodb: { status: 400, type: "ProvisionedThroughputExceededException" },
};
const away: Fault = { kind: "refuse", error: { status: 503, type: "ServiceUnavailable" } };

function trouble(service: keyof typeof slowDown): Disturb {
  const faults: readonly (readonly [string, Fault])[] = [
    ["is away", away],
    ["throttles", { kind: "refuse", error: slowDown[service] }],
    ["does not answer", { kind: "stall" }],
    ["loses answers", { kind: "lose-answer" }],
    ["drops connections", { kind: "cut" }],
  ];
  return async ({ proxy }, random) => {
    const [what, fault] = random.pick(faults);
    const share = fault === away ? 1 : random.pick([0.1, 0.3, 0.7]);
    const isHit = to(service);
    const end = proxy.fail((call) => isHit(call) && random.chance(share), fault);
    await wait(random.between(1_000, 6_000));
    end();
    return `${service} ${what} for ${share * 100} % of the calls`;
  };
}

/** Calls in the middle of which an instance ends. The answer of the call never arrives. */
const steps = [
  { functionName: "process-callback", operation: "TransactWriteItems" },
  { functionName: "process-callback", operation: "SendMessage" },
  { functionName: "process-callback", operation: "UpdateItem" },
  { functionName: "create-order", operation: "TransactWriteItems" },
] as const;

const crashInstance: Disturb = async ({ proxy, stack }, random) => {
  const { functionName, operation } = random.pick(steps);
  const { inbox } = stack.description().queues;
  // What is sent to the inbox comes from another function.
  const isHit = (call: Call) => call.operation === operation && call.input["QueueUrl"] !== inbox;
  const when = random.pick(["before", "after"]);
  const kind = when === "before" ? "stall" : "lose-answer";
  let end = () => {};
  const reached = new Promise<void>((after) => {
    end = proxy.fail(isHit, { kind, after }, { times: 1 });
  });
  await Promise.race([reached.then(() => stack.crash(functionName)), wait(5_000)]);
  end();
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
  simulator.jumpClock(seconds);
  return `the service's clock jumps ${seconds} s ahead`;
};

/** The queue is closed and drained first: what lies in a queue is gone when somebody deletes it. */
const deleteQueue: Disturb = async ({ proxy, stack, consumers, sqs }, random) => {
  const { name } = random.pick(subscribers);
  const QueueUrl = stack.description().queues.subscribers[name]?.url ?? "";
  const reopen = proxy.fail(sendTo(QueueUrl), away);
  await wait(1_000);
  await consumers.drain(name);
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }),
  );
  await sqs.send(new DeleteQueueCommand({ QueueUrl }));
  reopen();
  await wait(random.between(2_000, 15_000));
  const QueueName = QueueUrl.split("/").at(-1) ?? "";
  const settable = Object.entries(Attributes).filter(([name]) => !readOnly.test(name));
  const attributes = Object.fromEntries(settable);
  await sqs.send(new CreateQueueCommand({ QueueName, Attributes: attributes }));
  return `the queue of ${name} is deleted and made again`;
};

const readOnly = /^(Approximate|CreatedTimestamp|LastModified|QueueArn)/;

/** What is broken, and how often compared with the others. */
const kinds = {
  sqs: { weight: 4, disturb: trouble("sqs") },
  dynamodb: { weight: 4, disturb: trouble("dynamodb") },
  crash: { weight: 6, disturb: crashInstance },
  clock: { weight: 2, disturb: jumpClock },
  queue: { weight: 2, disturb: deleteQueue },
  kill: { weight: 1, disturb: killStack },
  keys: { weight: 1, disturb: rotateKeys },
} satisfies Readonly<Record<string, { readonly weight: number; readonly disturb: Disturb }>>;

export type DisturbanceKind = keyof typeof kinds;
export const disturbanceKinds = Object.keys(kinds) as readonly DisturbanceKind[];

/** Breaks one thing after the other, and writes down when. Each kind comes once before any comes again. */
export async function disturb(
  world: World,
  random: Random,
  wanted: readonly DisturbanceKind[],
  { untilMilliseconds, tell }: { untilMilliseconds: number; tell: (line: string) => void },
): Promise<Disturbance[]> {
  const done: Disturbance[] = [];
  const weighted = wanted.flatMap((kind) => Array(kinds[kind].weight).fill(kind));
  const bag = shuffled(random, wanted);
  while (Date.now() < untilMilliseconds) {
    if (bag.length === 0) bag.push(...shuffled(random, weighted));
    const next = bag.pop();
    if (next === undefined) break;
    const fromMilliseconds = Date.now();
    const what = await kinds[next].disturb(world, random);
    done.push({ what, fromMilliseconds, untilMilliseconds: Date.now() });
    tell(what);
    await wait(random.between(300, 2_500));
  }
  return done;
}

function shuffled<Item>(random: Random, all: readonly Item[]): Item[] {
  const placed = all.map((item) => ({ item, place: random.next() }));
  return placed.sort((left, right) => left.place - right.place).map(({ item }) => item);
}
