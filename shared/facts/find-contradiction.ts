import { type Member, membersOf } from "../envelope/source-text.ts";
import { PaycastError } from "../errors/paycast-error.ts";
import {
  type Amount,
  type AmountWithoutCurrency,
  readAmount,
  readAmountWithoutCurrency,
  sameAmount,
} from "../money/amount.ts";
import { plainDecimal } from "../money/exact-numbers.ts";
import type { Fact } from "./fact.ts";
import { knownFlags } from "./flags.ts";

/*
 * What one result object states twice and differently: under both names that the interface has for a field (§2.11), or
 * under a name that comes twice, of which JSON.parse would keep the last value.
 */

/** The names that say what a payment's or a refund's result is about and what happened. */
const identities = {
  payment: [["referOrderNo", "outOrderNo"], ["merchantId"], ["status"], ["transactionId"]],
  refund: [["paymentId"], ["refundId"], ["merchantId"], ["status"], ["transactionId"]],
} as const;

/** Throws `result-contradicted` if the result object names two orders, payments, refunds, merchants or statuses. */
export function refuseTwoIdentities(json: string, kind: keyof typeof identities): void {
  const members = membersOf(json);
  for (const names of identities[kind]) {
    if (new Set(repeatedValues(json, members, names)).size > 1) {
      throw new PaycastError(
        "result-contradicted",
        `The result object has two values of ${names.join(" and ")}.`,
      );
    }
  }
}

/** Whether the result object of a payment also states another amount or currency. */
export function isAmountContradicted(json: string, amount: Amount | undefined): boolean {
  if (amount === undefined) return false;
  const members = membersOf(json);
  const currencies = repeatedValues(json, members, ["currency"]);
  const values = repeatedValues(json, members, ["paymentAmount", "payAmount"]);
  const isSame = (value: string) => sameAmount(readAmount(value, amount.currency), amount);
  return (
    currencies.some((currency) => currency !== amount.currency) || !values.every(isReadAs(isSame))
  );
}

/** The same for the result object of a refund, which has no currency (§2.12). */
export function isRefundContradicted(
  json: string,
  amount: AmountWithoutCurrency | undefined,
): boolean {
  if (amount === undefined) return false;
  const isSame = (value: string) => readAmountWithoutCurrency(value).value === amount.value;
  return !repeatedValues(json, membersOf(json), ["refundAmount"]).every(isReadAs(isSame));
}

export function withContradiction<F extends Fact>(fact: F, contradicted: boolean): F {
  return contradicted ? { ...fact, noted: knownFlags(["contradicted", ...fact.noted]) } : fact;
}

/** False for an amount that cannot be read: it is another one. */
function isReadAs(isSame: (value: string) => boolean) {
  return (value: string): boolean => {
    try {
      return isSame(value);
    } catch {
      return false;
    }
  };
}

/**
 * The values of the members with these names: the texts of strings and numbers. The empty string and all other values
 * count as absent. Empty if there is only one such member, which contradicts nothing.
 */
function repeatedValues(
  json: string,
  members: readonly Member[],
  names: readonly string[],
): readonly string[] {
  const named = members.filter(({ name }) => names.includes(name));
  if (named.length < 2) return [];
  return named
    .map(({ valueStart, end }) => textOf(json.slice(valueStart, end)))
    .filter((value) => value !== undefined);
}

function textOf(written: string): string | undefined {
  if (/^[-0-9]/.test(written)) return plainDecimal(written);
  if (!written.startsWith('"')) return undefined;
  const text = String(JSON.parse(written));
  return text === "" ? undefined : text;
}
