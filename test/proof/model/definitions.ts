/**
 * What is true of one order, defined over the list of what was told. Nothing is updated: every answer is worked out from
 * the whole list, or from the part of it that came before.
 */
export type Entry = Begun | Ended | Told | Refunded;

/** Create-order stored a new attempt. `time` is the payment time that it sent. */
export interface Begun {
  readonly kind: "begun";
  readonly time: number;
}

/** Create-order stored the end of the attempt; `payment` is the number of the payment that the service gave. */
export interface Ended {
  readonly kind: "ended";
  readonly time: number;
  readonly end: "created" | "refused" | "unknown";
  readonly payment: number;
}

/** `id` is the callback's id, and `content` what came under it; an answer to a query has no id. */
interface Learned {
  readonly id: string | undefined;
  readonly content: string;
  readonly status: string;
  /** In minor units. */
  readonly amount: number;
}

/** A payment's fact, about the attempt with that payment time. */
export interface Told extends Learned {
  readonly kind: "told";
  readonly time: number;
}

export interface Refunded extends Learned {
  readonly kind: "refunded";
  readonly payment: number;
  readonly refund: string;
}

type List = readonly Entry[];

export const expectedMinor = 1_000;
const ranks = ["pending", "confirming", "timeout", "failed", "success"];
const refundRanks = ["refund_failed", "refund_success"];
const highest = (statuses: readonly string[], from: readonly string[]) =>
  from[Math.max(...statuses.map((status) => from.indexOf(status)))];

const begunIn = (list: List) => list.filter((one) => one.kind === "begun");
const toldIn = (list: List) => list.filter((one) => one.kind === "told");
const endedIn = (list: List) => list.filter((one) => one.kind === "ended");
const prefixes = (list: List) => list.map((_, index) => list.slice(0, index + 1));
const before = (list: List, one: Entry) => list.slice(0, list.indexOf(one));
const isFirst = <T>(all: readonly T[], one: T, isSame: (other: T) => boolean) =>
  all.find(isSame) === one;

/** An order of which the service has told, or has a payment, is never created again. */
export const mayCreate = (list: List) =>
  toldIn(list).length === 0 && endedIn(list).every(({ end }) => end !== "created");

/** One fact for each attempt and status, however often it is told. */
const factsIn = (list: List) =>
  toldIn(list).filter((one, _, all) =>
    isFirst(all, one, ({ time, status }) => time === one.time && status === one.status),
  );

/** The order follows the latest attempt that was not refused. */
function standingOf(list: List, { time }: Told): "current" | "other" | "refused" {
  const isRefused = (attempt: Begun) =>
    endedIn(list).some((one) => one.time === attempt.time && one.end === "refused");
  const attempts = begunIn(list);
  const followed = attempts.findLast((attempt) => !isRefused(attempt));
  if (attempts.length > 0 && followed === undefined) return "refused";
  return followed === undefined || followed.time === time ? "current" : "other";
}

/** Of another attempt than the one that the order follows, only a success counts. */
const counts = (list: List, fact: Told) =>
  fact.status === "success" || standingOf(list, fact) !== "other";

/** The highest status that it ever had: it only moves up. */
const statusOf = (list: List) =>
  highest(
    ["pending"].concat(
      prefixes(list).flatMap((part) =>
        toldIn(part).flatMap((one) => (counts(part, one) ? one.status : [])),
      ),
    ),
    ranks,
  )!;

/** Why one fact of the order is remarkable. */
function flagsOfFact(list: List, fact: Told): string[] {
  const known = before(list, fact);
  const status = statusOf(known);
  const isSuccess = fact.status === "success";
  const isMove = ranks.indexOf(fact.status) > ranks.indexOf(status);
  const standing = standingOf(known, fact);
  return raised({
    otherAttempt: standing === "other",
    refusedOrder: standing === "refused",
    regressed: counts(known, fact) && !isMove,
    late: isSuccess && (status === "timeout" || status === "failed"),
    duplicatePayment: isSuccess && toldIn(known).some((one) => one.status === "success"),
    unknownOrder: begunIn(known).length === 0,
    mismatch: isMismatch(list, fact),
    conflict: isConflict(list, fact),
  });
}

