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
 * How an aggregate is stored. A write costs a unit for each KiB, so the item leaves out what its other attributes tell:
 * an order that was paid as usual fits into one. What this version does not know (flags; fields that are text, whole
 * numbers, lists or maps) is kept, because during a deployment, and before a rollback, a newer version writes the same
 * items.
 */

export function aggregateItem(aggregate: Order | Payment): Item {
  const item = leaveOut(leaveOutOfCreation(aggregate), toldBy(aggregate));
  return withFactIds(writeAmounts(item), shortId);
}

/** Throws if the item is no order that this version can read. */
export function readOrder(item: Item): Order {
  return asStored(orderSchema, whole(item));
}

export function readPayment(item: Item): Payment {
  return asStored(paymentSchema, whole(item));
}

/** Undefined instead of an error, for a reader that leaves such an item out. */
export function readIfOrder(item: Item | undefined): Order | undefined {
  return item && orderSchema.safeParse(whole(item)).success ? readOrder(item) : undefined;
}

export function readIfPayment(item: Item | undefined): Payment | undefined {
  return item && paymentSchema.safeParse(whole(item)).success ? readPayment(item) : undefined;
}

function whole(item: Item): Item {
  const read = withFactIds(readAmounts(item), wholeId);
  const { creation, attempts } = telling.safeParse(read).data ?? {};
  if (creation === undefined) return { ...toldBy(read), ...read };
  return {
    ...toldBy(read),
    ...read,
    creation: { ...toldOfCreation(creation, attempts), ...creation },
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

/** The attributes from which others can be made again. */
const telling = z.object({
  aggregateKey: z.string(),
  status: z.optional(z.enum(paymentStatuses)),
  payment: z._default(paymentDetailsSchema, {}),
  attempts: attemptsSchema,
  creation: z.optional(creationSchema),
});

type Telling = z.output<typeof telling>;

/** The values that can be made again, in the usual case. None if the item cannot be read. */
function toldBy(item: object): Item {
  const { data } = telling.safeParse(item);
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

function paymentIdsOf(attempts: Telling["attempts"]): string[] {
  return [...new Set(attempts.flatMap(({ paymentId }) => paymentId ?? []))];
}

/** The one success, which gave the order its status. Its attempt is known by other fields after a query (role.ts). */
function successesOf({ status, payment, attempts }: Telling): object[] {
  if (status === undefined || !isPaid(status)) return [];
  const { amount, transactionId, createdAt, origin } = payment;
  if (origin === "query")
    return [{ amount, transactionId, paymentId: paymentIdsOf(attempts).at(-1) }];
  const paymentTimeMilliseconds = createdAt && Date.parse(createdAt);
  // A time of whole seconds most likely came without milliseconds.
  const isPaymentTimeWholeSecond = createdAt?.endsWith(".000Z") ? true : undefined;
  return [{ amount, transactionId, paymentTimeMilliseconds, isPaymentTimeWholeSecond }];
}

/** The lease of the latest attempt has ended, and the consumer was sent to its payment. */
function toldOfCreation(
  { checkoutUrl }: z.output<typeof creationSchema>,
  attempts: Telling["attempts"] = [],
): Item {
  const paymentId = paymentIdsOf(attempts).at(-1);
  const ended = { leaseEndsAtMilliseconds: 0 };
  return checkoutUrl === undefined || paymentId === undefined ? ended : { ...ended, paymentId };
}

function leaveOutOfCreation(aggregate: Order | Payment): object {
  if (aggregate.kind === "payment" || aggregate.creation === undefined) return aggregate;
  const { creation, attempts } = aggregate;
  return { ...aggregate, creation: leaveOut(creation, toldOfCreation(creation, attempts)) };
}
