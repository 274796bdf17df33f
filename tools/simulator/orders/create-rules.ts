import { type CreateBody, type CreateGoods, createBodySchema } from "./create-body.ts";
import { readMoney } from "./money.ts";
import { Refusal, refusalCodes } from "./refusal.ts";

const minuteMilliseconds = 60_000;
const shortestExpiryMilliseconds = 5 * minuteMilliseconds;
const longestExpiryMilliseconds = 24 * 60 * minuteMilliseconds;
/** A browser would execute addresses with these schemes. */
const unsafeSchemes = ["javascript:", "data:", "vbscript:", "blob:", "file:"];

/** Validates a create body by the rules of §2.3 to §2.6 and §8. The rejection lists every error. */
export function readCreateBody(
  input: unknown,
  nowMilliseconds: number,
  exactSums = true,
): CreateBody {
  const read = createBodySchema.safeParse(input);
  const faults = read.success
    ? [
        ...amountFaults(read.data, exactSums),
        ...timeFaults(read.data, nowMilliseconds),
        ...addressFaults(read.data),
      ]
    : read.error.issues.map((issue) => `${issue.path.join(".") || "body"} ${issue.message}`);
  if (read.success && faults.length === 0) return read.data;
  throw new Refusal(refusalCodes.bodyField, faults.join("; "));
}

function amountFaults(body: CreateBody, exactSums: boolean): string[] {
  const wrong = namedAmounts(body)
    .filter(([, value]) => value !== undefined && readMoney(value, body.currency) === undefined)
    .map(
      ([name]) =>
        `${name} must be a plain decimal number with no more decimals than ${body.currency} has`,
    );
  if (wrong.length > 0) return wrong;
  const nothing = readMoney(body.paymentAmount, body.currency)?.minorUnits === 0n;
  return [
    ...(nothing ? ["paymentAmount must be more than zero"] : []),
    ...(exactSums ? sumFaults(body) : []),
  ];
}

function namedAmounts(body: CreateBody): [name: string, value: string | undefined][] {
  const { order } = body;
  return [
    ["paymentAmount", body.paymentAmount],
    ["order.orderAmount", order.orderAmount],
    ["order.tips", order.tips],
    ["order.discount", order.discount],
    ["order.totalTax", order.totalTax],
    ["order.insurance", order.insurance],
    ["order.handlingFee", order.handlingFee],
    ["order.shippingDiscount", order.shippingDiscount],
    ["order.shipping.amount", order.shipping?.amount],
    ...order.goods.flatMap((item, index): [string, string | undefined][] => [
      [`order.goods.${index}.${amountName(item)}`, amountOf(item)],
      [`order.goods.${index}.tax`, item.tax],
    ]),
  ];
}

/**
 * §2.4: the order's amount and tax should be the sums over the goods. Not checked if one of the goods has no amount. If
 * the amount of an item is not a whole number of minor units, it may be rounded up or down.
 */
function sumFaults({ order, currency }: CreateBody): string[] {
  const amounts = sumOver(order.goods, amountOf, currency);
  const taxes = sumOver(order.goods, (item) => item.tax, currency);
  return [
    differs(order.orderAmount, amounts, currency) &&
      "order.orderAmount must be the sum of amount times quantity over the goods",
    differs(order.totalTax, taxes, currency) &&
      "order.totalTax must be the sum of tax times quantity over the goods",
  ].filter((fault) => fault !== false);
}

interface Sum {
  readonly least: bigint;
  readonly most: bigint;
}

function differs(total: string | undefined, sum: Sum | undefined, currency: string): boolean {
  if (total === undefined || sum === undefined) return false;
  const minorUnits = readMoney(total, currency)?.minorUnits ?? -1n;
  return minorUnits < sum.least || minorUnits > sum.most;
}

function sumOver(
  goods: readonly CreateGoods[],
  amountIn: (item: CreateGoods) => string | undefined,
  currency: string,
): Sum | undefined {
  let [least, most] = [0n, 0n];
  for (const item of goods) {
    const value = amountIn(item);
    if (value === undefined || item.goodsQuantity === undefined) return undefined;
    const [whole = "", decimals = ""] = item.goodsQuantity.split(".");
    const divisor = 10n ** BigInt(decimals.length);
    const product = (readMoney(value, currency)?.minorUnits ?? 0n) * BigInt(whole + decimals);
    least += product / divisor;
    most += (product + divisor - 1n) / divisor;
  }
  return { least, most };
}

function timeFaults(body: CreateBody, nowMilliseconds: number): string[] {
  const lifetimeMilliseconds = body.paymentExpiryTime - body.paymentTime;
  if (
    lifetimeMilliseconds < shortestExpiryMilliseconds ||
    lifetimeMilliseconds > longestExpiryMilliseconds
  ) {
    return ["paymentExpiryTime must be 5 minutes to 24 hours after paymentTime"];
  }
  return body.paymentExpiryTime > nowMilliseconds
    ? []
    : ["paymentExpiryTime must be in the future"];
}

function addressFaults(body: CreateBody): string[] {
  return [callbackFault(body.callbackUrl), redirectFault(body.redirectUrl, body.channel)].filter(
    (fault) => fault !== undefined,
  );
}

/** §6 requires HTTPS on port 443. Local addresses may have any scheme and port, for tests. */
function callbackFault(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = parseUrl(text);
  if (url && /^https?:$/.test(url.protocol) && isLoopback(url.hostname)) return undefined;
  // The URL parser gives an empty port for the default port of the scheme.
  if (url?.protocol === "https:" && url.port === "") return undefined;
  return "callbackUrl must be https on port 443, or an address of this machine";
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

function redirectFault(
  text: string | undefined,
  channel: CreateBody["channel"],
): string | undefined {
  if (text === undefined) return undefined;
  const scheme = parseUrl(text)?.protocol;
  if (scheme === "https:" || scheme === "http:") return undefined;
  // An app has its own scheme.
  const isAppLink = scheme !== undefined && channel === "APP" && !unsafeSchemes.includes(scheme);
  return isAppLink
    ? undefined
    : "redirectUrl must be an http or https address (or an app's own for channel APP)";
}

export function amountOf(item: CreateGoods): string | undefined {
  return item.goodsAmount ?? item.goodsUnitAmount;
}

function amountName(item: CreateGoods): string {
  return item.goodsUnitAmount === undefined ? "goodsAmount" : "goodsUnitAmount";
}
