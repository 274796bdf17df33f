import { DeleteItemCommand } from "@aws-sdk/client-dynamodb";
import { main } from "../../../cli/main.ts";
import { checkNow } from "../../../operations/calling/check-now.ts";
import { leaseKey } from "../../../shared/reconciling/take-lease.ts";
import { toAttributes } from "../../../shared/table/attributes.ts";
import { createColours } from "../../../shared/terminal-text.ts";
import { merchantId, type World } from "./world.ts";

/**
 * `flat`: it costs the same whatever is stored. `shown`: it costs as much as it shows. A number: it reads up to a limit of
 * its own, which takes at most so many read units.
 */
export type Growth = "flat" | "shown" | number;

export interface Thing {
  readonly what: string;
  readonly growth: Growth;
  /** Prepares it and gives the part that is counted, which may tell how many things it shows. */
  readonly prepare: (world: World) => Promise<() => Promise<unknown>>;
}

let made = 0;

async function createOrder({ api }: World, orderNo = `LIVE-${++made}-${Date.now()}`) {
  const goods = { referenceGoodsId: "tea", goodsName: "Tea", goodsAmount: 4, goodsQuantity: 3 };
  const body = JSON.stringify({
    ...{ channel: "WEB", currency: "USD", paymentAmount: 12 },
    order: { orderNo, orderAmount: 12, goods: [goods] },
  });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${api}/orders`, { method: "POST", headers, body });
  const { paymentId } = (await answer.json()) as { paymentId: string };
  if (answer.status !== 201) throw new Error(`POST /orders: ${answer.status}`);
  return { orderNo, paymentId };
}

/** The service tells that it confirms the payment, then that the payment succeeded. */
async function pay({ simulator, processing }: World, paymentId: string): Promise<void> {
  await processing(1, () => simulator.pay(paymentId));
  await processing(1, () => simulator.stepClock(2));
}

export async function paidOrder(world: World, orderNo?: string) {
  const order = await createOrder(world, orderNo);
  await pay(world, order.paymentId);
  return order;
}

async function get({ api }: World, path: string): Promise<void> {
  const answer = await fetch(`${api}${path}`);
  if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status}`);
}

/** A run takes a lease of nearly a minute, which nobody waits for here. */
async function reconcile(world: World, due: number) {
  const { aws, target } = world;
  const Key = toAttributes({ aggregateKey: leaseKey });
  await aws.dynamodb.send(new DeleteItemCommand({ TableName: target.tables.orders, Key }));
  for (let count = 0; count < due; count += 1) {
    await checkNow(target, { merchantId, orderNo: (await createOrder(world)).orderNo });
  }
  return () => world.invoke("reconcile-orders");
}

const ofFunctions: Readonly<Record<string, Thing["prepare"]>> = {
  "create-order: an order": async (world) => () => createOrder(world),
  "receive-callback and process-callback: a payment's two callbacks": async (world) => {
    const { paymentId } = await createOrder(world);
    return () => pay(world, paymentId);
  },
  "receive-callback and process-callback: a refund": async (world) => {
    const { paymentId } = await paidOrder(world);
    world.simulator.refund(paymentId, { amount: "4.10" });
    return () => world.processing(1, () => world.simulator.stepClock(2));
  },
  "query-order: a paid order": async (world) => {
    const { orderNo } = await paidOrder(world);
    return () => get(world, `/orders/${orderNo}`);
  },
  "query-order: an open payment, which asks the service": async (world) => {
    const { paymentId } = await createOrder(world);
    return () => get(world, `/payments/${paymentId}`);
  },
  "reconcile-orders: nothing is due": (world) => reconcile(world, 0),
  "reconcile-orders: three orders are due": (world) => reconcile(world, 3),
  "count-attention": async (world) => () => world.invoke("count-attention"),
};

type Described = readonly [growth: Growth, words: string, list?: string];

/** What `npx paycast` is asked. ORDER is a paid order, and SINCE to UNTIL are two minutes. */
const commands: readonly Described[] = [
  ["flat", "order ORDER", "entries"],
  [100, "orders", "orders"],
  [320, "orders --text nowhere", "looked"],
  [1_100, "orders --status failed", "looked"],
  ["flat", "quarantine list"],
  ["flat", "dead-letters list team-0"],
  ["flat", "replay --to team-0 --order ORDER", "events"],
  ["shown", "replay --to team-0 --since SINCE --until UNTIL", "events"],
  [2_200, "keys check"],
  [80, "check"],
  ["flat", "status"],
];

/** What the console's pages ask. */
const views: readonly Described[] = [
  ["flat", "/api/flow"],
  [15, "/api/latest-orders", "orders"],
  [100, "/api/orders", "orders"],
  ["flat", "/api/orders/ORDER", "entries"],
  ["flat", "/api/find?text=ORDER", "hits"],
  [1_200, "/api/find?text=nowhere", "hits"],
  ["flat", "/api/quarantine/list"],
  ["flat", "/api/subscribers", "subscribers"],
  ["flat", "/api/subscribers/team-0/dead-letters"],
  [2_200, "/api/keys"],
];

export const things: readonly Thing[] = [
  ...Object.entries(ofFunctions).map(
    ([what, prepare]): Thing => ({ what, growth: "flat", prepare: warm(prepare) }),
  ),
  ...commands.map((one) => thingOf(one, "npx paycast ", askCommand)),
  ...views.map((one) => thingOf(one, "console ", (world, path) => world.openConsole()(path))),
];

/** The first call of an instance reads keys. */
function warm(prepare: Thing["prepare"]): Thing["prepare"] {
  return async (world) => {
    await (await prepare(world))();
    return await prepare(world);
  };
}

function thingOf(
  [growth, words, list]: Described,
  face: string,
  ask: (world: World, words: string) => Promise<unknown>,
): Thing {
  const minutesAgo = (count: number) => new Date(Date.now() - count * 60_000).toISOString();
  const prepare: Thing["prepare"] = async (world) => async () => {
    const filled = words.replace("ORDER", world.paidOrderNo());
    const timed = filled.replace("SINCE", minutesAgo(92)).replace("UNTIL", minutesAgo(90));
    const found = Object(await ask(world, timed));
    const shown = list === undefined ? undefined : found[list];
    return Array.isArray(shown) ? shown.length : shown;
  };
  return { what: `\`${face}${words}\``, growth, prepare };
}

async function askCommand({ directory }: World, words: string): Promise<unknown> {
  const out: string[] = [];
  const said: string[] = [];
  process.env["PAYCAST_DIRECTORY"] = directory;
  await main([...words.split(" "), "--json"], {
    ...{ out: (text) => out.push(text), err: (text) => said.push(text) },
    ...{ errIsTty: false, colours: createColours(false), stopped: new AbortController().signal },
  });
  if (out.length === 0) throw new Error(`npx paycast ${words}: ${said.join("")}`);
  return JSON.parse(out.join(""));
}
