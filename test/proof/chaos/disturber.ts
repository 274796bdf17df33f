import { setTimeout as wait } from "node:timers/promises";
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
} from "@aws-sdk/client-sqs";
import { sendTo } from "../../integration/fault-proxy.ts";
import {
  away,
  cancelTransactions,
  crashInstance,
  type Disturb,
  startWithoutSecrets,
  trouble,
} from "./aws-trouble.ts";
import type { Disturbance } from "./disturbance.ts";
import { sealWith } from "./forgers.ts";
import { isUndeliverable, listNeeds, redrive } from "./operator.ts";
import type { Random } from "./random.ts";
import { merchantIds, subscribers, type World } from "./world.ts";

/** A sender puts a forged message into the inbox. */
const forgeInInbox: Disturb = async ({ inbox }, random) => {
  for (let messages = 0; messages < 3; messages += 1) await inbox.forge(random);
  return { what: "forged messages arrive in the inbox" };
};

/**
 * A thief has old keys. After two rotations and five minutes no instance accepts them, and none signs requests with
 * earlier keys. The service then rejects such requests.
 */
const useStolenKeys: Disturb = async ({ simulator, pass, relay, stolen, now }, random) => {
  const merchantId = random.pick(merchantIds);
  await simulator.rotateKeys(merchantId);
  await simulator.rotateKeys(merchantId, { keys: ["aesKey", "serviceKey", "merchantKey"] });
  await pass(302);
  // A request that was sealed before has arrived by then.
  await wait(1_000);
  simulator.dropOldKeys(merchantId);
  const [oldest] = stolen.filter((keys) => keys.merchantId === merchantId);
  const order = simulator.orders().find((candidate) => candidate.merchantId === merchantId);
  if (oldest && order) await relay.inject(sealWith(oldest, order, now()), "thief");
  return { what: `the keys of ${merchantId} rotate twice, and a thief uses old ones` };
};

/**
 * The stamp key is rotated. Messages with the previous stamp are still valid, and a new instance has both keys. A sender
 * uses the key that it has fetched for five minutes, and messages with the key before that would be rejected.
 */
const replaceStampKey: Disturb = async ({ pass, putStampKey, stack }) => {
  // Each sender has the current key by then, and messages with earlier stamps are processed.
  await pass(602);
  await wait(3_000);
  await putStampKey();
  stack.crash("process-callback");
  await wait(2_000);
  return { what: "the stamp key is replaced, and an instance of process-callback ends" };
};

const killStack: Disturb = async ({ stack }) => {
  await stack.killAndStart();
  return { what: "the whole stack is killed" };
};

/**
 * An instance that has just refreshed its keys refreshes them again after a minute. For days the service repeats
 * callbacks that it sealed before.
 */
const rotateKeys: Disturb = async ({ simulator, pass, relay }, random) => {
  const merchantId = random.pick(merchantIds);
  const sealed = relay.posts.findLast(
    ({ status, envelope }) => status === 200 && envelope.includes(`"${merchantId}"`),
  );
  await simulator.rotateKeys(merchantId);
  await wait(1_000);
  const seconds = random.pick([0, 0, 65, 3_600]);
  const rotated = `the keys of ${merchantId} rotate`;
  if (seconds === 0) return { what: rotated };
  await pass(seconds);
  if (sealed !== undefined) await relay.inject(sealed.envelope, "replay");
  return { what: `${rotated}, ${seconds} s pass, and an old callback is repeated` };
};

/** Ten minutes to 25 hours, and then a minute more, so that the schedules run once again. */
const letTimePass: Disturb = async ({ pass }, random) => {
  const seconds = random.pick([600, 7_200, 90_000]);
  for (const part of [seconds, 61]) await pass(part);
  return { what: `${seconds} s pass` };
};

/**
 * The queue is closed and drained first, because deleting it would lose its messages. Returns a function that recreates
 * it.
 */
