import { describeIssue } from "../errors/describe-issues.ts";
import { currencyExponent } from "../money/currencies.ts";
import { inexactNumbers } from "../money/exact-numbers.ts";
import { isWithin } from "../text/characters.ts";
import { timeSchema } from "../time/read-time.ts";
import { amountFaults } from "./amount-faults.ts";
import { createBodySchema, hasTooManyGoods } from "./create-body.ts";
import { type Fault, faultAt, type Path, valueAt } from "./problem.ts";
import { type RedirectRules, redirectFaults } from "./redirect-faults.ts";

const minute = 60_000;
const shortestExpiry = 5 * minute;
const longestExpiry = 24 * 60 * minute;
/** A field of an item is inside four containers: the body, the order, the list and the item. */
const deepestField = 4;
const longestPointer = 100;
const mostNumbers = 1_000;
const shortNumber = 32;

/** Settings of the stack that a body must agree with. */
export interface BodyRules {
  readonly nowMilliseconds: number;
  readonly redirects: RedirectRules;
  readonly merchantIds: readonly string[];
  /** Whether the service shortens longer order numbers. */
  readonly shortOrderNumbers: boolean;
}

interface BodyFaults {
  readonly always: readonly Fault[];
  /** Faults of a new order only. A repeat may have them, because time has passed since the order was created. */
  readonly ifNew: readonly Fault[];
}

/**
 * Finds all faults of a body together. Each check reads the body as sent and does not depend on the others, so one
 * fault does not hide another.
 */
export function findFaults(json: string, body: unknown, rules: BodyRules): BodyFaults {
  const checks = [
    shapeFaults(body),
    merchantFaults(body, rules.merchantIds),
    numberFaults(json, body),
    amountFaults(body, currencyOf(body)),
    expiryFaults(body, valueAt(body, ["paymentTime"])),
    redirectFaults(body, rules.redirects),
  ];
  const ifNew = newOrderFaults(body, rules);
  const firstAt = firstCheckByPointer([...checks, ifNew]);
  const withoutRepeats = (check: readonly Fault[]) =>
    check.filter(({ pointer }) => firstAt.get(pointer) === check);
  return { always: checks.flatMap(withoutRepeats), ifNew: withoutRepeats(ifNew) };
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
      : [faultAt(issue.path, describeIssue(issue))],
  );
}

const unknownField = "must be left out: there is no such field";

/** A stack with several merchants cannot guess which one is meant. */
function merchantFaults(body: unknown, merchantIds: readonly string[]): Fault[] {
  const path: Path = ["merchantId"];
  const named = valueAt(body, path);
  if (named === undefined && merchantIds.length === 1) return [];
  if (named === undefined) return [faultAt(path, "must be given: the stack has several merchants")];
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
    if (looked === mostNumbers) break;
  }
  return faults;
}

function currencyOf(body: unknown): string | undefined {
  const currency = valueAt(body, ["currency"]);
  if (typeof currency !== "string" || currencyExponent(currency) === undefined) return undefined;
  return currency;
}

/** The payment time of a new order defaults to now. An existing order keeps its number. */
function newOrderFaults(body: unknown, { nowMilliseconds, shortOrderNumbers }: BodyRules): Fault[] {
  const hasTime = valueAt(body, ["paymentTime"]) !== undefined;
  return [
    ...(hasTime ? [] : expiryFaults(body, nowMilliseconds)),
    ...(shortOrderNumbers ? longNumberFaults(body) : []),
  ];
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
