import { describeIssue } from "../errors/describe-issues.ts";
import { currencyExponent } from "../money/currencies.ts";
import { inexactNumbers } from "../money/exact-numbers.ts";
import { isWithin } from "../text/characters.ts";
import { timeSchema } from "../time/read-time.ts";
import { defaultLifetimeMilliseconds } from "../timing.ts";
import { amountFaults } from "./amount-faults.ts";
import { deepestField, longestPointer, mostLooked } from "./body-limits.ts";
import { createBodySchema, hasTooManyGoods } from "./create-body.ts";
import { type Fault, faultAt, type Path, valueAt } from "./problem.ts";
import { type RedirectRules, redirectFaults } from "./redirect-faults.ts";
import { encodingFaults, repeatedNameFaults } from "./text-faults.ts";

const minute = 60_000;
const shortestExpiry = 5 * minute;
const longestExpiry = 24 * 60 * minute;
const longestAhead = 24 * 60 * minute;
const shortNumber = 32;

/** Settings of the stack that a body must agree with. */
export interface BodyRules {
  readonly nowMilliseconds: number;
  readonly redirects: RedirectRules;
  readonly merchantIds: readonly string[];
  /** Whether the service shortens longer order numbers. */
  readonly shortOrderNumbers: boolean;
  /** Whether sums over the goods must be equal to the amounts of the order. */
  readonly exactSums: boolean;
}

interface BodyFaults {
  /** Whether one of the faults is that the stack does not have the merchant. */
  readonly isMerchantUnknown: boolean;
  readonly always: readonly Fault[];
  /** Faults of a new order only. A repeat may have them, because time has passed since the order was created. */
  readonly ifNew: readonly Fault[];
}

/**
 * Finds all faults of a body together. Each check reads the body as sent and does not depend on the others, so one
 * fault does not hide another.
 */
export function findFaults(json: string, body: unknown, rules: BodyRules): BodyFaults {
  const merchant = merchantFaults(body, rules.merchantIds);
  const checks = [
    repeatedNameFaults(json),
    encodingFaults(json, body),
    shapeFaults(body),
    merchant,
    numberFaults(json, body),
    amountFaults(body, currencyOf(body), rules.exactSums),
    expiryFaults(body, valueAt(body, ["paymentTime"])),
    redirectFaults(body, rules.redirects),
  ];
  const ifNew = newOrderFaults(body, rules);
  const firstAt = firstCheckByPointer([...checks, ...ifNew]);
  const withoutRepeats = (check: readonly Fault[]) =>
    check.filter(({ pointer }) => firstAt.get(pointer) === check);
  return {
    isMerchantUnknown: withoutRepeats(merchant).length > 0,
    always: checks.flatMap(withoutRepeats),
    ifNew: ifNew.flatMap(withoutRepeats),
  };
}

/** Keeps the first check for each field: a later one would describe the same fault in other words. */
function firstCheckByPointer(
  checks: readonly (readonly Fault[])[],
): ReadonlyMap<string, readonly Fault[]> {
  const firstAt = new Map<string, readonly Fault[]>();
  for (const check of checks) {
    for (const { pointer } of check) {
      if (!firstAt.has(pointer)) firstAt.set(pointer, check);
    }
  }
  return firstAt;
}

function shapeFaults(body: unknown): Fault[] {
  const result = createBodySchema.safeParse(body);
  if (result.success) return [];
  return result.error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => faultAt([...issue.path, key], unknownField))
      : [faultAt(issue.path, predicateOf(issue, body))],
  );
}

function predicateOf(issue: Parameters<typeof describeIssue>[0], body: unknown): string {
  const isMissing = issue.path.length > 0 && valueAt(body, issue.path) === undefined;
  return isMissing ? "is required" : describeIssue(issue);
}

const unknownField = "must be left out: there is no such field";

/** A stack with several merchants cannot guess which one is meant. */
function merchantFaults(body: unknown, merchantIds: readonly string[]): Fault[] {
  const path: Path = ["merchantId"];
  const named = valueAt(body, path);
  if (named === undefined && merchantIds.length === 1) return [];
  if (named === undefined) return [faultAt(path, "is required: the stack has several merchants")];
  const known: readonly unknown[] = merchantIds;
  return known.includes(named) ? [] : [faultAt(path, "must be a merchant of the stack's config")];
}

