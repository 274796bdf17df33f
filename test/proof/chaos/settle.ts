import { setTimeout as wait } from "node:timers/promises";
import { type Answers, askUntilFinal, NotAtRest, untilAtRest } from "./await-rest.ts";
import { sealWith } from "./forgers.ts";
import {
  isUndeliverable,
  type ListedOrder,
  listNeeds,
  type NeedsPerson,
  redrive,
} from "./operator.ts";
import {
  type AttentionCount,
  askAll,
  type GivenUp,
  listMade,
  readCounts,
  readGivenUp,
  readTimelines,
  underWayIn,
} from "./read-ending.ts";
import type { ApiCall, createShopper, MadeOrder } from "./shopper.ts";
import { merchantIds, type World } from "./world.ts";

export interface Ending extends Answers {
  /** Each time that the stack gave up on an event. */
  readonly givenUp: readonly GivenUp[];
  /** The attention list before anything is redriven, and what remains of it afterwards. */
  readonly needsPerson: readonly NeedsPerson[];
  /** What `npx paycast order` shows for a few orders. */
  readonly timelines: ReadonlyMap<string, string>;
  /** What `npx paycast orders` lists for the time in which orders were created and their callbacks were sent. */
  readonly listedOrders: readonly ListedOrder[];
  /** When reconciliation had two hours for the first checks of all orders. */
  readonly checkedMilliseconds: number;
  /** What `npx paycast order` shows for a few orders after nine days, while their records are kept. */
  readonly recorded: ReadonlyMap<string, string>;
  /** When the run began to read its orders. */
  readonly asksFromMilliseconds: number;
  /** The attention list when the run began to read its orders. */
  readonly listed: readonly NeedsPerson[];
  /** The records with an event that is not sent, except undeliverable ones. */
  readonly unsent: number;
  /** The stack's own counts until then, the oldest first. */
  readonly counts: readonly AttentionCount[];
  /** The work that was still in progress when the waiting time ended. If there is any, nothing above is final. */
  readonly unrest?: string;
  /** The time from the last disturbance until all this was known. */
  readonly waited: { readonly fromMilliseconds: number; readonly untilMilliseconds: number };
}

type Shopper = ReturnType<typeof createShopper>;

/** Waits until no work is in progress, then reads everything that must be true at the end. */
export async function settle(
  world: World,
  shopper: Shopper,
  patienceSeconds: number,
): Promise<Ending> {
  const madeUntilMilliseconds = world.now();
  const underWay = underWayIn(world);
  let fromMilliseconds = world.now();
  const waited = () => ({ fromMilliseconds, untilMilliseconds: world.now() });
  const untilRest = () => untilAtRest(underWay, Date.now() + patienceSeconds * 1_000);
  clearFaults(world, shopper.orders);
  await world.relay.calm();
  try {
    await untilRest();
    const passed = await passWeeks(world, shopper, () => {
      fromMilliseconds = world.now();
      return untilRest();
    });
    fromMilliseconds = world.now();
    const found = await findEnding(world, shopper, untilRest);
    const listedOrders = await listMade(world, shopper.calls, madeUntilMilliseconds);
    return { ...passed, ...found, listedOrders, givenUp: readGivenUp(world), waited: waited() };
  } catch (error) {
    if (!(error instanceof NotAtRest)) throw error;
    const known = { givenUp: readGivenUp(world), waited: waited(), unrest: error.message };
    return { ...nothingFinal(world.now()), ...known };
  }
}

function nothingFinal(nowMilliseconds: number) {
  return {
    answers: new Map(),
    unsettled: new Map(),
    timelines: new Map(),
    recorded: new Map(),
    counts: [],
    listed: [],
    unsent: 0,
    listedOrders: [],
    needsPerson: [],
    checkedMilliseconds: nowMilliseconds,
    asksFromMilliseconds: nowMilliseconds,
  };
}

/** Callbacks of an order that ends late are lost to the end, so that only reconciliation can find it. */
function clearFaults({ simulator }: World, orders: readonly MadeOrder[]): void {
  simulator.clearFaults();
  for (const { orderNo } of orders.filter(({ endsLate }) => endsLate)) {
    simulator.addFault({ kind: "lose", orderNo });
  }
}

const minuteSeconds = 60;
const daySeconds = 86_400;