/** Those of all facts, and what a repeat of a fact adds. */
const flagsOf = (list: List) =>
  union([
    ...factsIn(list).flatMap((fact) => flagsOfFact(list, fact)),
    ...toldIn(list).flatMap((one) =>
      raised({ mismatch: isMismatch(list, one), conflict: isConflict(list, one) }),
    ),
  ]);

/** A success is held against what the order was to cost, and against what was told of it before. */
function isMismatch(list: List, one: Told): boolean {
  if (one.status !== "success") return false;
  const first = toldIn(list).find((other) => other.time === one.time && other.status === "success");
  const isExpected = begunIn(before(list, one)).length === 0 || one.amount === expectedMinor;
  return !isExpected || first?.amount !== one.amount;
}

/** The first that came under the same id had other content. */
const isConflict = (list: List, one: Told | Refunded) => {
  const first = list.find((other) => "id" in other && other.id === one.id) ?? one;
  return one.id !== undefined && "content" in first && first.content !== one.content;
};

const refundedIn = (list: List, payment: number) =>
  list.filter((one) => one.kind === "refunded").filter((one) => one.payment === payment);

const refundFactsIn = (list: List, payment: number) =>
  refundedIn(list, payment).filter((one, _, all) =>
    isFirst(all, one, ({ refund, status }) => refund === one.refund && status === one.status),
  );

const isLinked = (list: List, payment: number) =>
  endedIn(list).some((one) => one.end === "created" && one.payment === payment);

/** The sum of the refunds that succeeded. */
const refundedMinor = (list: List, payment: number) =>
  refundFactsIn(list, payment)
    .filter(({ status }) => status === "refund_success")
    .reduce((sum, { amount }) => sum + amount, 0);

function flagsOfRefund(list: List, fact: Refunded): string[] {
  const known = before(list, fact);
  const told = refundedIn(known, fact.payment).filter(({ refund }) => refund === fact.refund);
  const reached =
    highest(
      told.map(({ status }) => status),
      refundRanks,
    ) ?? "";
  const sum = refundedMinor([...known, fact], fact.payment);
  const isSuccess = fact.status === "refund_success";
  return raised({
    regressed: refundRanks.indexOf(fact.status) <= refundRanks.indexOf(reached),
    mismatch: isSuccess && isLinked(known, fact.payment) && sum > expectedMinor,
    unknownOrder: !isLinked(known, fact.payment),
    conflict: isConflict(list, fact),
  });
}

function flagsOfPayment(list: List, payment: number): string[] {
  const isOver = isLinked(list, payment) && refundedMinor(list, payment) > expectedMinor;
  const ofFacts = refundFactsIn(list, payment).flatMap((fact) => flagsOfRefund(list, fact));
  const ofRepeats = refundedIn(list, payment).flatMap((one) =>
    raised({ conflict: isConflict(list, one) }),
  );
  const all = union([...ofFacts, ...ofRepeats, ...raised({ mismatch: isOver })]);
  // The link to the order takes it away.
  return isLinked(list, payment) ? all.filter((flag) => flag !== "unknownOrder") : all;
}

const raised = (flags: Record<string, boolean>) => Object.keys(flags).filter((flag) => flags[flag]);
const union = (flags: readonly string[]) => [...new Set(flags)].sort();

/** What GET shows: an order that nobody but Paycast knows, since every attempt was refused, is refused. */
export function shownStatusOf(list: List): string {
  const refused = endedIn(list).filter(({ end }) => end === "refused");
  const isRefused = refused.length > 0 && refused.length === begunIn(list).length;
  return isRefused && toldIn(list).length === 0 ? "refused" : statusOf(list);
}

/** How the history ends: order, payments and all events. */
export function outcomeOf(list: List, payments: readonly number[]) {
  const event = (index: number, words: string, flags: readonly string[]) =>
    [`${index + 1} ${words}`, ...[...flags].sort()].join(" ");
  return {
    order: { status: statusOf(list), flags: flagsOf(list) },
    events: factsIn(list).map((fact, index) => {
      const after = statusOf([...before(list, fact), fact]);
      return event(index, `${fact.status} -> ${after}`, flagsOfFact(list, fact));
    }),
    payments: payments.map((payment) => ({
      flags: flagsOfPayment(list, payment),
      refunded: isLinked(list, payment) ? String(refundedMinor(list, payment)) : undefined,
      events: refundFactsIn(list, payment).map((fact, index) =>
        event(index, fact.status, flagsOfRefund(list, fact)),
      ),
    })),
  };
}
