import {
  type Event,
  type Evidence,
  type Fact,
  isAcknowledged,
  isSameAmount,
  isSameFact,
  type RuleResult,
  type Statement,
  type Violation,
  wants,
} from "./evidence.ts";

export interface Seen {
  readonly evidence: Evidence;
  readonly statements: readonly Statement[];
  readonly events: readonly Event[];
}

/** Every fact of an acknowledged callback is in the queue of each team that wants it. */
export function acknowledgedIsPublished({ evidence, statements, events }: Seen): RuleResult {
  const inQueue = groupBy(events, ({ received, fact }) => `${received.subscriber}/${nameOf(fact)}`);
  const violations: Violation[] = [];
  let checked = 0;
  for (const { post, opened, fact } of statements) {
    if (fact === undefined || !isAcknowledged(post)) continue;
    for (const subscriber of evidence.subscribers.filter((one) => wants(one, fact.type))) {
      checked += 1;
      const found = inQueue.get(`${subscriber.name}/${nameOf(fact)}`) ?? [];
      if (found.some((event) => isSameFact(event.fact, fact))) continue;
      const message = `${subscriber.name} has no event of ${fact.type} (callback ${opened.id})`;
      violations.push({ message, orderNo: orderOf(evidence, fact) });
    }
  }
  return { rule: "acknowledged and not published", checked, violations };
}

/** Every event states what an authentic callback, or the service's own books, say. */
export function publishedIsAuthentic({ evidence, statements, events }: Seen): RuleResult {
  const told = groupBy(statements, ({ opened }) => opened.id);
  const books = new Map(evidence.ledger.map((one) => [one.orderNo, one]));
  const isTold = ({ callbackId, fact }: Event) =>
    (told.get(callbackId ?? "") ?? []).some(
      (one) => one.fact && isSameFact(one.fact, fact) && isSameAmount(one.fact.amount, fact.amount),
    );
  const isInBooks = ({ fact }: Event) => {
    const order = books.get(fact.orderNo ?? "");
    const had = [
      order?.status,
      ...(order?.callbacks ?? []).map(({ eventName }) => endOf(eventName)),
      // Every payment was confirming first, also if the callback about it had an unknown name.
      ...(order?.status === "success" ? ["confirming"] : []),
    ];
    return had.includes(fact.status) && (!fact.amount || isSameAmount(order?.amount, fact.amount));
  };
  const violations = events
    .filter((event) => !(event.origin === "callback" ? isTold(event) : isInBooks(event)))
    .map(({ received, id, fact }) => ({
      message: `${received.subscriber} got ${fact.type} ${id}, which nothing authentic states`,
      orderNo: orderOf(evidence, fact),
    }));
  return { rule: "published and never authentic", checked: events.length, violations };
}

const fiveMinutes = 5 * 60_000;

/** On an ordered queue each event is one message. SQS forgets a message after five minutes, and with its queue. */
export function publishedOnce({ evidence, events }: Seen): RuleResult {
  const violations: Violation[] = [];
  const attributed: string[] = [];
  const ordered = namesOf(evidence, true);
  const copies = groupBy(
    events.filter(({ received }) => ordered.has(received.subscriber)),
    ({ received, id }) => `${received.subscriber}/${id}`,
  );
  for (const [key, [first, ...more]] of copies) {
    if (first === undefined) continue;
    for (const again of more) {
      const [from, until] = [first.received.atMilliseconds, again.received.atMilliseconds];
      const message = `${key} came as two messages, ${(until - from) / 1000} s apart`;
      if (until - from > fiveMinutes || wasDeleted(evidence, first, from, until)) {
        attributed.push(`${message}: SQS had forgotten the first`);
      } else violations.push({ message, orderNo: orderOf(evidence, first.fact) });
    }
  }
  return {
    rule: "more than once on an ordered queue",
    checked: copies.size,
    violations,
    attributed,
  };
}

