import { setTimeout as wait } from "node:timers/promises";
import { type Answers, askUntilFinal, NotAtRest, untilAtRest } from "./await-rest.ts";
import { type ListedOrder, listNeeds, type NeedsPerson, redrive } from "./operator.ts";
import {
  type AttentionCount,
  askAll,
  listMade,
  readCounts,
  readTimelines,
  underWayIn,
} from "./read-ending.ts";
import type { createShopper, MadeOrder } from "./shopper.ts";
import type { World } from "./world.ts";

export interface Ending extends Answers {
  /** The events that were undeliverable before they were redriven. */
  readonly givenUp: readonly NeedsPerson[];
  /** The attention list before anything is redriven, and what remains of it afterwards. */
  readonly needsPerson: readonly NeedsPerson[];
  /** What `npx paycast order` shows for a few orders. */
  readonly timelines: ReadonlyMap<string, string>;
  /** What `npx paycast orders` lists for the time in which orders were created and their callbacks were sent. */
  readonly listed: readonly ListedOrder[];
  /** When reconciliation had two hours for the first checks of all orders. */
  readonly checkedMilliseconds: number;
  /** What `npx paycast order` shows for a few orders after nine days, while their records are kept. */
  readonly recorded: ReadonlyMap<string, string>;
  /** When the run began to read its orders. */
  readonly asksFromMilliseconds: number;
  /** How many items need attention before anything is redriven. */
  readonly listedCount?: number;
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
  let givesUpAt = Date.now() + patienceSeconds * 1_000;
  const untilRest = () => untilAtRest(underWay, givesUpAt);
  clearFaults(world, shopper.orders);
  await world.relay.calm();
  const isAtRest = await untilRest().then(
    () => true,
    () => false,
  );
  const passed = isAtRest
    ? await passWeeks(world, shopper.orders, untilRest)
    : { checkedMilliseconds: world.now(), recorded: new Map<string, string>() };
  if (isAtRest) givesUpAt = Date.now() + patienceSeconds * 1_000;
  const fromMilliseconds = world.now();
  const found = await findEnding(world, shopper, untilRest, madeUntilMilliseconds);
  return { ...passed, ...found, waited: { fromMilliseconds, untilMilliseconds: world.now() } };
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
  orders: readonly MadeOrder[],
  untilRest: () => Promise<void>,
): Promise<Pick<Ending, "checkedMilliseconds" | "recorded">> {
  await passSteps(world, twoHours);
  await untilRest().catch(() => undefined);
  const checkedMilliseconds = world.now();
  await passSteps(world, nineDays);
  const known = new Set(world.consumers.received.map(({ body }) => orderNoIn(body)));
  const recorded = await readTimelines(
    world,
    orders.filter(({ orderNo }) => known.has(orderNo)),
  );
  await passSteps(world, halfYear);
  return { checkedMilliseconds, recorded };
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

async function findEnding(
  world: World,
  { orders, calls, get }: Shopper,
  untilRest: () => Promise<void>,
  madeUntilMilliseconds: number,
): Promise<Omit<Ending, "waited" | "checkedMilliseconds" | "recorded">> {
  const asking = { askAll: (open: readonly MadeOrder[]) => askAll(open, get), untilRest };
  let asksFromMilliseconds = world.now();
  let [listed, givenUp]: [readonly NeedsPerson[], readonly NeedsPerson[]] = [[], []];
  try {
    await untilRest();
    asksFromMilliseconds = world.now();
    const listedCount = (await listNeeds(world.directory)).length;
    const counts = readCounts(world);
    let final = await askUntilFinal(orders, asking);
    listed = await listNeeds(world.directory);
    const isGivenUp = ({ kind }: NeedsPerson) => kind === "undeliverable";
    givenUp = [...world.redriven, ...listed.filter(isGivenUp)];
    if (listed.some(isGivenUp)) {
      await redrive(world.directory, listed.filter(isGivenUp));
      await untilRest();
      final = await askUntilFinal(orders, asking);
      const undelivered = (await listNeeds(world.directory)).filter(isGivenUp);
      listed = [...listed.filter((item) => !isGivenUp(item)), ...undelivered];
    }
    await untilRest();
    const isKnown = ({ orderNo }: MadeOrder) => final.answers.get(orderNo)?.status === 200;
    const timelines = await readTimelines(world, orders.filter(isKnown));
    const orderList = await listMade(world, calls, madeUntilMilliseconds);
    return {
      ...final,
      asksFromMilliseconds,
      listedCount,
      counts,
      givenUp,
      timelines,
      listed: orderList,
      needsPerson: listed,
    };
  } catch (error) {
    if (!(error instanceof NotAtRest)) throw error;
    const nothing = { answers: new Map(), unsettled: new Map(), timelines: new Map(), counts: [] };
    const unrest = error.message;
    return { ...nothing, listed: [], asksFromMilliseconds, givenUp, needsPerson: [], unrest };
  }
}
