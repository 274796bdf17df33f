import * as z from "zod/mini";
import { isPaid, paymentStatuses } from "../facts/event-types.ts";
import { readAggregateKey } from "../facts/subject.ts";
import { asStored } from "../table/attributes.ts";
import type { Item } from "../table/items.ts";
import { leaveOut } from "../table/leave-out.ts";
import { readAmounts, writeAmounts } from "./amount-text.ts";
import { type Order, orderSchema } from "./order.ts";
import { type Payment, paymentSchema } from "./payment.ts";
import { paymentDetailsSchema } from "./schemas.ts";

/*
 * How an aggregate is stored. A write costs one unit per KiB, so the item omits what can be derived from its other
 * attributes: an order that was paid as usual fits into one unit. Anything that this version does not know (flags;
 * fields that are text, whole numbers, lists or maps) is kept, because a newer version writes the same items during a
 * deployment and before a rollback.
 */

export function aggregateItem(aggregate: Order | Payment): Item {
  const item = leaveOut(leaveOutOfCreation(aggregate), derivedFrom(aggregate));
  return withFactIds(writeAmounts(item), shortId);
}

/** Throws if this version cannot read the item as an order. */
export function readOrder(item: Item): Order {
  return asStored(orderSchema, whole(item));
}

export function readPayment(item: Item): Payment {
  return asStored(paymentSchema, whole(item));
}

/** Undefined instead of an error, for callers that skip such an item. */
export function readIfOrder(item: Item | undefined): Order | undefined {
  return item && orderSchema.safeParse(whole(item)).success ? readOrder(item) : undefined;
}

export function readIfPayment(item: Item | undefined): Payment | undefined {
  return item && paymentSchema.safeParse(whole(item)).success ? readPayment(item) : undefined;
}

function whole(item: Item): Item {
  const read = withFactIds(readAmounts(item), wholeId);
  const { creation, attempts } = sourcesSchema.safeParse(read).data ?? {};
  if (creation === undefined) return { ...derivedFrom(read), ...read };
  return {
    ...derivedFrom(read),
    ...read,
    creation: { ...derivedOfCreation(creation, attempts), ...creation },
  };
}

const factsSchema = z.record(z.string(), z.unknown());

function withFactIds(item: Item, change: (id: string) => string): Item {
  const { data: facts } = factsSchema.safeParse(item["facts"]);
  if (facts === undefined) return item;
  const changed = Object.entries(facts).map(([id, sequence]) => [change(id), sequence]);
  return { ...item, facts: Object.fromEntries(changed) };
}

/** The id of a fact is a hash in hex. In base64url it is 21 bytes shorter. */
function shortId(id: string): string {
  return /^[0-9a-f]{64}$/.test(id) ? Buffer.from(id, "hex").toString("base64url") : id;
}

function wholeId(id: string): string {
  return /^[\w-]{43}$/.test(id) ? Buffer.from(id, "base64url").toString("hex") : id;
}

const attemptsSchema = z._default(
  z.array(z.looseObject({ paymentId: z.optional(z.string()) })),
  [],
);
const creationSchema = z.looseObject({ checkoutUrl: z.optional(z.string()) });

/** The attributes from which others are derived. */
const sourcesSchema = z.object({
  aggregateKey: z.string(),
  status: z.optional(z.enum(paymentStatuses)),
  payment: z._default(paymentDetailsSchema, {}),
  attempts: attemptsSchema,
  creation: z.optional(creationSchema),
});

type Sources = z.output<typeof sourcesSchema>;

/** The values that the attributes imply in the usual case. Empty if the item cannot be read. */
function derivedFrom(item: object): Item {
  const { data } = sourcesSchema.safeParse(item);
  const subject = data && readAggregateKey(data.aggregateKey);
  if (data === undefined || subject === undefined) return {};
  const ofBoth = { ...subject, flags: [], facts: {} };
  if (subject.kind === "payment") return { ...ofBoth, refunds: {} };
  return {
    ...ofBoth,
    statements: [],
    attempts: [],
    payment: {},
    paymentIds: paymentIdsOf(data.attempts),
    successes: successesOf(data),
  };
}

function paymentIdsOf(attempts: Sources["attempts"]): string[] {
  return [...new Set(attempts.flatMap(({ paymentId }) => paymentId ?? []))];
}

/**
 * The single success that determined the status. After a query, other fields identify its attempt (attempt-role.ts).
 */
function successesOf({ status, payment, attempts }: Sources): object[] {
  if (status === undefined || !isPaid(status)) return [];
  const { amount, transactionId, createdAt, origin } = payment;
  if (origin === "query")
    return [{ amount, transactionId, paymentId: paymentIdsOf(attempts).at(-1) }];
  const paymentTimeMilliseconds = createdAt && Date.parse(createdAt);
  // A time without a fraction was most likely sent without milliseconds.
  const isPaymentTimeWholeSecond = createdAt?.endsWith(".000Z") ? true : undefined;
  return [{ amount, transactionId, paymentTimeMilliseconds, isPaymentTimeWholeSecond }];
}

/** In the usual case the lease has ended, and the consumer was sent to the payment of the latest attempt. */
function derivedOfCreation(
  { checkoutUrl }: z.output<typeof creationSchema>,
  attempts: Sources["attempts"] = [],
): Item {
  const paymentId = paymentIdsOf(attempts).at(-1);
  const ended = { leaseEndsAtMilliseconds: 0 };
  return checkoutUrl === undefined || paymentId === undefined ? ended : { ...ended, paymentId };
}

function leaveOutOfCreation(aggregate: Order | Payment): object {
  if (aggregate.kind === "payment" || aggregate.creation === undefined) return aggregate;
  const { creation, attempts } = aggregate;
  return { ...aggregate, creation: leaveOut(creation, derivedOfCreation(creation, attempts)) };
}
