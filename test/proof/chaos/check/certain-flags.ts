import type { MadeOrder } from "../shopper.ts";
import { amountOf, isMore, sumOf } from "./amounts.ts";
import { type Context, contentsOf } from "./context.ts";
import { groupBy, orderOf, plainId, type Statement } from "./evidence.ts";
import type { Fact } from "./facts.ts";
import type { Seen } from "./rule.ts";
import { storedStatements } from "./stored.ts";

/** The stored callbacks of each order, with those of its refunds. */
export function storedByOrder(seen: Seen): Map<string, Statement[]> {
  return groupBy(storedStatements(seen), ({ fact }) => orderOf(seen.evidence, fact) ?? "");
}

/** Flags that stored callbacks must have raised, with or without an event. */
export function certainFlags(
  made: MadeOrder,
  stored: readonly Statement[],
  context: Context,
): string[] {
  const facts = stored.flatMap(({ fact }) => fact ?? []);
  const ofOrder = stored.filter(({ fact }) => fact?.orderNo !== undefined);
  const byId = groupBy(ofOrder, ({ opened }) => plainId(opened.id));
  const hasConflict = [...byId.values()].some((statements) => contentsOf(statements).size > 1);
  const paid = facts.filter(({ status }) => status === "success");
  const differs = transactionsIn(paid).some((same) => valuesOf(same).size > 1);
  const told = [...paid, ...successesIn(made, context)];
  const isWrong = made.isOurs && transactionsIn(told).some((same) => isNever(same, made));
  const isTooMuch = isPaidOut(made, facts, context);
  return [
    ...(hasConflict ? ["conflict"] : []),
    ...(differs ? ["contradicted"] : []),
    ...(isWrong || isTooMuch ? ["mismatch"] : []),
  ];
}

function successesIn({ orderNo }: MadeOrder, { answersAbout }: Context): Fact[] {
  return answersAbout(orderNo)
    .map(({ fact }) => fact)
    .filter(({ status }) => status === "success");
}

function transactionsIn(paid: readonly Fact[]) {
  return [...groupBy(paid, ({ transactionId }) => transactionId ?? "").values()];
}

/** If the right amount was reported, too, it may have come first. */
function isNever(same: readonly Fact[], made: MadeOrder): boolean {
  return !valuesOf(same).has(textOf(made));
}

/** Whether refunds exceed what was paid, even if each success that was ever reported counts. */
function isPaidOut(made: MadeOrder, facts: readonly Fact[], { paidOf, callsOf }: Context): boolean {
  const isLinked = callsOf(made.orderNo).some(({ status }) => status === 201);
  const isPaid = facts.some(({ status }) => status === "success");
  if (!made.isOurs || !isLinked || !isPaid) return false;
  const refunds = facts.filter(({ status }) => status === "refund_success");
  const each = [...groupBy(refunds, ({ refundId }) => refundId ?? "").values()];
  const amounts = each.flatMap(([first]) => amountOf(first?.amount ?? "0", made.currency));
  return isMore(sumOf(amounts, made.currency), paidOf(made));
}

type Money = Pick<Fact, "amount" | "currency">;

function valuesOf(facts: readonly Money[]) {
  return new Set(facts.map(textOf));
}

function textOf({ amount = "", currency }: Money): string {
  return JSON.stringify(amountOf(amount, currency));
}
