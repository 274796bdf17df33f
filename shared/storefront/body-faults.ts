import { describeIssue } from "../describe-issues.ts";
import { currencyExponent } from "../money/currencies.ts";
import { findInexactNumber } from "../money/exact-numbers.ts";
import { amountFaults } from "./amount-faults.ts";
import { createBodySchema } from "./create-body.ts";
import { faultAt, type Path, valueAt } from "./fault-at.ts";
import type { Fault } from "./problem.ts";
import { redirectFaults } from "./redirect-faults.ts";

const minute = 60_000;
const shortestExpiry = 5 * minute;
const longestExpiry = 24 * 60 * minute;

/** What the body is held against besides the interface. */
export interface BodyRules {
  readonly nowMilliseconds: number;
  readonly redirectOrigins: readonly string[];
}

/**
 * Everything that is wrong with a body, at once: a check looks at what it needs and takes it as it finds
 * it, so that a fault in one place hides none in another.
 */
export function findFaults(json: string, body: unknown, rules: BodyRules): Fault[] {
  const shape = shapeFaults(body);
  const spoken = new Set(shape.map(({ pointer }) => pointer));
  const others = [
    ...numberFaults(json),
    ...amountFaults(body, currencyOf(body)),
    ...expiryFaults(body, rules.nowMilliseconds),
    ...redirectFaults(body, rules.redirectOrigins),
  ];
  return [...shape, ...others.filter(({ pointer }) => !spoken.has(pointer))];
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

function numberFaults(json: string): Fault[] {
  const inexact = findInexactNumber(json);
  if (inexact === undefined) return [];
  const detail =
    "The number cannot be read exactly as it is written; send it as a plain decimal string.";
  return [{ pointer: inexact.pointer, detail }];
}

function currencyOf(body: unknown): string | undefined {
  const currency = valueAt(body, ["currency"]);
  if (typeof currency !== "string" || currencyExponent(currency) === undefined) return undefined;
  return currency;
}

/** The order may live from 5 minutes to 24 hours after its payment time (§2.3, §8). */
function expiryFaults(body: unknown, nowMilliseconds: number): Fault[] {
  const path: Path = ["paymentExpiryTime"];
  const expiry = valueAt(body, path);
  if (expiry === undefined) return [];
  const lifetime = Number(expiry) - Number(valueAt(body, ["paymentTime"]) ?? nowMilliseconds);
  if (lifetime >= shortestExpiry && lifetime <= longestExpiry) return [];
  return [faultAt(path, "must be 5 minutes to 24 hours after paymentTime")];
}
