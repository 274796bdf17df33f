import { setTimeout as wait } from "node:timers/promises";
import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { spawnPaycast } from "../../operations/spawn-paycast.ts";
import { type ApiCall, askUntilCurrent, type MadeOrder } from "./shopper.ts";
import type { World } from "./world.ts";

/** What a person would find to do, as `npx paycast quarantine list` tells it. */
interface NeedsPerson {
  readonly id: string;
  readonly kind: string;
  readonly callbackId?: string;
  readonly receivedAt: string;
  readonly since: string;
  readonly orderNo?: string;
}

export interface Ending {
  /** The events that Paycast gave up before they were redriven. */
  readonly givenUp: readonly NeedsPerson[];
  /** The last answer about each order. */
  readonly answers: ReadonlyMap<string, ApiCall>;
  readonly needsPerson: readonly NeedsPerson[];
  /** What `npx paycast order` tells of a few orders. */
  readonly timelines: ReadonlyMap<string, string>;
}

/** Waits until nothing is on its way: then everything that must be true at the end can be asked for. */
export async function settle(
  world: World,
  orders: readonly MadeOrder[],
  calls: ApiCall[],
  patienceSeconds: number,
): Promise<Ending> {
  const giveUpAt = Date.now() + patienceSeconds * 1_000;
  world.relay.calm();
  world.simulator.clearFaults();
  await world.relay.idle();
  // All retries of the service, over seven days. Each step waits until what became due is done.
  for (let day = 0; day < 9; day += 1) {
    world.simulator.stepClock(86_400);
    await world.simulator.settled();
  }
  await untilEmpty(world, giveUpAt);
  await askAll(world, orders, calls);
  await untilEmpty(world, giveUpAt);
  const given = await listNeeds(world);
  await paycast(world, ["quarantine", "redrive", "--kind", "undeliverable", "--all", "--yes"]);
  await untilEmpty(world, giveUpAt);
  const answers = await askAll(world, orders, calls);
  const givenUp = given.filter(({ kind }) => kind === "undeliverable");
  const timelines = await readTimelines(world, orders, answers);
  return { answers, givenUp, timelines, needsPerson: await listNeeds(world) };
}

const mostTimelines = 3;

/** Of the last orders that the stack knows. */
async function readTimelines(
  world: World,
  orders: readonly MadeOrder[],
  answers: Ending["answers"],
) {
  const known = orders.filter(({ orderNo }) => answers.get(orderNo)?.status === 200);
  const timelines = new Map<string, string>();
  for (const { orderNo } of known.slice(-mostTimelines)) {
    timelines.set(orderNo, await paycast(world, ["order", orderNo, "--json"]));
  }
  return timelines;
}

const askedAtOnce = 4;

async function askAll(world: World, orders: readonly MadeOrder[], calls: ApiCall[]) {
  const answers = new Map<string, ApiCall>();
  const left = [...orders];
  const askOn = async () => {
    for (let order = left.pop(); order !== undefined; order = left.pop()) {
      answers.set(order.orderNo, await askUntilCurrent(world, calls, order));
    }
  };
  await Promise.all(Array.from({ length: askedAtOnce }, askOn));
  return answers;
}

async function listNeeds(world: World): Promise<readonly NeedsPerson[]> {
  const listed = await paycast(world, ["quarantine", "list", "--limit", "10000", "--json"]);
  return JSON.parse(listed).items;
}

/** No message in any queue, and none that somebody holds. */
async function untilEmpty(world: World, giveUpAt: number): Promise<void> {
  const { inbox, subscribers } = world.stack.description().queues;
  const urls = [inbox, ...Object.values(subscribers).map(({ url }) => url)];
  for (let quiet = 0; quiet < 3; ) {
    const counts = await Promise.all(urls.map((url) => countMessages(world, url)));
    quiet = counts.every((count) => count === 0) ? quiet + 1 : 0;
    if (Date.now() > giveUpAt) throw new Error(`The queues do not get empty: ${counts}.`);
    await wait(500);
  }
}

async function countMessages({ sqs }: World, QueueUrl: string): Promise<number> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }),
  );
  const names = ["", "NotVisible", "Delayed"] as const;
  return names
    .map((name) => Number(Attributes[`ApproximateNumberOfMessages${name}`] ?? 0))
    .reduce((sum, count) => sum + count, 0);
}

async function paycast({ directory }: World, words: readonly string[]): Promise<string> {
  const { code, out, err } = await spawnPaycast(directory, ...words).ended;
  if (code === 0 || code === 1) return out.toString();
  throw new Error(`npx paycast ${words.join(" ")}: ${err}`);
}