function wasDeleted(
  { disturbances }: Evidence,
  event: Event,
  from: number,
  until: number,
): boolean {
  const what = `the queue of ${event.received.subscriber} is deleted`;
  return disturbances.some(
    (one) =>
      one.what.startsWith(what) && one.fromMilliseconds <= until && one.untilMilliseconds >= from,
  );
}

/** On an ordered queue the events of one order or payment come in the order of their sequence. */
export function inOrder({ evidence, events }: Seen): RuleResult {
  const ordered = namesOf(evidence, true);
  const givenUp = new Set(evidence.ending.givenUp.map(({ callbackId }) => callbackId));
  const isLive = ({ callbackId }: Event) => callbackId === undefined || !givenUp.has(callbackId);
  const groups = groupBy(
    events.filter((event) => ordered.has(event.received.subscriber) && isLive(event)),
    ({ received, partition }) => `${received.subscriber}/${partition}`,
  );
  const violations: Violation[] = [];
  for (const [key, group] of groups) {
    for (const [index, event] of group.entries()) {
      const before = group[index - 1];
      // A second copy, which the rule above has told, is no inversion of its own.
      if (before === undefined || before.id === event.id || before.sequence < event.sequence)
        continue;
      const message = `${key}: ${event.sequence} came after ${before.sequence}`;
      violations.push({ message, orderNo: orderOf(evidence, event.fact) });
    }
  }
  return { rule: "events out of order", checked: groups.size, violations };
}

/**
 * Each order has one partition key, and so has each payment with its refunds. It is the group of the message on every
 * queue: that is what keeps the events in order.
 */
export function groupsAreKept({ evidence, events }: Seen): RuleResult {
  const subjects = groupBy(events, ({ fact }) =>
    [fact.merchantId, fact.refundId === undefined ? fact.orderNo : fact.paymentId].join("/"),
  );
  const partitions = new Set(events.map(({ partition }) => partition));
  const violations = [...subjects.values()].flatMap((group) => {
    const found = new Set(
      group.flatMap(({ partition, received }) => [partition, received.group ?? partition]),
    );
    if (found.size === 1) return [];
    const orderNo = group[0] && orderOf(evidence, group[0].fact);
    return [{ message: `its events are in the groups ${[...found].join(", ")}`, orderNo }];
  });
  if (partitions.size < subjects.size) {
    violations.push({ message: "two orders share a group", orderNo: undefined });
  }
  return { rule: "events in a wrong group", checked: subjects.size, violations };
}

/** The sequences of an order or payment count from 1, without a gap and without a repeat. */
export function sequencesHaveNoGap({ evidence, events }: Seen): RuleResult {
  const all = evidence.subscribers.find(({ types }) => types.includes("*"))?.name;
  const mine = events.filter(({ received }) => received.subscriber === all);
  const partitions = groupBy(mine, ({ partition }) => partition);
  const violations = [...partitions.values()].flatMap((group) => {
    const ids = new Map(group.map(({ id, sequence }) => [id, sequence]));
    const found = [...ids.values()].sort((left, right) => left - right);
    if (found.every((sequence, index) => sequence === index + 1)) return [];
    const fact = group[0]?.fact;
    const orderNo = fact && orderOf(evidence, fact);
    return [{ message: `the sequences are ${found.join(", ")}`, orderNo }];
  });
  return { rule: "sequences with a gap or a repeat", checked: partitions.size, violations };
}

function namesOf({ subscribers }: Evidence, ordered: boolean): ReadonlySet<string> {
  return new Set(subscribers.filter((one) => one.ordered === ordered).map(({ name }) => name));
}

function nameOf({ merchantId, orderNo, paymentId, refundId, status }: Fact): string {
  return [merchantId, refundId === undefined ? orderNo : `${paymentId}/${refundId}`, status].join(
    "/",
  );
}

function orderOf({ ledger }: Evidence, { orderNo, paymentId }: Fact): string | undefined {
  return orderNo ?? ledger.find((one) => one.paymentId === paymentId)?.orderNo;
}

function endOf(eventName: string): string {
  return eventName.split(".").at(-1) ?? "";
}

export function groupBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
