import { isSame } from "./amounts.ts";
import { contextOf } from "./context.ts";
import {
  type Event,
  type Evidence,
  groupBy,
  isAcknowledged,
  isDuring,
  ofTeamWithAll,
  orderOf,
  wants,
} from "./evidence.ts";
import { type Fact, nameOf } from "./facts.ts";
import { excused, type Look, type Rule } from "./rule.ts";
import { sourcesOf } from "./sources.ts";

/**
 * Every fact of an acknowledged callback is in the queue of each team that wants it, with its transaction. An event
 * without a transaction stands for one payment, never for two.
 */
export const acknowledgedIsPublished: Rule = ({ evidence, statements, events }) => {
  const inQueue = groupBy(events, ({ received, fact }) => `${received.subscriber}/${nameOf(fact)}`);
  const facts = statements.flatMap(({ fact }) => fact ?? []);
  const stated = groupBy(facts, nameOf);
  return statements.flatMap(({ post, opened, fact }) => {
    if (fact === undefined || !isAcknowledged(post)) return [];
    const wanting = evidence.subscribers.filter((subscriber) => wants(subscriber, fact));
    return wanting.map(({ name }) => {
      const found = inQueue.get(`${name}/${nameOf(fact)}`) ?? [];
      const isThere = isIn(found, fact, stated.get(nameOf(fact)) ?? []);
      const message = `${name} has no event of ${fact.type} (callback ${opened.id})`;
      return { orderNo: orderOf(evidence, fact), wrong: isThere ? [] : [message] };
    });
  });
};

function isIn(found: readonly Event[], { transactionId }: Fact, stated: readonly Fact[]): boolean {
  if (found.some(({ fact }) => fact.transactionId === transactionId)) return true;
  const payments = new Set(stated.flatMap((fact) => fact.transactionId ?? []));
  const events = new Set(found.map(({ id }) => id));
  const isUnreported = transactionId === undefined || found.some(({ fact }) => !fact.transactionId);
  return isUnreported && events.size >= Math.max(1, payments.size);
}

/**
 * Every event states what an authentic callback or a response of the service states: who, what, how much. It is in the
 * queues of the teams that want it, and in no other.
 */
export const publishedIsAuthentic: Rule = (seen) => {
  const { evidence, events } = seen;
  const context = contextOf(seen);
  return events.map((event) => {
    const { received, id, fact } = event;
    const isAuthentic = sourcesOf(event, context).some((source) => isStated(source.fact, fact));
    const message = `${received.subscriber} got ${fact.type} ${id}, which no authentic source reports`;
    const isWanted = evidence.subscribers.some(
      (subscriber) => subscriber.name === received.subscriber && wants(subscriber, fact),
    );
    const unwanted = `${received.subscriber} got ${fact.type} ${id}, which it does not subscribe to`;
    return {
      orderNo: orderOf(evidence, fact),
      wrong: [...(isAuthentic ? [] : [message]), ...(isWanted ? [] : [unwanted])],
    };
  });
};

/** A refund names no currency, and only the stack knows the number of its order. */
function isStated(stated: Fact, published: Fact): boolean {
  const isRefund = stated.refundId !== undefined;
  return (
    nameOf(stated) === nameOf(published) &&
    stated.transactionId === published.transactionId &&
    isSame(stated.amount, published.amount) &&
    (isRefund || stated.amount === undefined || stated.currency === published.currency)
  );
}

const fiveMinutes = 5 * 60_000;

/**
 * On an ordered queue each event is one message. SQS deduplicates for five minutes, and only while the queue exists.
 */
