import { setTimeout as wait } from "node:timers/promises";
import { Refusal } from "../../../tools/simulator/orders/refusal.ts";
import { type Answered, ask } from "../ask.ts";
import { creation, otherCreation } from "./check/requests.ts";
import type { Random } from "./random.ts";
import { allStories, stories } from "./stories.ts";
import { merchantIds, type World } from "./world.ts";

/** One call of the storefront API, and its response. */
export interface ApiCall extends Answered {
  readonly orderNo: string;
  readonly request: string;
}

/** An order that the run created, through the storefront API or elsewhere. */
export interface MadeOrder {
  readonly orderNo: string;
  readonly merchantId: string;
  readonly amount: string;
  readonly currency: string;
  readonly story: string;
  /** False for an order that was not created through the storefront API. */
  readonly isOurs: boolean;
  /** Its end comes hours after its expiry, and without a callback. */
  readonly endsLate: boolean;
}

const amounts: readonly (readonly [currency: string, amount: (random: Random) => string])[] = [
  ["EUR", () => "19.99"],
  ["USD", (random) => `${random.between(1, 900)}.${random.between(10, 99)}`],
  ["JPY", (random) => String(random.between(3, 90_000))],
  ["TND", (random) => `${random.between(1, 50)}.${random.between(100, 999)}`],
];
/** Stories that are possible only for an order that is created through the storefront API. */
const onlyHere = [
  "rejected first",
  "response lost",
  ...allStories.filter((name) => {
    const { isEarly, endsLate, sendsOther } = stories[name] ?? {};
    return isEarly || endsLate || sendsOther;
  }),
];

/** Customers and a storefront: they create orders, pay, decline, wait too long, ask for refunds, and read orders. */
export function createShopper(world: World, random: Random, reported: readonly string[]) {
  const { simulator } = world;
  const orders: MadeOrder[] = [];
  const calls: ApiCall[] = [];
  /** As the storefront API returned them. */
  const paymentIds = new Map<string, string>();
  const tickets = allStories
    .filter((name) => reported.includes(name))
    .flatMap((name) => Array<string>(stories[name]?.weight ?? 0).fill(name));

  const call = async (orderNo: string, request: string, body?: object): Promise<ApiCall> => {
    const [method = "", path = ""] = request.split(" ");
    const answered = await ask(
      method,
      `${world.api}${path}`,
      body && JSON.stringify(body),
      world.now,
    );
    const made = { ...answered, orderNo, request };
    calls.push(made);
    return made;
  };
  const get = ({ orderNo, merchantId }: MadeOrder) =>
    call(orderNo, `GET /orders/${orderNo}?merchantId=${merchantId}`);

  const getPayment = ({ orderNo, merchantId }: MadeOrder, paymentId: string) =>
    call(orderNo, `GET /payments/${paymentId}?merchantId=${merchantId}`);

  /**
   * Through the storefront API. A caller without a response repeats the request with the same body, as the guide says.
   */
  const createHere = async (order: MadeOrder) => {
    const { orderNo } = order;
    for (let tries = 0; tries < 60; tries += 1) {
      const { status, answer } = await call(orderNo, creation, bodyOf(order));
      if (status === 200 || status === 201) {
        paymentIds.set(orderNo, JSON.parse(answer).paymentId);
        break;
      }
      await wait(1_000);
    }
    return simulator.orders().find((order) => order.orderNo === orderNo);
  };

  /** Another amount under the number of an order that the storefront API has confirmed. */
  const createOther = async (order: MadeOrder) => {
    const { orderNo, amount } = order;
    if (!paymentIds.has(orderNo)) return;
    await call(orderNo, otherCreation, bodyOf({ ...order, amount: `1${amount}` }));
  };

  /** The order as soon as the service has it. */
  const untilThere = async (orderNo: string) => {
    for (let tries = 0; tries < 100; tries += 1) {
      const [newest] = simulator.orders().filter((order) => order.orderNo === orderNo);
      if (newest !== undefined) return newest;
      await wait(100);
    }
    return undefined;
  };

  /** Directly at the payment service, as another system of the merchant would. */
  const createThere = ({ orderNo, merchantId, amount, currency }: MadeOrder) =>
    simulator.makeOrder({ orderNo, merchantId, amount, currency });

  const draw = (orderNo: string, choice: Random): MadeOrder => {
    const story = choice.pick(tickets);
    const [currency, amountOf] = choice.pick(amounts);
    const isOurs = choice.chance(0.7) || onlyHere.includes(story);
    const merchantId = choice.pick(merchantIds);
    const endsLate = stories[story]?.endsLate ?? false;
    return { orderNo, merchantId, story, isOurs, endsLate, currency, amount: amountOf(choice) };
  };

  const buy = async (orderNo: string, number: number) => {
    const choice = random.branch(`order ${number}`);
    const order = draw(orderNo, choice);
    orders.push(order);
    const { faults = [], act, isEarly, sendsOther, polls } = stories[order.story] ?? {};
    for (const fault of faults) simulator.addFault({ ...fault, orderNo });
    const creating = order.isOurs ? createHere(order) : createThere(order);
    const made = isEarly ? await untilThere(orderNo) : await creating;
    if (made === undefined) return void (await creating);
    if (!isEarly) await wait(choice.between(50, 1_500));
    if (sendsOther) await createOther(order);
    const acting = inTime(async () => await act?.(simulator, made, choice));
    for (let reads = 0; polls !== undefined && reads < polls.times; reads += 1) {
      await get(order);
      await wait(polls.pauseMilliseconds + choice.between(-150, 150));
    }
    await Promise.all([acting, creating]);
    if (sendsOther) await createOther(order);
    if (choice.chance(0.4)) await get(order);
    const paymentId = paymentIds.get(orderNo);
    if (paymentId !== undefined && choice.chance(0.2)) await getPayment(order, paymentId);
  };

  return {
    orders,
    calls,
    /** Creates orders at this rate until the time ends, and waits for the last one. */
    shop: async (name: string, ordersPerSecond: number, untilMilliseconds: number) => {
      const buying: Promise<void>[] = [];
      while (Date.now() < untilMilliseconds) {
        const number = buying.length + 1;
        buying.push(buy(`${name}-${number}`, number));
        await wait(1_000 / ordersPerSecond);
      }
      await Promise.all(buying);
    },
    get,
  };
}

function bodyOf({ orderNo, amount, currency, merchantId }: MadeOrder): object {
  const item = { referenceGoodsId: "1", goodsName: "One", goodsAmount: amount, goodsQuantity: 1 };
  return {
    merchantId,
    channel: "WEB",
    paymentAmount: amount,
    currency,
    order: { orderNo, orderAmount: amount, goods: [item] },
  };
}

/** A customer may be too late, because a clock jump has ended the order. */
async function inTime(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}
