import type { NeedsPerson } from "../operator.ts";
import type { AttentionCount, GivenUp } from "../read-ending.ts";
import { certainFlags, storedByOrder } from "./certain-flags.ts";
import { type Evidence, isAcknowledged, isDuring, plainId } from "./evidence.ts";
import { addedLater } from "./expected-order.ts";
import { replay } from "./replay.ts";
import type { Look, Rule, Seen } from "./rule.ts";

/** The attention list has exactly the items that need a person. It is read before anything is redriven. */
export const personsAsked: Rule = (seen) => [
  ...unreadable(seen),
  ...seen.evidence.ending.givenUp.map((event) => givenUp(event, seen)),
  ...notices(seen),
  counted(seen.evidence.ending),
  ...seen.evidence.ending.counts.map((count) => paged(count, seen.evidence.ending)),
];

/** The stack counts every minute. */
const countedMilliseconds = 10 * 60_000;
/** It reads so many entries of each part of its index that more items than this may not all be counted. */
const surelyCounted = 500;

/** The stack's own count, which an alarm reads. */
function counted({ counts, listed, asksFromMilliseconds }: Evidence["ending"]): Look {
  const last = counts.at(-1);
  const isOld = asksFromMilliseconds - (last?.atMilliseconds ?? 0) > countedMilliseconds;
  if (last === undefined || isOld) {
    return { orderNo: undefined, wrong: ["the stack does not count attention items"] };
  }
  const { length } = listed;
  const message = `the stack counts ${last.needed} attention items, and lists ${length}`;
  const isRight = last.needed === length || (length > surelyCounted && last.needed < length);
  return { orderNo: undefined, wrong: isRight ? [] : [message] };
}

const pagingKinds = ["quarantined", "undeliverable"];
/** An item pages the operator for this long. */
const newMilliseconds = 15 * 60_000;
/** Between the count and its line in the log. */
const countingMilliseconds = 10_000;
/** count-attention may run for this long. It does not count what begins meanwhile. */
const longestCountMilliseconds = 20_000;

/**
 * Each count has all items that are listed at the end and were there already. The other count pages the operator for new
 * items, and for nothing else.
 */
function paged(
  { atMilliseconds, needed, paging }: AttentionCount,
  ending: Evidence["ending"],
): Look {
  const ageOf = ({ since }: NeedsPerson) => atMilliseconds - Date.parse(since);
  const isPaging = ({ kind }: NeedsPerson) => pagingKinds.includes(kind);
  const there = ending.listed.filter((item) => ageOf(item) > longestCountMilliseconds);
  const isNew = there
    .filter(isPaging)
    .some((item) => ageOf(item) < newMilliseconds - countingMilliseconds);
  const givenUpAges = ending.givenUp.map((event) => atMilliseconds - event.atMilliseconds);
  const canPage = [...ending.listed.filter(isPaging).map(ageOf), ...givenUpAges].some(
    (age) => age > -countingMilliseconds && age < newMilliseconds + countingMilliseconds,
  );
  const at = new Date(atMilliseconds).toISOString();
  const isMissing = needed < Math.min(there.length, surelyCounted);
  return {
    orderNo: undefined,
    wrong: [
      ...(isMissing
        ? [`at ${at} the stack counts ${needed} items, and lists ${there.length}`]
        : []),
      ...(isNew && paging === 0 ? [`at ${at} nobody is paged for a new attention item`] : []),
      ...(!canPage && paging > 0 ? [`at ${at} somebody is paged for nothing`] : []),
    ],
  };
}

const receiptKinds = ["waiting", "undeliverable", "quarantined"];

/** Callbacks. One whose response said that it was not stored may still be stored. */
function unreadable({ evidence: { ending }, statements }: Seen): Look[] {
  const stated = statements.filter(({ fact }) => fact === undefined);
  const acknowledged = stated.filter(({ post }) => isAcknowledged(post));
  const may = new Set(stated.map(({ opened }) => plainId(opened.id)));
  const must = new Set(acknowledged.map(({ opened }) => plainId(opened.id)));
  const items = ending.needsPerson.filter(({ kind }) => receiptKinds.includes(kind));
  const listed = new Set(items.map(({ callbackId }) => plainId(callbackId)));
  const extra = items.filter(({ callbackId }) => !may.has(plainId(callbackId)));
  return [
    ...[...must].map((id): Look => {
      const message = `Attention does not list callback ${id}`;
      return { orderNo: undefined, wrong: listed.has(id) ? [] : [message] };
    }),
    ...extra.map(({ kind, callbackId, orderNo }) => ({
      orderNo,
      wrong: [`${kind}: callback ${callbackId} needs no attention`],
    })),
  ];
}

