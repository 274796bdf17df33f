import { setTimeout as wait } from "node:timers/promises";
import { currentOrderNo, type Memory, orderPath, type Purchase } from "./memory.ts";
import { type Asked, isStale, mayTryAgain } from "./order-state.ts";
import type { NewOrder, PaidOrder, PaycastApi } from "./paycast-api.ts";
import { currency, decimal, describeLines, sumCents } from "./teas.ts";

export interface Pay {
  readonly api: PaycastApi;
  readonly memory: Memory;
  /** The shop's own address, which the payment service sends the customer back to. */
  readonly address: string;
  /** One line for the terminal. */
  readonly tell: (line: string) => void;
  /** The calls under way by order number, so that a double click makes one call. */
  readonly creating: Map<string, Promise<PaidOrder>>;
}

/** Creates the order at Paycast and gives the address to send the customer to: the checkout or the order's page. */
export async function startPayment(purchase: Purchase, deps: Pay): Promise<string> {
  const { memory, tell } = deps;
  const orderNo = currentOrderNo(purchase);
  try {
    const order = await createOnce(orderNo, purchase, deps);
    memory.noteCreated(orderNo);
    const checkoutUrl = order.status === "pending" ? order.checkoutUrl : undefined;
    return checkoutUrl ?? orderPath(orderNo);
  } catch (error) {
    // The order may or may not exist now. The customer tries again under the same number, so there is at most one.
    tell(`${orderNo} could not be created. ${describe(error)}`);
    return orderPath(orderNo);
  }
}

/** Pays for an order of which the customer is not sure: the same order again, or the next one if it has failed. */
export async function payAgain(orderNo: string, deps: Pay): Promise<string> {
  const { memory } = deps;
  if (mayTryAgain(await askUntilSure(orderNo, deps))) memory.tryAgainAfter(orderNo);
  const purchase = memory.find(orderNo);
  if (purchase === undefined || purchase.packedFor !== undefined) return orderPath(orderNo);
  return await startPayment(purchase, deps);
}

/** The status comes from Paycast, whatever the address says that the customer came back with. */
export async function askAbout(orderNo: string, { api, tell }: Pay): Promise<Asked> {
  try {
    return (await api.readOrder(orderNo)) ?? "unknown";
  } catch (error) {
    tell(`${orderNo} could not be asked about. ${describe(error)}`);
    return "no-answer";
  }
}

const mostQuestions = 5;
const pauseMilliseconds = 1_000;

/** News from the payment service is shown at once and recorded a moment later. Until then the next answer is stale. */
async function askUntilSure(orderNo: string, deps: Pay): Promise<Asked> {
  let asked = await askAbout(orderNo, deps);
  for (let questions = 1; isStale(asked) && questions < mostQuestions; questions += 1) {
    await wait(pauseMilliseconds);
    asked = await askAbout(orderNo, deps);
  }
  return asked;
}

async function createOnce(orderNo: string, purchase: Purchase, deps: Pay): Promise<PaidOrder> {
  const { creating, api, tell, address } = deps;
  const underWay = creating.get(orderNo);
  if (underWay !== undefined) return await underWay;

  const call = api.createOrder(newOrder(orderNo, purchase, address));
  creating.set(orderNo, call);
  try {
    const order = await call;
    tell(`${orderNo} created: ${describeLines(purchase.lines)}`);
    return order;
  } finally {
    creating.delete(orderNo);
  }
}

function newOrder(orderNo: string, { lines }: Purchase, address: string): NewOrder {
  const total = decimal(sumCents(lines));
  const goods = lines.map(({ tea, quantity }) => ({
    referenceGoodsId: tea.id,
    goodsName: tea.name,
    goodsAmount: decimal(tea.priceCents),
    goodsQuantity: quantity,
  }));
  return {
    channel: "WEB",
    currency,
    paymentAmount: total,
    redirectUrl: `${address}${orderPath(orderNo)}`,
    order: { orderNo, orderAmount: total, goods },
  };
}

/** For the terminal: `fetch` hides its reason in the cause. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const reason = error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return `${error.message}${reason}`;
}