/**
 * Reports numbers only where an order can have a field. Any other place is an unknown field anyway, and pointers to all
 * its numbers could fill the memory. The items of a list that is too long are skipped.
 */
function numberFaults(json: string, body: unknown): Fault[] {
  const detail =
    "The number cannot be read exactly as it is written; send it as a plain decimal string.";
  const skipsGoods = hasTooManyGoods(valueAt(body, ["order", "goods"]));
  const faults: Fault[] = [];
  let looked = 0;
  for (const { pointer } of inexactNumbers(json, deepestField)) {
    if (skipsGoods && pointer.startsWith("/order/goods/")) continue;
    if (pointer.length <= longestPointer) faults.push({ pointer, detail });
    looked += 1;
    if (looked === mostLooked) break;
  }
  return faults;
}

function currencyOf(body: unknown): string | undefined {
  const currency = valueAt(body, ["currency"]);
  if (typeof currency !== "string" || currencyExponent(currency) === undefined) return undefined;
  return currency;
}

/** The payment time of a new order defaults to now. An existing order keeps its number and its times. */
function newOrderFaults(
  body: unknown,
  { nowMilliseconds, shortOrderNumbers }: BodyRules,
): Fault[][] {
  const hasTime = valueAt(body, ["paymentTime"]) !== undefined;
  return [
    hasTime ? [] : expiryFaults(body, nowMilliseconds),
    timeFaults(body, nowMilliseconds),
    shortOrderNumbers ? longNumberFaults(body) : [],
  ];
}

/** An order that has expired cannot be paid, and a payment time of another day is a mistake. */
function timeFaults(body: unknown, nowMilliseconds: number): Fault[] {
  const paymentTime = timeAt(body, "paymentTime");
  const expiry = timeAt(body, "paymentExpiryTime");
  const latest = nowMilliseconds + longestAhead;
  const earliest = nowMilliseconds - defaultLifetimeMilliseconds;
  const hasExpiry = valueAt(body, ["paymentExpiryTime"]) !== undefined;
  const isAhead = paymentTime !== undefined && paymentTime > latest;
  const isTooOld = paymentTime !== undefined && !hasExpiry && paymentTime <= earliest;
  const isOver = expiry !== undefined && expiry <= nowMilliseconds;
  return [
    ...(isAhead ? [faultAt(["paymentTime"], "must be at most 24 hours in the future")] : []),
    ...(isTooOld ? [faultAt(["paymentTime"], tooOld)] : []),
    ...(isOver ? [faultAt(["paymentExpiryTime"], "must be in the future")] : []),
  ];
}

const tooOld =
  "must be less than 30 minutes ago: without a paymentExpiryTime the order has expired";

/** Undefined if there is none, or if the schema reports it. */
function timeAt(body: unknown, name: string): number | undefined {
  const time = timeSchema.safeParse(valueAt(body, [name]));
  return time.success ? time.data : undefined;
}

/** Callbacks with a shortened number would name another order (§2.4 allows 64 characters, §2.7 has 32). */
function longNumberFaults(body: unknown): Fault[] {
  const path: Path = ["order", "orderNo"];
  const orderNo = valueAt(body, path);
  if (typeof orderNo !== "string" || isWithin(orderNo, shortNumber)) return [];
  const why =
    "the payment service shortens longer numbers, and would name another order in its callbacks";
  return [faultAt(path, `must be at most ${shortNumber} characters long: ${why}`)];
}

/** An order expires 5 minutes to 24 hours after its payment time (§2.3, §8). */
function expiryFaults(body: unknown, paymentTime: unknown): Fault[] {
  const path: Path = ["paymentExpiryTime"];
  const expiry = timeSchema.safeParse(valueAt(body, path));
  const start = timeSchema.safeParse(paymentTime);
  // If a value is not a time, the schema reports it.
  if (!expiry.success || !start.success) return [];
  const lifetime = expiry.data - start.data;
  if (lifetime >= shortestExpiry && lifetime <= longestExpiry) return [];
  return [faultAt(path, "must be 5 minutes to 24 hours after paymentTime")];
}