/** An event is tried for this long before it becomes undeliverable; for less time if the queue does not exist. */
const patienceMilliseconds = 5 * 60_000;
const gonePatienceMilliseconds = 60_000;
/** The last failed send is at most this long before it. */
const lastTryMilliseconds = 20_000;

function givenUp(
  { atMilliseconds, eventId, callbackId, orderNo, subscribers, errorName }: GivenUp,
  { evidence: { disturbances, passed, busy }, statements }: Seen,
): Look {
  const isGone = errorName === "QueueDoesNotExist";
  const patience = isGone ? gonePatienceMilliseconds : patienceMilliseconds;
  const received = statements.filter(({ opened }) => plainId(opened.id) === plainId(callbackId));
  // The event of a query was not received.
  const isEarly =
    received.length > 0 &&
    received.every(({ post }) => atMilliseconds - post.atMilliseconds < patience);
  const event = `the event ${eventId.slice(0, 12)}`;
  if (isEarly) return { orderNo, wrong: [`${event} was given up too early`] };
  const lastTry = {
    atMilliseconds: atMilliseconds - lastTryMilliseconds,
    endedMilliseconds: atMilliseconds,
  };
  // The clock may jump during the try.
  const begins = passed
    .filter((jump) => isDuring(jump, lastTry))
    .map(({ fromMilliseconds }) => fromMilliseconds - lastTryMilliseconds);
  const tried = { ...lastTry, atMilliseconds: Math.min(lastTry.atMilliseconds, ...begins) };
  const isRefused = disturbances
    .filter(({ service, queue = "" }) => service === "sqs" || subscribers.includes(queue))
    .some((disturbance) => isDuring(disturbance, tried));
  if (isRefused) return { orderNo, wrong: [] };
  const message = `${event} needed no attention: its queue accepted messages`;
  return busy.some((time) => isDuring(time, tried))
    ? { orderNo, wrong: [], unjudged: [message] }
    : { orderNo, wrong: [message] };
}

/** The flags that cause a notice, and the kind of the notice. */
const kindsByFlag = new Map([
  ["mismatch", "mismatch"],
  ["contradicted", "contradicted"],
  ["duplicatePayment", "duplicate-payment"],
  ["conflict", "conflict"],
  ["refunded", "refunded"],
]);

/** Unusual payments: the flags of the order and of its refunds, each with its notice. */
function notices(seen: Seen): Look[] {
  const { orders, payments, context } = replay(seen);
  const stored = storedByOrder(seen);
  const { ending, ledger } = seen.evidence;
  const orderNoOf = new Map(ledger.map(({ paymentId, orderNo }) => [paymentId, orderNo]));
  const listed = ending.needsPerson
    .filter(({ kind }) => !receiptKinds.includes(kind))
    .map(({ kind, orderNo, paymentId = "" }) => ({
      kind,
      of: orderNo ?? orderNoOf.get(paymentId),
    }));
  return seen.evidence.orders.map((made): Look => {
    const { orderNo } = made;
    const books = context.booksOf(orderNo);
    const flags = [
      ...(orders.get(orderNo)?.flags ?? []),
      ...books.flatMap(({ paymentId }) => payments.get(paymentId)?.flags ?? []),
    ];
    const kindsOf = (some: readonly string[]) =>
      some.flatMap((flag) => kindsByFlag.get(flag) ?? []);
    const may = kindsOf([...flags, ...addedLater(made, context)]);
    const mine = listed.filter(({ of }) => of === orderNo).map(({ kind }) => kind);
    const certain = certainFlags(made, stored.get(orderNo) ?? [], context);
    const missing = kindsOf([...flags, ...certain]).filter((kind) => !mine.includes(kind));
    const extra = mine.filter((kind) => !may.includes(kind));
    return {
      orderNo,
      wrong: [
        ...[...new Set(missing)].map((kind) => `Attention does not list its ${kind}`),
        ...[...new Set(extra)].map((kind) => `${kind}: it needs no attention`),
      ],
    };
  });
}
