import { setTimeout as wait } from "node:timers/promises";
import type { FaultInput } from "../../../simulator/faults/fault.ts";
import { Refusal } from "../../../simulator/orders/refusal.ts";
import type { Random } from "./random.ts";
import { merchantIds, type World } from "./world.ts";

/** One call of the storefront API, and its answer. */
export interface ApiCall {
  readonly atMilliseconds: number;
  readonly endedMilliseconds: number;
  readonly orderNo: string;
  readonly request: string;
  /** Undefined if there was no answer. */
  readonly status: number | undefined;
  readonly answer: string;
}

/** An order that the run has made, wherever it was made. */
export interface MadeOrder {
  readonly orderNo: string;
  readonly merchantId: string;
  readonly amount: string;
  readonly currency: string;
  readonly story: string;
  /** False for an order that the storefront API was never asked for. */
  readonly isOurs: boolean;
}

/** An order as the payment service has it. */
type OrderView = ReturnType<World["simulator"]["order"]>;

type Act = (
  simulator: World["simulator"],
  order: OrderView,
  random: Random,
) => void | Promise<void>;

/** What becomes of an order. A fault is switched on for this order alone, before it is made. */
interface Story {
  readonly weight: number;
  readonly faults?: readonly FaultInput[];
  readonly act: Act;
}

const pay: Act = ({ pay }, { paymentId }) => pay(paymentId);
const payAgain: Act = ({ pay }, { paymentId }) => pay(paymentId, { force: true });
const decline: Act = ({ fail }, { paymentId }) => fail(paymentId);
const expire: Act = ({ expire }, { paymentId }) => expire(paymentId);

/** One after the other; each waits until the service has done what came before. */
function then(...acts: readonly Act[]): Act {
  return async (simulator, order, random) => {
    for (const act of acts) {
      await act(simulator, order, random);
      await wait(random.between(150, 900));
    }
  };
}

const refundSome: Act = async (simulator, { paymentId, amount }, random) => {
  for (let tries = 0; tries < 40 && simulator.order(paymentId).status !== "success"; tries += 1) {
    await wait(100);
  }
  if (simulator.order(paymentId).status !== "success") return;
  const digits = BigInt(amount.replace(".", ""));
  const part = String(digits / 3n).padStart(amount.split(".")[1]?.length ?? 0, "0");
  const point = amount.includes(".") ? amount.length - amount.indexOf(".") - 1 : 0;
  const some = point === 0 ? part : `${part.slice(0, -point) || "0"}.${part.slice(-point)}`;
  const outcome = random.chance(0.2) ? "failed" : "success";
  simulator.refund(paymentId, { amount: some, outcome });
};

const stories: Readonly<Record<string, Story>> = {
  paid: { weight: 30, act: pay },
  // Callbacks come while the service is asked.
  watched: {
    weight: 6,
    faults: [{ kind: "slow-answer", operation: "query", seconds: 1 }],
    act: pay,
  },
  declined: { weight: 8, act: decline },
  expired: { weight: 8, act: expire },
  "declined, then paid": { weight: 5, act: then(decline, payAgain) },
  "expired, then paid": { weight: 5, act: then(expire, payAgain) },
  "paid twice": { weight: 5, act: then(pay, payAgain) },
  refunded: { weight: 10, act: then(pay, refundSome) },
  "refunded in parts": { weight: 6, act: then(pay, refundSome, refundSome, refundSome) },
  "sent twice": { weight: 4, faults: [{ kind: "send-twice" }], act: pay },
  "out of order": { weight: 4, faults: [{ kind: "out-of-order", times: 1 }], act: pay },
  delayed: { weight: 4, faults: [{ kind: "delay", times: 1, seconds: 200 }], act: pay },
  lost: { weight: 4, faults: [{ kind: "lose", times: 2 }], act: pay },
  "another amount": { weight: 3, faults: [{ kind: "wrong-amount" }], act: pay },
  contradicted: { weight: 3, faults: [{ kind: "conflicting-callback", times: 1 }], act: pay },
  "not readable": { weight: 3, faults: [{ kind: "malformed-result", times: 1 }], act: pay },
  "unknown event": { weight: 2, faults: [{ kind: "unknown-event", times: 1 }], act: pay },
  "wrong key": { weight: 3, faults: [{ kind: "wrong-key", times: 2 }], act: pay },
  tampered: { weight: 3, faults: [{ kind: "tampered-body", times: 2 }], act: pay },
  "another merchant": { weight: 2, faults: [{ kind: "wrong-merchant", times: 1 }], act: pay },
  "another merchant inside": {
    weight: 2,
    faults: [{ kind: "wrong-merchant", times: 1, where: "result" }],
    act: pay,
  },
  "too old": { weight: 2, faults: [{ kind: "old-timestamp", times: 1 }], act: pay },
  "refused first": { weight: 3, faults: [{ kind: "refuse-creates", times: 1 }], act: pay },
  "answer lost": {
    weight: 3,
    faults: [{ kind: "reset-connections", operation: "create", when: "after", times: 1 }],
    act: pay,
  },
  "asked in vain": {
    weight: 3,
    faults: [{ kind: "broken-answer", operation: "query", times: 2 }],
    act: pay,
  },
};

const amounts = [
  { currency: "EUR", amount: () => "19.99" },
  {
    currency: "USD",
    amount: (random: Random) => `${random.between(1, 900)}.${random.between(10, 99)}`,
  },
  { currency: "JPY", amount: (random: Random) => String(random.between(3, 90_000)) },
  {
    currency: "TND",
    amount: (random: Random) => `${random.between(1, 50)}.${random.between(100, 999)}`,
  },
];

