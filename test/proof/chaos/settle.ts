import { type DynamoDBClient, paginateScan } from "@aws-sdk/client-dynamodb";
import { spawnPaycast } from "../../tools/operations/spawn-paycast.ts";
import { type Answers, askUntilFinal, NotAtRest, untilAtRest } from "./await-rest.ts";
import { countMessages } from "./count-messages.ts";
import { sum } from "./figures.ts";
import type { ApiCall, createShopper, MadeOrder } from "./shopper.ts";
import type { World } from "./world.ts";

/** What a person would find to do, as `npx paycast attention list` tells it. */
export interface NeedsPerson {
  readonly kind: string;
  readonly type?: string;
  readonly callbackId?: string;
  readonly receivedAt: string;
  readonly since: string;
  readonly orderNo?: string;
  readonly paymentId?: string;
  /** Those that have not got the event, each with the error of its queue. A notice has none. */
  readonly subscribers?: Readonly<Record<string, string>>;
}

export interface Ending extends Answers {
  /** The events that Paycast gave up before they were redriven. */
  readonly givenUp: readonly NeedsPerson[];
  /** What needs a person before anything is redriven, and what of it needs one afterwards. */
  readonly needsPerson: readonly NeedsPerson[];
  /** What `npx paycast order` tells of a few orders. */
  readonly timelines: ReadonlyMap<string, string>;
  /** What was still on its way when the patience was over: then nothing above is final. */
  readonly unrest?: string;
  /** The time from the last disturbance until all this was known. */
  readonly waited: { readonly fromMilliseconds: number; readonly untilMilliseconds: number };
}

type Shopper = ReturnType<typeof createShopper>;

/** Waits until nothing is on its way: then everything that must be true at the end can be asked for. */
export async function settle(
  world: World,
  shopper: Shopper,
  patienceSeconds: number,
): Promise<Ending> {
  const fromMilliseconds = Date.now();
  const underWay = underWayIn(world);
  const untilRest = () => untilAtRest(underWay, fromMilliseconds + patienceSeconds * 1_000);
  await endService(world);
  const found = await findEnding(world, shopper, untilRest);
  return { ...found, waited: { fromMilliseconds, untilMilliseconds: Date.now() } };
}

/** All retries of the service, over seven days. Each step waits until what became due is done. */
async function endService({ relay, simulator }: World): Promise<void> {
  simulator.clearFaults();
  await relay.calm();
  for (let day = 0; day < 9; day += 1) {
    simulator.jumpClock(86_400);
    await simulator.settled();
  }
}

async function findEnding(
  world: World,
  { orders, get }: Shopper,
  untilRest: () => Promise<void>,
): Promise<Omit<Ending, "waited">> {
  const asking = { askAll: (open: readonly MadeOrder[]) => askAll(open, get), untilRest };
  let [listed, givenUp]: [readonly NeedsPerson[], readonly NeedsPerson[]] = [[], []];
  try {
    await untilRest();
    let final = await askUntilFinal(orders, asking);
    listed = await listNeeds(world);
    givenUp = listed.filter(({ kind }) => kind === "undeliverable");
    if (givenUp.length > 0) {
      await paycast(world, "attention", "redrive", "--kind", "undeliverable", "--all", "--yes");
      await untilRest();
      final = await askUntilFinal(orders, asking);
      const isRedriven = ({ kind }: NeedsPerson) => kind === "undeliverable";
      const undelivered = (await listNeeds(world)).filter(isRedriven);
      listed = [...listed.filter((item) => !isRedriven(item)), ...undelivered];
    }
    await untilRest();
    const timelines = await readTimelines(world, orders, final.answers);
    return { ...final, givenUp, timelines, needsPerson: listed };
  } catch (error) {
    if (!(error instanceof NotAtRest)) throw error;
    const nothing = { answers: new Map(), unsettled: new Map(), timelines: new Map() };
    return { ...nothing, givenUp, needsPerson: [], unrest: error.message };
  }
}

async function listNeeds(world: World): Promise<readonly NeedsPerson[]> {
  const text = await paycast(world, "attention", "list", "--limit", "10000", "--json");
  return JSON.parse(text).items;
}

const mostTimelines = 3;

/** Of a few orders that the stack knows. */
async function readTimelines(
  world: World,
  orders: readonly MadeOrder[],
  answers: Ending["answers"],
) {
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
async function askAll(orders: readonly MadeOrder[], get: Shopper["get"]) {
  const answers = new Map<string, ApiCall>();
  const remaining = [...orders];
  const askOn = async () => {
    for (let order = remaining.pop(); order !== undefined; order = remaining.pop()) {
      answers.set(order.orderNo, await get(order));
    }
  };
  await Promise.all(Array.from({ length: askedAtOnce }, askOn));
  return answers;
}

function underWayIn({ relay, stack, sqs, dynamodb }: World) {
  const { queues, tables } = stack.description();
  const urls = [queues.inbox, ...Object.values(queues.subscribers).map(({ url }) => url)];
  return {
    countPosts: relay.countUnderWay,
    countQueued: () => Promise.all(urls.map((url) => countMessages(sqs, url))),
    countUndelivered: () => countUndelivered(dynamodb, tables.callbacks),
  };
}

/** Only a person brings on what is undeliverable. */
async function countUndelivered(client: DynamoDBClient, TableName: string): Promise<number> {
  const pages = paginateScan(
    { client },
    {
      TableName,
      Select: "COUNT",
      ConsistentRead: true,
      FilterExpression:
        "attribute_exists(pending) AND (attribute_not_exists(attention) OR attention.kind <> :given)",
      ExpressionAttributeValues: { ":given": { S: "undeliverable" } },
    },
  );
  const counts: number[] = [];
  for await (const { Count = 0 } of pages) counts.push(Count);
  return sum(counts);
}

async function paycast({ directory }: World, ...words: string[]): Promise<string> {
  const { code, out, err } = await spawnPaycast(directory, ...words).ended;
  if (code === 0 || code === 1) return out.toString();
  throw new Error(`npx paycast ${words.join(" ")}: ${err}`);
}
