/**
 * What is true of one order, defined over the list of what was reported. Nothing is updated: every result is computed
 * from the whole list, or from an earlier part of it.
 */
export type Entry = Begun | Ended | Statement;

/** Create-order stored a new attempt. `time` is the payment time that it sent. */
export interface Begun {
  readonly kind: "begun";
  readonly time: number;
}

/** Create-order stored the end of the attempt; `payment` is the number of the payment that the service returned. */
export interface Ended {
  readonly kind: "ended";
  readonly time: number;
  readonly end: "created" | "refused" | "unknown";
  readonly payment: number;
}

/** A fact, reported by a callback or by the response to a query. */
export interface Statement {
  readonly kind: "reported";
  /** The order itself, or the number of the payment whose refund it is about. */
  readonly subject: typeof theOrder | number;
  /** The payment time of the attempt, or the refund's id. */
  readonly part: number | string;
  readonly status: string;
  /** In minor units. */
  readonly amount: number;
  /** The callback's id and content; the response to a query has no id. */
  readonly id: string | undefined;
  readonly content: string;
}

type List = readonly Entry[];
type Subject = Statement["subject"];

export const theOrder = "order";
export const expectedMinor = 1_000;
const ranks = ["pending", "confirming", "timeout", "failed", "success"];
const refundRanks = ["refund_failed", "refund_success"];

const begunIn = (list: List) => list.filter((entry) => entry.kind === "begun");
const endedIn = (list: List) => list.filter((entry) => entry.kind === "ended");
const reportsIn = (list: List, subject: Subject) =>
  list.filter((entry) => entry.kind === "reported").filter((entry) => entry.subject === subject);
const before = (list: List, entry: Entry) => list.slice(0, list.indexOf(entry));
const raised = (flags: Record<string, boolean>) => Object.keys(flags).filter((flag) => flags[flag]);

/** One fact for each attempt or refund and status, however often it is reported. */
const factsIn = (list: List, subject: Subject) =>
  reportsIn(list, subject).filter((entry, _index, all) => firstOf(all, entry) === entry);
const firstOf = (all: readonly Statement[], { part, status }: Statement) =>
  all.find((other) => other.part === part && other.status === status);

/** An order that the service has reported on, or has a payment for, is never created again. */
export const mayCreate = (list: List) =>
  reportsIn(list, theOrder).length === 0 && endedIn(list).every(({ end }) => end !== "created");

/** The order follows the latest attempt that was not rejected. */
function attemptRoleOf(list: List, { part }: Statement): "current" | "other" | "refused" {
  const refused = endedIn(list).filter(({ end }) => end === "refused");
  const attempts = begunIn(list);
  const followed = attempts.findLast(
    ({ time }) => !refused.some((attempt) => attempt.time === time),
  );
  if (attempts.length > 0 && followed === undefined) return "refused";
  return followed === undefined || followed.time === part ? "current" : "other";
}

/** Of an attempt that the order does not follow, only a success counts. */
const counts = (list: List, fact: Statement) =>
  fact.status === "success" || attemptRoleOf(list, fact) !== "other";

/** The highest status that it ever had: it only moves up. */
function statusOf(list: List): string {
  const prefixes = list.map((_item, index) => list.slice(0, index + 1));
  const reached = prefixes.flatMap((part) =>
    reportsIn(part, theOrder).flatMap((statement) =>
      counts(part, statement) ? statement.status : [],
    ),
  );
  return ranks.findLast((status) => reached.includes(status)) ?? "pending";
}

/** What GET shows: an order is refused if only Paycast knows it, because every attempt was rejected. */
export function shownStatusOf(list: List): string {
  const refused = endedIn(list).filter(({ end }) => end === "refused");
  const isRefused = refused.length > 0 && refused.length === begunIn(list).length;
  return isRefused && reportsIn(list, theOrder).length === 0 ? "refused" : statusOf(list);
}

const linksIn = (list: List) => endedIn(list).filter(({ end }) => end === "created");
const isLinked = (list: List, payment: Subject) =>
  linksIn(list).some((link) => link.payment === payment);

/** The refunds that succeeded. */
const refundsIn = (list: List, payment: Subject) =>
  factsIn(list, payment).filter(({ status }) => status === "refund_success");
const sumOf = (facts: readonly Statement[]) => facts.reduce((sum, { amount }) => sum + amount, 0);
const refundedMinor = (list: List, payment: Subject) => sumOf(refundsIn(list, payment));

/** What was paid for a payment. A success of an attempt without a known payment may belong to any. */
const paidMinor = (list: List, payment: Subject) =>
  sumOf(
    factsIn(list, theOrder)
      .filter(({ status }) => status === "success")
      .filter(({ part }) =>
        linksIn(list).every((link) => link.time !== part || link.payment === payment),
      ),
  );

/** The order ended without money, or more was refunded than was paid. */
function isOver(list: List, payment: Subject): boolean {
  const status = statusOf(list);
  const isOpen = status === "pending" || status === "confirming";
  if (!isLinked(list, payment) || isOpen || refundsIn(list, payment).length === 0) return false;
  return status !== "success" || refundedMinor(list, payment) > paidMinor(list, payment);
}

