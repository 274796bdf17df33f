import { setTimeout as wait } from "node:timers/promises";
import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { spawnPaycast } from "../../operations/spawn-paycast.ts";
import { sum } from "./figures.ts";
import type { ApiCall, createShopper } from "./shopper.ts";
import type { World } from "./world.ts";

/** What a person would find to do, as `npx paycast quarantine list` tells it. */
interface NeedsPerson {
  readonly kind: string;
  readonly callbackId?: string;
  readonly receivedAt: string;
  readonly since: string;
  readonly orderNo?: string;
  /** Who misses an event, and the error of the queue. */
  readonly subscribers?: Readonly<Record<string, string>>;
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

type Shopper = ReturnType<typeof createShopper>;

/** Waits until nothing is on its way: then everything that must be true at the end can be asked for. */
export async function settle(
  world: World,
  shopper: Shopper,
  patienceSeconds: number,
): Promise<Ending> {
  const giveUpAt = Date.now() + patienceSeconds * 1_000;
  const { relay, simulator } = world;
  const listNeeds = async (): Promise<readonly NeedsPerson[]> =>
    JSON.parse(await paycast(world, "quarantine", "list", "--limit", "10000", "--json")).items;
  simulator.clearFaults();
  await relay.calm();
  // All retries of the service, over seven days. Each step waits until what became due is done.
  for (let day = 0; day < 9; day += 1) {
    simulator.stepClock(86_400);
    await simulator.settled();
  }
  await untilEmpty(world, giveUpAt);
  await askAll(shopper);
  await untilEmpty(world, giveUpAt);
  const givenUp = (await listNeeds()).filter(({ kind }) => kind === "undeliverable");
  await paycast(world, "quarantine", "redrive", "--kind", "undeliverable", "--all", "--yes");
  await untilEmpty(world, giveUpAt);
  const answers = await askAll(shopper);
  const timelines = await readTimelines(world, shopper, answers);
  return { answers, givenUp, timelines, needsPerson: await listNeeds() };
}

const mostTimelines = 3;

/** Of a few orders that the stack knows. */
async function readTimelines(world: World, { orders }: Shopper, answers: Ending["answers"]) {
  const known = orders.filter(({ orderNo }) => answers.get(orderNo)?.status === 200);
  const timelines = new Map<string, string>();
  for (const { orderNo, merchantId } of known.slice(-mostTimelines)) {
    const asked = ["order", orderNo, "--merchant", merchantId, "--json"];
    timelines.set(orderNo, await paycast(world, ...asked));
  }
  return timelines;
}

const askedAtOnce = 4;

/** Begins with the last order. */
async function askAll({ orders, askUntilCurrent }: Shopper) {
  const answers = new Map<string, ApiCall>();
  const left = [...orders];
  const askOn = async () => {
    for (let order = left.pop(); order !== undefined; order = left.pop()) {
      answers.set(order.orderNo, await askUntilCurrent(order));
    }
  };
  await Promise.all(Array.from({ length: askedAtOnce }, askOn));
  return answers;
}

/** No message in any queue, and none that somebody holds. */
async function untilEmpty({ stack, sqs }: World, giveUpAt: number): Promise<void> {
  const { inbox, subscribers } = stack.description().queues;
  const urls = [inbox, ...Object.values(subscribers).map(({ url }) => url)];
  for (let quiet = 0; quiet < 3; ) {
    const counts = await Promise.all(urls.map((url) => countMessages(sqs, url)));
    quiet = counts.every((count) => count === 0) ? quiet + 1 : 0;
    if (quiet === 0 && Date.now() > giveUpAt)
      throw new Error(`The queues do not get empty: ${counts}.`);
    await wait(500);
  }
}

async function countMessages(sqs: World["sqs"], QueueUrl: string): Promise<number> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }),
  );
  const kinds = ["", "NotVisible", "Delayed"] as const;
  return sum(kinds.map((kind) => Number(Attributes[`ApproximateNumberOfMessages${kind}`] ?? 0)));
}

async function paycast({ directory }: World, ...words: string[]): Promise<string> {
  const { code, out, err } = await spawnPaycast(directory, ...words).ended;
  if (code === 0 || code === 1) return out.toString();
  throw new Error(`npx paycast ${words.join(" ")}: ${err}`);
}