/** The first checks of reconciliation begin 32 minutes after an order was created. */
const twoHours = [
  ...Array<number>(8).fill(5 * minuteSeconds),
  ...Array<number>(4).fill(20 * minuteSeconds),
];
/** The service's retries end after seven days, and the previous keys after eight. */
const nineDays = Array<number>(9).fill(daySeconds);
/** Records expire. */
const halfYear = [200 * daySeconds, 2 * minuteSeconds];

/** A callback without a response ends at its time limit. */
const longestRetryMilliseconds = 35_000;

async function passWeeks(
  world: World,
  { orders, calls }: Shopper,
  untilRest: () => Promise<void>,
): Promise<Pick<Ending, "checkedMilliseconds" | "recorded">> {
  await passSteps(world, twoHours);
  await untilRest();
  const checkedMilliseconds = world.now();
  payAfterwards(world, orders, calls);
  await passSteps(world, nineDays);
  await usePreviousKeys(world);
  const known = new Set(world.consumers.received.map(({ body }) => orderNoIn(body)));
  const recorded = await readTimelines(
    world,
    orders.filter(({ orderNo }) => known.has(orderNo)),
  );
  await passSteps(world, halfYear);
  return { checkedMilliseconds, recorded };
}

const recentMilliseconds = 10 * 3_600_000;
const mostPaidAfterwards = 5;

/** A customer pays after the order has ended, and the callbacks are lost. Only a last check, a day later, finds it. */
function payAfterwards(
  { simulator, now }: World,
  orders: readonly MadeOrder[],
  calls: readonly ApiCall[],
): void {
  const created = new Set(
    calls
      .filter(({ status, atMilliseconds }) => {
        return status === 201 && now() - atMilliseconds < recentMilliseconds;
      })
      .map(({ orderNo }) => orderNo),
  );
  const ended = orders.filter(({ orderNo, story }) => {
    return created.has(orderNo) && ["declined", "expired"].includes(story);
  });
  for (const { orderNo } of ended.slice(-mostPaidAfterwards)) {
    const [order] = simulator.orders().filter((candidate) => candidate.orderNo === orderNo);
    if (order === undefined || !["failed", "timeout"].includes(order.status)) continue;
    simulator.addFault({ kind: "lose", orderNo });
    simulator.pay(order.paymentId, { force: true });
  }
}

/** The keys before the last rotation verify for eight days. A thief who has them is a day late. */
async function usePreviousKeys({ relay, simulator, stolen, now }: World): Promise<void> {
  for (const merchantId of merchantIds) {
    const previous = stolen.filter((keys) => keys.merchantId === merchantId).at(-2);
    const order = simulator.orders().find((candidate) => candidate.merchantId === merchantId);
    if (previous && order) await relay.inject(sealWith(previous, order, now()), "thief");
  }
}

function orderNoIn(event: string): unknown {
  return JSON.parse(event).data?.orderNo;
}

/** Each step waits until everything due is done. */
async function passSteps(world: World, steps: readonly number[]): Promise<void> {
  for (const seconds of steps) {
    await world.pass(seconds);
    await Promise.race([world.simulator.settled(), wait(longestRetryMilliseconds)]);
  }
}

type Found = Omit<
  Ending,
  "waited" | "checkedMilliseconds" | "recorded" | "listedOrders" | "givenUp"
>;

async function findEnding(
  world: World,
  { orders, get }: Shopper,
  untilRest: () => Promise<void>,
): Promise<Found> {
  const asking = { askAll: (open: readonly MadeOrder[]) => askAll(open, get), untilRest };
  await untilRest();
  const asksFromMilliseconds = world.now();
  const listed = await listNeeds(world.directory);
  const counts = readCounts(world);
  let final = await askUntilFinal(orders, asking);
  let needsPerson = await listNeeds(world.directory);
  const undeliverable = needsPerson.filter(isUndeliverable);
  if (undeliverable.length > 0) {
    await redrive(world.directory, undeliverable);
    await untilRest();
    final = await askUntilFinal(orders, asking);
    const undelivered = (await listNeeds(world.directory)).filter(isUndeliverable);
    needsPerson = [...needsPerson.filter((item) => !isUndeliverable(item)), ...undelivered];
  }
  await untilRest();
  const unsent = await underWayIn(world).countUndelivered();
  const isKnown = ({ orderNo }: MadeOrder) => final.answers.get(orderNo)?.status === 200;
  const timelines = await readTimelines(world, orders.filter(isKnown));
  return { ...final, asksFromMilliseconds, listed, unsent, counts, timelines, needsPerson };
}