/** A fact that ends the order is compared with the refunds before it. */
function endsOver(known: List, fact: Statement): boolean {
  const list = [...known, fact];
  const isEnd = fact.subject === theOrder && statusOf(known) !== statusOf(list);
  return isEnd && linksIn(list).some(({ payment }) => isOver(list, payment));
}

/** A payment that was linked when it already had refunds, to an order that had already ended. */
const isLinkedOver = (list: List, payment: Subject) =>
  linksIn(list).some(
    (link) => link.payment === payment && isOver([...before(list, link), link], payment),
  );

/** What the consumer pays or has paid is compared with the order's amount. */
function isMismatch(list: List, statement: Statement): boolean {
  const known = before(list, statement);
  const isNews = firstOf(reportsIn(list, statement.subject), statement) === statement;
  if (statement.status === "refund_success")
    return isNews && isOver([...known, statement], statement.subject);
  if (isNews && endsOver(known, statement)) return true;
  if (begunIn(known).length === 0 || statement.amount === expectedMinor) return false;
  if (statement.status === "confirming") return isNews;
  return statement.status === "success" && !isContradicted(list, statement);
}

/** The same was reported before, with another amount. */
const isContradicted = (list: List, statement: Statement) =>
  firstOf(reportsIn(list, statement.subject), statement)?.amount !== statement.amount;

/** The payments of the order of which a refund is known, whatever became of it. */
const refundedIn = (list: List) =>
  linksIn(list).filter(({ payment }) => reportsIn(list, payment).length > 0);

/** A refund shows that the order was paid, whatever its status is here. */
export const hasRefund = (list: List) => refundedIn(list).length > 0;

/** The first callback with the same id had different content. */
function isConflict(list: List, statement: Statement): boolean {
  const first = list.find((other) => other.kind === "reported" && other.id === statement.id);
  return (
    statement.id !== undefined && first?.kind === "reported" && first.content !== statement.content
  );
}

/** The flags that even a repeated fact can have. */
const raisedByAny = (list: List, statement: Statement) =>
  raised({
    mismatch: isMismatch(list, statement),
    contradicted: isContradicted(list, statement),
    conflict: isConflict(list, statement),
  });

/** The flags of one fact. */
const flagsOfFact = (list: List, fact: Statement) =>
  [
    ...raisedByAny(list, fact),
    ...(fact.subject === theOrder ? flagsOfPayment : flagsOfRefund)(before(list, fact), fact),
  ].sort();

function flagsOfPayment(known: List, fact: Statement): string[] {
  const status = statusOf(known);
  const isSuccess = fact.status === "success";
  const role = attemptRoleOf(known, fact);
  return raised({
    otherAttempt: role === "other",
    refusedOrder: role === "refused",
    regressed: counts(known, fact) && ranks.indexOf(fact.status) <= ranks.indexOf(status),
    // Money went back before the success was known.
    refunded:
      isSuccess && refundedIn(known).some(({ payment }) => refundsIn(known, payment).length > 0),
    late: isSuccess && (status === "timeout" || status === "failed"),
    duplicatePayment:
      isSuccess && reportsIn(known, theOrder).some((statement) => statement.status === "success"),
    unknownOrder: begunIn(known).length === 0,
  });
}

function flagsOfRefund(known: List, { subject, part, status }: Statement): string[] {
  const statements = reportsIn(known, subject).filter((statement) => statement.part === part);
  const isHigher = (statement: Statement) =>
    refundRanks.indexOf(statement.status) >= refundRanks.indexOf(status);
  return raised({ regressed: statements.some(isHigher), unknownOrder: !isLinked(known, subject) });
}

/** The flags of all facts, and those that repeats add. The link to the order removes one from a payment. */
function flagsOf(list: List, subject: Subject): string[] {
  const flags = new Set([
    ...factsIn(list, subject).flatMap((fact) => flagsOfFact(list, fact)),
    ...reportsIn(list, subject).flatMap((statement) => raisedByAny(list, statement)),
    ...raised({ mismatch: isLinkedOver(list, subject) }),
  ]);
  if (isLinked(list, subject)) flags.delete("unknownOrder");
  return [...flags].sort();
}

function eventsOf(list: List, subject: Subject): string[] {
  return factsIn(list, subject).map((fact, index) => {
    const after = subject === theOrder ? ` -> ${statusOf([...before(list, fact), fact])}` : "";
    return [`${index + 1} ${fact.status}${after}`, ...flagsOfFact(list, fact)].join(" ");
  });
}

/** How the history ends: order, payments and all events. */
export function outcomeOf(list: List, payments: readonly number[]) {
  return {
    order: { status: statusOf(list), flags: flagsOf(list, theOrder) },
    events: eventsOf(list, theOrder),
    payments: payments.map((payment) => ({
      flags: flagsOf(list, payment),
      refunded: isLinked(list, payment) ? String(refundedMinor(list, payment)) : undefined,
      events: eventsOf(list, payment),
    })),
  };
}
