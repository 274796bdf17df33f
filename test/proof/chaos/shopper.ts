import { setTimeout as wait } from "node:timers/promises";
import { Refusal } from "../../../tools/simulator/orders/refusal.ts";
import { type Answered, ask } from "../ask.ts";
import { parseObject } from "./check/open-envelope.ts";
import {
  addressOf,
  creation,
  otherCreation,
  rejectedCreation,
  type StorefrontBody,
} from "./check/requests.ts";
import type { Random } from "./random.ts";
import { allStories, stories } from "./stories.ts";
import { merchantIds, type World } from "./world.ts";

/** One call of the storefront API, and its response. */
export interface ApiCall extends Answered {
  readonly orderNo: string;
  readonly request: string;
  /** Of a request that creates an order. */
  readonly body?: StorefrontBody | undefined;
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
  /** The parts of its creation that a storefront may leave out. */
  readonly details: Details;
}

interface Details {
  readonly redirectUrl?: string;
  readonly orderDescription?: string;
  /** Whether the storefront sends amounts as numbers. */
  readonly hasNumbers: boolean;
}

const amounts: readonly (readonly [currency: string, amount: (random: Random) => string])[] = [
  ["EUR", () => "19.99"],
  ["USD", (random) => `${random.between(1, 900)}.${random.between(10, 99)}`],
  ["JPY", (random) => String(random.between(3, 90_000))],
  ["TND", (random) => `${random.between(1, 50)}.${random.between(100, 999)}`],
];
/** Stories that are possible only for an order that is created through the storefront API. */
const onlyHere = allStories.filter((name) => {
  const { isEarly, endsLate, storefront, faults = [] } = stories[name] ?? {};
  const isAboutCreation = faults.some(
    (fault) =>
      fault.kind === "refuse-creates" || ("operation" in fault && fault.operation === "create"),
  );
  return isEarly || endsLate || storefront !== undefined || isAboutCreation;
});
/** An order number may be any text. */
const endings = ["", "", "", "", "", "/1", "?a=b&c", " 100 % #1", "-ü茶", "+.."];

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

  const read = async (orderNo: string, path: string): Promise<ApiCall> => {
    const answered = await ask("GET", `${world.api}${path}`, undefined, world.now);
    const made = { ...answered, orderNo, request: `GET ${path}` };
    calls.push(made);
    return made;
  };
  const get = (order: MadeOrder) => read(order.orderNo, addressOf(order));

  const getPayment = ({ orderNo, merchantId }: MadeOrder, paymentId: string) =>
    read(orderNo, `/payments/${paymentId}?merchantId=${merchantId}`);

  /** `nameOf` names the request in the shop's records, after its response. */
  const post = async (order: MadeOrder, nameOf: (answered: Answered) => string) => {
    const body = bodyOf(order);
    const url = `${world.api}/orders`;
    const answered = await ask("POST", url, JSON.stringify(body), world.now);
    const { orderNo } = order;
    const made = { ...answered, orderNo, request: nameOf(answered), body };
    calls.push(made);
    return made;
  };

  /**
   * Through the storefront API. A caller without a response repeats the request with the same body, as the guide says.
   */
  const createHere = async (order: MadeOrder) => {
    const { orderNo } = order;
    for (let tries = 0; tries < 60; tries += 1) {
      const { status, answer } = await post(order, () => creation);
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
    if (paymentIds.has(order.orderNo)) await post(withMore(order), () => otherCreation);
  };

  /** The storefront gets no response in time, or the customer clicks twice. */
  const createTwice = async (order: MadeOrder) => {
    const [made] = await Promise.all([createHere(order), createHere(order)]);
    return made;
  };

  /**
   * The payment service rejects the order, and the storefront corrects its amount. Unless the stack says so and shows the
   * order as refused, the order may exist, and the storefront repeats it unchanged.
   */
  const createCorrected = async (order: MadeOrder) => {
    const wrong = withMore(order);
    orders[orders.indexOf(order)] = wrong;
    const { request } = await post(wrong, ({ answer }) =>
      answer.includes("problem:service-refused") ? rejectedCreation : creation,
    );
    if (request === creation) return await createHere(wrong);
    const shown = await get(wrong);
    if (parseObject(shown.answer)?.["status"] !== "refused") return await createHere(wrong);
    orders[orders.indexOf(wrong)] = order;
    return await createHere(order);
  };
  const creators = { once: createHere, twice: createTwice, corrected: createCorrected };

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
    const amount = amountOf(choice);
    const details = {
      ...(choice.chance(0.5) && {
        redirectUrl: `https://shop.example/back?order=${choice.next()}`,
      }),
      ...(choice.chance(0.5) && { orderDescription: "Zwölf Äpfel, 茶" }),
      hasNumbers: choice.chance(0.5),
    };
    return { orderNo, merchantId, story, isOurs, endsLate, currency, amount, details };
  };

  const buy = async (name: string, number: number) => {
    const choice = random.branch(`order ${number}`);
    const orderNo = `${name}${choice.pick(endings)}`;
    const order = draw(orderNo, choice);
    orders.push(order);
    const { faults = [], act, isEarly, polls, storefront } = stories[order.story] ?? {};
    const sendsOther = storefront === "another order";
    for (const fault of faults) simulator.addFault({ ...fault, orderNo });
    const create = creators[sendsOther ? "once" : (storefront ?? "once")];
    const creating = order.isOurs ? create(order) : createThere(order);
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

/** The same order with another amount. */
function withMore(order: MadeOrder): MadeOrder {
  return { ...order, amount: `1${order.amount}` };
}

function bodyOf(order: MadeOrder): StorefrontBody {
  const { orderNo, currency, merchantId } = order;
  const { redirectUrl, orderDescription, hasNumbers } = order.details;
  const amount = hasNumbers ? Number(order.amount) : order.amount;
  const item = { referenceGoodsId: "1", goodsName: "One", goodsAmount: amount, goodsQuantity: 1 };
  return {
    merchantId,
    channel: "WEB",
    paymentAmount: amount,
    currency,
    ...(redirectUrl && { redirectUrl }),
    order: {
      orderNo,
      ...(orderDescription && { orderDescription }),
      orderAmount: amount,
      goods: [item],
    },
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
