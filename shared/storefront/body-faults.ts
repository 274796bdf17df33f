import { describeIssue } from "../describe-issues.ts";
import { currencyExponent } from "../money/currencies.ts";
import { inexactNumbers } from "../money/exact-numbers.ts";
import { timestampSchema } from "../time/timestamp.ts";
import { amountFaults } from "./amount-faults.ts";
import { createBodySchema } from "./create-body.ts";
import { faultAt, type Path, valueAt } from "./fault-at.ts";
import type { Fault } from "./problem.ts";
import { redirectFaults } from "./redirect-faults.ts";

const minute = 60_000;
const shortestExpiry = 5 * minute;
const longestExpiry = 24 * 60 * minute;
/** A field of the goods is in the body, the order, the list and the item. */
const deepestField = 4;
const longestPointer = 100;
const mostNumbers = 1_000;

/** What the body is held against besides the interface. */
export interface BodyRules {
  readonly nowMilliseconds: number;
  readonly redirectOrigins: readonly string[];
  readonly merchantIds: readonly string[];
}

/**
 * Everything that is wrong with a body, at once: a check looks at what it needs and takes it as it finds
 * it, so that a fault in one place hides none in another. What one check says of a place, no later one
 * says again in other words.
 */
export function findFaults(json: string, body: unknown, rules: BodyRules): Fault[] {
  const checks = [
    shapeFaults(body),
    merchantFaults(body, rules.merchantIds),
    numberFaults(json),
    amountFaults(body, currencyOf(body)),
    expiryFaults(body, valueAt(body, ["paymentTime"])),
    redirectFaults(body, rules.redirectOrigins),
  ];
  const found: Fault[] = [];
  for (const faults of checks) {
    const spoken = new Set(found.map(({ pointer }) => pointer));
    found.push(...faults.filter(({ pointer }) => !spoken.has(pointer)));
  }
  return found;
}

function shapeFaults(body: unknown): Fault[] {
  const result = createBodySchema.safeParse(body);
  if (result.success) return [];
  return result.error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => faultAt([...issue.path, key], unknownField(key)))
      : [faultAt(issue.path, describeIssue(issue))],
  );
}

function unknownField(key: string): string {
  return key === "callbackUrl"
    ? "must be left out: the stack sets it"
    : "is not a field here: leave it out";
}

/** A call names its merchant where the stack has several. */
function merchantFaults(body: unknown, merchantIds: readonly string[]): Fault[] {
  const path: Path = ["merchantId"];
  const named = valueAt(body, path);
  if (named === undefined && merchantIds.length === 1) return [];
  if (named === undefined) return [faultAt(path, "must be given: the stack has several merchants")];
  const known: readonly unknown[] = merchantIds;
  return known.includes(named) ? [] : [faultAt(path, "must be a merchant of the stack's config")];
}

/** Only where a field of an order may stand: elsewhere another check speaks, and pointers could fill the memory. */
function numberFaults(json: string): Fault[] {
  const detail =
    "The number cannot be read exactly as it is written; send it as a plain decimal string.";
  const pointers: string[] = [];
  for (const { pointer } of inexactNumbers(json, deepestField)) {
    pointers.push(pointer.slice(0, longestPointer + 1));
    if (pointers.length === mostNumbers) break;
  }
  return pointers
    .filter((pointer) => pointer.length <= longestPointer)
    .map((pointer) => ({ pointer, detail }));
}

function currencyOf(body: unknown): string | undefined {
  const currency = valueAt(body, ["currency"]);
  if (typeof currency !== "string" || currencyExponent(currency) === undefined) return undefined;
  return currency;
}

/**
 * A new order without a payment time is paid for from now on. That is no fault of a repeat: its time may have
 * run out since.
 */
export function findFaultsIfNew(body: unknown, { nowMilliseconds }: BodyRules): Fault[] {
  const hasTime = valueAt(body, ["paymentTime"]) !== undefined;
  return hasTime ? [] : expiryFaults(body, nowMilliseconds);
}

/** The order may live from 5 minutes to 24 hours after its payment time (§2.3, §8). */
function expiryFaults(body: unknown, paymentTime: unknown): Fault[] {
  const path: Path = ["paymentExpiryTime"];
  const expiry = timestampSchema.safeParse(valueAt(body, path));
  const start = timestampSchema.safeParse(paymentTime);
  // Without two times there is nothing to hold against each other; if one is wrong, its shape's check says so.
  if (!expiry.success || !start.success) return [];
  const lifetime = expiry.data - start.data;
  if (lifetime >= shortestExpiry && lifetime <= longestExpiry) return [];
  return [faultAt(path, "must be 5 minutes to 24 hours after paymentTime")];
}