async function removeQueue({ proxy, stack, consumers, sqs }: World, name: string) {
  const QueueUrl = stack.description().queues.subscribers[name]?.url ?? "";
  const reopen = proxy.fail(sendTo(QueueUrl), away);
  await wait(1_000);
  await consumers.drain(name);
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }),
  );
  await sqs.send(new DeleteQueueCommand({ QueueUrl }));
  reopen();
  return async () => {
    const QueueName = QueueUrl.split("/").at(-1) ?? "";
    const settable = Object.entries(Attributes).filter(([attribute]) => !readOnly.test(attribute));
    const attributes = Object.fromEntries(settable);
    await sqs.send(new CreateQueueCommand({ QueueName, Attributes: attributes }));
  };
}

const deleteQueue: Disturb = async (world, random) => {
  const { name } = random.pick(subscribers);
  const makeAgain = await removeQueue(world, name);
  await wait(random.between(2_000, 15_000));
  await makeAgain();
  return { what: `the queue of ${name} is deleted and recreated`, queue: name };
};

/**
 * Events become undeliverable because their queue is gone. Sometimes an operator redrives them before it exists again,
 * otherwise only at the end of the run, half a year later.
 */
const deleteQueueForLong: Disturb = async (world, random) => {
  const { name } = random.pick(subscribers);
  const makeAgain = await removeQueue(world, name);
  for (let tries = 0; tries < 3; tries += 1) await world.pass(30);
  const what = `the queue of ${name} is deleted until events are undeliverable`;
  const isRedriven = random.chance(0.5);
  if (isRedriven) {
    const items = await listNeeds(world.directory);
    await redrive(world.directory, items.filter(isUndeliverable));
  }
  await makeAgain();
  const redriven = isRedriven ? ", and they are redriven before it is recreated" : "";
  return { what: `${what}${redriven}`, queue: name };
};

const readOnly = /^(Approximate|CreatedTimestamp|LastModified|QueueArn)/;

/** The disturbances, each with its relative frequency. */
const kinds = {
  sqs: { weight: 4, disturb: trouble("sqs") },
  dynamodb: { weight: 4, disturb: trouble("dynamodb") },
  crash: { weight: 6, disturb: crashInstance },
  clock: { weight: 2, sparesCalls: true, disturb: letTimePass },
  queue: { weight: 2, sparesCalls: true, disturb: deleteQueue },
  kill: { weight: 1, disturb: killStack },
  keys: { weight: 1, sparesCalls: true, disturb: rotateKeys },
  secrets: { weight: 2, disturb: trouble("secretsmanager") },
  start: { weight: 1, disturb: startWithoutSecrets },
  transactions: { weight: 2, disturb: cancelTransactions },
  inbox: { weight: 1, sparesCalls: true, disturb: forgeInInbox },
  stamp: { weight: 1, sparesCalls: true, disturb: replaceStampKey },
  thief: { weight: 1, sparesCalls: true, disturb: useStolenKeys },
  missing: { weight: 1, sparesCalls: true, disturb: deleteQueueForLong },
} satisfies Readonly<Record<string, Kind>>;

interface Kind {
  readonly weight: number;
  readonly sparesCalls?: boolean;
  readonly disturb: Disturb;
}

export type DisturbanceKind = keyof typeof kinds;
export const disturbanceKinds = Object.keys(kinds) as readonly DisturbanceKind[];

/** Breaks one thing after another, and records the times. Each kind occurs once before any occurs again. */
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
    const fromMilliseconds = world.now();
    const kind: Kind = kinds[next];
    const broken = await kind.disturb(world, random);
    const { sparesCalls } = kind;
    done.push({ ...broken, fromMilliseconds, untilMilliseconds: world.now(), sparesCalls });
    tell(broken.what);
    await wait(random.between(300, 2_500));
  }
  return done;
}

function shuffled<Item>(random: Random, all: readonly Item[]): Item[] {
  const placed = all.map((item) => ({ item, place: random.next() }));
  return placed.sort((left, right) => left.place - right.place).map(({ item }) => item);
}
