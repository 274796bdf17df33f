import { type Amount, amountToNumber, readAmount } from "../money/amount.ts";
import { sha256Of } from "../sha256.ts";
import { type BodyRules, findFaults, findFaultsIfNew } from "./body-faults.ts";
import { type CreateBody, createBodySchema } from "./create-body.ts";
import { type Fault, ProblemError, problemOf } from "./problem.ts";

/** An order that may be created: checked whole, defaults filled in. */
export interface OrderToCreate {
  readonly merchantId: string | undefined;
  readonly orderNo: string;
  readonly amount: Amount;
  readonly channel: CreateBody["channel"];
  readonly paymentTimeMilliseconds: number;
  readonly expiresAtMilliseconds: number;
  /** What the caller sent, defaults aside: by it a repeat is told from another order. */
  readonly contentHash: string;
  /** The create body as the service gets it, but for `callbackUrl` (§2.3). */
  readonly body: object;
  /** What is wrong with it unless it has been created before. */
  readonly faultsIfNew: readonly Fault[];
}

const defaultLifetimeMilliseconds = 30 * 60_000;
const mostBytes = 256 * 1024;
/** Whoever has more than this to mend has sent something else than an order. */
const mostFaults = 500;

/** Throws a `ProblemError` that lists every fault. */
export function readOrder(json: string, rules: BodyRules): OrderToCreate {
  if (Buffer.byteLength(json) > mostBytes) {
    throw new ProblemError(problemOf("body-too-large", "An order is at most 256 KiB of JSON."));
  }
  const body = parseJson(json);
  const faults = findFaults(json, body, rules);
  const faultsIfNew = findFaultsIfNew(body, rules);
  if (faults.length > 0) throw bodyInvalid([...faults, ...faultsIfNew]);
  const order = toOrder(createBodySchema.parse(body), body, rules.nowMilliseconds);
  return { ...order, faultsIfNew };
}

export function bodyInvalid(faults: readonly Fault[]): ProblemError {
  const errors = faults.slice(0, mostFaults);
  return new ProblemError(problemOf("body-invalid", whatToMend(faults.length), { errors }));
}

function whatToMend(faults: number): string {
  if (faults === 1) return "Mend the fault in errors.";
  const listed = faults > mostFaults ? `, of which errors lists ${mostFaults}` : " in errors";
  return `Mend the ${faults} faults${listed}.`;
}

function toOrder(
  body: CreateBody,
  sent: unknown,
  nowMilliseconds: number,
): Omit<OrderToCreate, "faultsIfNew"> {
  const { merchantId, order, currency, channel, redirectUrl } = body;
  const paymentTime = body.paymentTime ?? nowMilliseconds;
  const paymentExpiryTime = body.paymentExpiryTime ?? paymentTime + defaultLifetimeMilliseconds;
  const paymentAmount = wireAmount(body.paymentAmount, currency);
  const wire = { order: wireOrder(order, currency), channel, paymentAmount, currency };
  return {
    merchantId,
    orderNo: order.orderNo,
    amount: readAmount(body.paymentAmount, currency),
    channel,
    paymentTimeMilliseconds: paymentTime,
    expiresAtMilliseconds: paymentExpiryTime,
    contentHash: sha256Of(canonical(sent)),
    body: { ...wire, paymentTime, paymentExpiryTime, redirectUrl },
  };
}

function wireOrder(order: CreateBody["order"], currency: string): object {
  const { goods, shipping, orderNo, orderDescription, ...amounts } = order;
  return {
    orderNo,
    orderDescription,
    ...wireAmounts(amounts, currency),
    shipping: shipping && { ...shipping, ...wireAmounts({ amount: shipping.amount }, currency) },
    goods: goods.map((item) => wireGoods(item, currency)),
  };
}

function wireGoods(item: CreateBody["order"]["goods"][number], currency: string): object {
  const { goodsAmount, goodsUnitAmount, tax, goodsQuantity, ...texts } = item;
  return {
    ...texts,
    ...wireAmounts({ goodsAmount: goodsAmount ?? goodsUnitAmount, tax }, currency),
    goodsQuantity: goodsQuantity === undefined ? undefined : Number(goodsQuantity),
  };
}

function wireAmounts(
  amounts: Record<string, number | string | undefined>,
  currency: string,
): Record<string, number | undefined> {
  return Object.fromEntries(
    Object.entries(amounts).map(([name, value]) => [
      name,
      value === undefined ? undefined : wireAmount(value, currency),
    ]),
  );
}

function wireAmount(value: number | string, currency: string): number {
  return amountToNumber(readAmount(value, currency));
}

/** One spelling for one content: the order of names does not matter. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    const errors = [{ pointer: "", detail: "The body is not JSON." }];
    throw new ProblemError(problemOf("body-invalid", "Send the order as JSON.", { errors }));
  }
}