export const publishedOnce: Rule = ({ evidence, events }) => {
  const ordered = events.filter((event) => isOrdered(evidence, event));
  const copies = groupBy(ordered, ({ received, id }) => `${received.subscriber}/${id}`);
  return [...copies].map(([key, [first, ...more]]) => {
    const [wrong, attributed]: [string[], string[]] = [[], []];
    for (const again of more) {
      // By the times of sending, from which SQS counts. A team may read later.
      const atMilliseconds = first?.received.sentMilliseconds ?? 0;
      const endedMilliseconds = again.received.sentMilliseconds;
      const { subscriber } = again.received;
      const isForgotten =
        endedMilliseconds - atMilliseconds > fiveMinutes ||
        evidence.disturbances
          .filter(({ queue }) => queue === subscriber)
          .some((disturbance) => isDuring(disturbance, { atMilliseconds, endedMilliseconds }));
      const message = `${key} arrived as two messages, ${(endedMilliseconds - atMilliseconds) / 1000} s apart`;
      if (isForgotten) attributed.push(`${message}: SQS had forgotten the first`);
      else wrong.push(message);
    }
    return { orderNo: orderOf(evidence, first?.fact), wrong, attributed };
  });
};

/** On an ordered queue the events of one order or payment come in the order of their sequence. */
export const inOrder: Rule = ({ evidence, events }) => {
  const ordered = events.filter((event) => isOrdered(evidence, event));
  const live = ordered.filter((event) => !isGivenUp(evidence, event));
  const late = ordered.length - live.length;
  const groups = groupBy(live, ({ received, partition }) => `${received.subscriber}/${partition}`);
  const findings = [...groups].map(([key, group]): Look => {
    const wrong = group.slice(1).flatMap((event, index) => {
      const before = group[index];
      // A second copy, which the rule above reports, is not out of order.
      if (before === undefined || before.id === event.id) return [];
      const message = `${key}: ${event.sequence} arrived after ${before.sequence}`;
      return before.sequence < event.sequence ? [] : [message];
    });
    return { orderNo: orderOf(evidence, group[0]?.fact), wrong };
  });
  const excuses = Array.from({ length: late }, () =>
    excused(undefined, "given up, then delivered"),
  );
  return [...findings, ...excuses];
};

/** A redrive delivers it later, and so does a repeat of its callback. */
function isGivenUp({ ending }: Evidence, { id, received }: Event): boolean {
  return ending.givenUp.some(
    ({ eventId, subscribers, atMilliseconds }) =>
      eventId === id &&
      subscribers.includes(received.subscriber) &&
      atMilliseconds <= received.sentMilliseconds,
  );
}

/**
 * Each order has one partition key, and so has each payment with its refunds. It is the message's group on every queue,
 * which keeps the events in order.
 */
export const groupsAreKept: Rule = ({ evidence, events }) => {
  const subjects = groupBy(events, ({ fact: { merchantId, orderNo, paymentId, refundId } }) =>
    [merchantId, refundId === undefined ? orderNo : paymentId].join("/"),
  );
  const subjectsOf = groupBy(
    [...subjects.values()].flatMap(([first]) => first ?? []),
    groupOf,
  );
  return [...subjects.values()].map((group) => {
    const found = new Set(
      group.flatMap(({ partition, received }) => [partition, received.group ?? partition]),
    );
    const isShared = [...found].some((subjectId) => (subjectsOf.get(subjectId)?.length ?? 0) > 1);
    const wrong = [
      ...(found.size === 1 ? [] : [`its events are in the groups ${[...found].join(", ")}`]),
      ...(isShared ? ["another order or payment has its group"] : []),
    ];
    return { orderNo: orderOf(evidence, group[0]?.fact), wrong };
  });
};

const groupOf = ({ partition }: Event) => partition;

/** The sequences of an order or payment count from 1, without a gap and without a repeat. */
export const sequencesHaveNoGap: Rule = ({ evidence, events }) => {
  const partitions = groupBy(ofTeamWithAll(evidence, events), groupOf);
  return [...partitions.values()].map((group) => {
    const ids = new Map(group.map(({ id, sequence }) => [id, sequence]));
    const found = [...ids.values()].sort((left, right) => left - right);
    const isWhole = found.every((sequence, index) => sequence === index + 1);
    const wrong = isWhole ? [] : [`the sequences are ${found.join(", ")}`];
    return { orderNo: orderOf(evidence, group[0]?.fact), wrong };
  });
};

function isOrdered({ subscribers }: Evidence, { received }: Event): boolean {
  return subscribers.some(({ name, ordered }) => ordered && name === received.subscriber);
}