export const allStories: readonly string[] = Object.keys(stories);

export interface Shopper {
  readonly orders: readonly MadeOrder[];
  readonly calls: ApiCall[];
  /** Makes orders at this rate until the time is over, and waits for the last one. */
  readonly shop: (ordersPerSecond: number, untilMilliseconds: number) => Promise<void>;
}

/** Customers and a storefront: they make orders, pay, decline, wait too long, want their money back, and ask. */
export function createShopper(
  world: World,
  random: Random,
  { name, stories: told }: { readonly name: string; readonly stories: readonly string[] },
): Shopper {
  const orders: MadeOrder[] = [];
  const calls: ApiCall[] = [];
  const ask = (orderNo: string, request: string, body?: unknown) =>
    callApi(world.api, calls, { orderNo, request, body });

  const buy = async (number: number) => {
    const choice = random.branch(`order ${number}`);
    const story = pickStory(choice, told);
    const { currency, amount: amountOf } = choice.pick(amounts);
    const isOurs = choice.chance(0.7) || "refused first" === story || "answer lost" === story;
    const order = {
      ...{ orderNo: `${name}-${number}`, merchantId: choice.pick(merchantIds), story, isOurs },
      ...{ currency, amount: amountOf(choice) },
    };
    orders.push(order);
    const { faults = [], act } = stories[story] ?? { act: pay };
    for (const fault of faults) {
      world.simulator.addFault({ ...fault, orderNo: order.orderNo });
    }
    const made = isOurs ? await createHere(world, order, ask) : createThere(world, order);
    if (made === undefined) return;
    await wait(choice.between(50, 1_500));
    const get = () =>
      ask(order.orderNo, `GET /orders/${order.orderNo}?merchantId=${order.merchantId}`);
    const acting = actInTime(act, world, made, choice);
    // A page that shows the order while it is paid asks again and again.
    for (let polls = 0; story === "watched" && polls < 6; polls += 1) {
      await get();
      await wait(choice.between(100, 400));
    }
    await acting;
    if (choice.chance(0.4)) await get();
  };

  return {
    orders,
    calls,
    shop: async (ordersPerSecond, untilMilliseconds) => {
      const buying: Promise<void>[] = [];
      while (Date.now() < untilMilliseconds) {
        const first = orders.length + 1;
        buying.push(buy(first));
        await wait(1_000 / ordersPerSecond);
      }
      await Promise.all(buying);
    },
  };
}

/** A customer may come too late: a jump of the clock has ended the order. */
async function actInTime(act: Act, { simulator }: World, order: OrderView, random: Random) {
  try {
    await act(simulator, order, random);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

function pickStory(random: Random, told: readonly string[]): string {
  const wanted = Object.entries(stories).filter(([name]) => told.includes(name));
  const tickets = wanted.flatMap(([name, { weight }]) =>
    Array.from({ length: weight }, () => name),
  );
  return random.pick(tickets);
}

type Ask = (orderNo: string, request: string, body?: unknown) => Promise<ApiCall>;

/** Through the storefront API. A caller who got no order asks again with the same body, as the guide says. */
async function createHere(
  world: World,
  order: MadeOrder,
  ask: Ask,
): Promise<OrderView | undefined> {
  const { orderNo, amount, currency, merchantId } = order;
  const goods = [
    { referenceGoodsId: "1", goodsName: "One", goodsAmount: amount, goodsQuantity: 1 },
  ];
  const body = {
    ...{ merchantId, channel: "WEB", paymentAmount: amount, currency },
    order: { orderNo, orderAmount: amount, goods },
  };
  for (let tries = 0; tries < 60; tries += 1) {
    const { status } = await ask(orderNo, "POST /orders", body);
    if (status === 200 || status === 201) break;
    await wait(1_000);
  }
  return world.simulator.orders().find((one) => one.orderNo === orderNo);
}

/** At the payment service alone, as by another system of the merchant. */
function createThere({ simulator }: World, { orderNo, merchantId, amount, currency }: MadeOrder) {
  return simulator.makeOrder({ orderNo, merchantId, amount, currency });
}

async function callApi(
  api: string,
  calls: ApiCall[],
  { orderNo, request, body }: { orderNo: string; request: string; body?: unknown },
): Promise<ApiCall> {
  const [method = "", path = ""] = request.split(" ");
  const atMilliseconds = Date.now();
  const ended = (status: number | undefined, answer: string): ApiCall => {
    const endedMilliseconds = Date.now();
    const call = { orderNo, request, atMilliseconds, endedMilliseconds, status, answer };
    calls.push(call);
    return call;
  };
  try {
    const signal = AbortSignal.timeout(35_000);
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${api}${path}`, { method, headers, signal, ...sent });
    return ended(answer.status, await answer.text());
  } catch (error) {
    return ended(undefined, String(error));
  }
}

/** Asks until there is a current answer. */
export async function askUntilCurrent(
  world: World,
  calls: ApiCall[],
  { orderNo, merchantId }: MadeOrder,
): Promise<ApiCall> {
  const request = `GET /orders/${orderNo}?merchantId=${merchantId}`;
  for (let tries = 0; ; tries += 1) {
    const call = await callApi(world.api, calls, { orderNo, request });
    const isCurrent =
      call.status !== undefined && call.status < 500 && !/"stale":true/.test(call.answer);
    if (isCurrent || tries > 30) return call;
    await wait(1_000);
  }
}
