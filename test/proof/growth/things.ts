import { DeleteItemCommand } from "@aws-sdk/client-dynamodb";
import { leaseKey } from "../../../shared/reconciling/take-lease.ts";
import { toAttributes } from "../../../shared/table/attributes.ts";
import { createColours } from "../../../shared/text/terminal-text.ts";
import { main } from "../../../tools/cli/main.ts";
import { checkNow } from "../../../tools/operations/calling/check-now.ts";
import { ask } from "../ask.ts";
import { merchantId, type World } from "./world.ts";

/**
 * `flat`: the cost does not depend on what is stored. `shown`: the cost depends on what it shows. A number: it reads up
 * to a limit of its own, which takes at most this many read units.
 */
export type Growth = "flat" | "shown" | number;

/** Returns the part that is counted, which may return how many things it shows. `orderNo` is a paid order. */
type Prepare = (world: World, orderNo: string) => Promise<() => Promise<unknown>>;

export interface Thing {
  readonly what: string;
  readonly growth: Growth;
  readonly prepare: Prepare;
}

async function call({ api }: World, method: string, path: string, body?: object) {
  const { status, answer } = await ask(method, `${api}${path}`, body && JSON.stringify(body));
  if (status === 200 || status === 201) return JSON.parse(answer);
  throw new Error(`${method} ${path}: ${status}`);
}

let made = 0;

async function createOrder(world: World, orderNo = `LIVE-${++made}-${Date.now()}`) {
  const goods = { referenceGoodsId: "tea", goodsName: "Tea", goodsAmount: 4, goodsQuantity: 3 };
  const { paymentId } = await call(world, "POST", "/orders", {
    channel: "WEB",
    currency: "USD",
    paymentAmount: 12,
    order: { orderNo, orderAmount: 12, goods: [goods] },
  });
  return { orderNo, paymentId: String(paymentId) };
}

/** The service reports that it confirms the payment, then that the payment succeeded. */
async function pay({ simulator, processing }: World, paymentId: string): Promise<void> {
  await processing(() => simulator.pay(paymentId));
  await processing(() => simulator.jumpClock(2));
}

export async function paidOrder(world: World, orderNo?: string) {
  const order = await createOrder(world, orderNo);
  await pay(world, order.paymentId);
  return order;
}

/** A run takes a lease of nearly a minute. The lease is deleted here, so that the next run need not wait for it. */
async function reconcile(world: World, due: number) {
  const { aws, target } = world;
  const Key = toAttributes({ aggregateKey: leaseKey });
  await aws.dynamodb.send(new DeleteItemCommand({ TableName: target.orders.table, Key }));
  for (let count = 0; count < due; count += 1) {
    await checkNow(target, { merchantId, orderNo: (await createOrder(world)).orderNo });
  }
  return () => world.invoke("reconcile-orders");
}

const ofFunctions: Readonly<Record<string, Prepare>> = {
  "create-order: an order": async (world) => () => createOrder(world),
  "receive-callback and process-callback: a payment's two callbacks": async (world) => {
    const { paymentId } = await createOrder(world);
    return () => pay(world, paymentId);
  },
  "receive-callback and process-callback: a refund": async (world) => {
    const { paymentId } = await paidOrder(world);
    world.simulator.refund(paymentId, { amount: "4.10" });
    return () => world.processing(() => world.simulator.jumpClock(2));
  },
  "query-order: a paid order": async (world) => {
    const { orderNo } = await paidOrder(world);
    return () => call(world, "GET", `/orders/${orderNo}`);
  },
  "query-order: an open payment, which asks the service": async (world) => {
    const { paymentId } = await createOrder(world);
    return () => call(world, "GET", `/payments/${paymentId}`);
  },
  "reconcile-orders: nothing is due": (world) => reconcile(world, 0),
  "reconcile-orders: three orders are due": (world) => reconcile(world, 3),
  "count-attention": async (world) => () => world.invoke("count-attention"),
};

/**
 * The requests to `npx paycast` and the console's pages, and the field of the response that has what is shown. ORDER is
 * a paid order, and SINCE to UNTIL are two minutes.
 */
const ofOperators: readonly (readonly [growth: Growth, words: string, list?: string])[] = [
  ["flat", "npx paycast order ORDER", "entries"],
  [100, "npx paycast orders", "orders"],
  [320, "npx paycast orders --text nowhere", "looked"],
  [1_100, "npx paycast orders --status failed", "looked"],
  ["flat", "npx paycast attention list"],
  ["flat", "npx paycast dead-letters list team-0"],
  ["flat", "npx paycast replay --to team-0 --order ORDER", "events"],
  ["shown", "npx paycast replay --to team-0 --since SINCE --until UNTIL", "events"],
  [2_200, "npx paycast keys check"],
  [2_220, "npx paycast check"],
  ["flat", "npx paycast status"],
  ["flat", "console /api/flow"],
  [15, "console /api/latest-orders", "orders"],
  [100, "console /api/orders", "orders"],
  ["flat", "console /api/orders/ORDER", "entries"],
  ["flat", "console /api/find?text=ORDER", "hits"],
  [1_500, "console /api/find?text=nowhere", "hits"],
  ["flat", "console /api/attention/list"],
  ["flat", "console /api/subscribers", "subscribers"],
  ["flat", "console /api/dead-letters/list?queue=team-0"],
  [2_200, "console /api/keys/check"],
];

export const things: readonly Thing[] = [
  ...Object.entries(ofFunctions).map(
    ([what, prepare]): Thing => ({ what, growth: "flat", prepare: warm(prepare) }),
  ),
  ...ofOperators.map(
    ([growth, words, list]): Thing => ({
      what: `\`${words}\``,
      growth,
      prepare: async (world, orderNo) => async () => {
        const found = Object(await operate(world, words.replace("ORDER", orderNo)));
        const shown = list === undefined ? undefined : found[list];
        return Array.isArray(shown) ? shown.length : shown;
      },
    }),
  ),
];

/** The first call of an instance reads keys. */
function warm(prepare: Prepare): Prepare {
  return async (world, orderNo) => {
    await (await prepare(world, orderNo))();
    return await prepare(world, orderNo);
  };
}

async function operate({ directory, askConsole }: World, words: string): Promise<unknown> {
  const minutesAgo = (count: number) => new Date(Date.now() - count * 60_000).toISOString();
  const timed = words.replace("SINCE", minutesAgo(92)).replace("UNTIL", minutesAgo(90));
  const [first, ...rest] = timed.split(" ");
  if (first === "console") return await askConsole(rest.join(" "));
  const [out, err]: [string[], string[]] = [[], []];
  process.env["PAYCAST_DIRECTORY"] = directory;
  await main([...rest.slice(1), "--json"], {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    errIsTty: false,
    colours: createColours(false),
    stopped: new AbortController().signal,
  });
  if (out.length === 0) throw new Error(`${words}: ${err.join("")}`);
  return JSON.parse(out.join(""));
}
