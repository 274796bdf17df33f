import * as z from "zod";
import { eventTypes, matchesPattern } from "../../../shared/facts/event-types.ts";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { flag, text, texts, time } from "../described/fields.ts";

/** Which events to replay. Every field that is given narrows it. Times are RFC 3339 in UTC, like `recordedAt`. */
export const selectionSchema = z.object({
  /** Event ids. No index has them, so `orderNo`, `paymentId` or `since` says where to look. */
  events: z.array(z.string()).optional(),
  orderNo: z.string().optional(),
  /** With an order, also the refund events of its payments. */
  withRefunds: z.boolean(),
  paymentId: z.string().optional(),
  /** Patterns as in the config; none means every type. */
  types: z.array(z.string()).readonly(),
  merchantId: z.string().optional(),
  since: z.string().optional(),
  /** Never later than the start of the run: what is recorded after that is live. */
  until: z.string(),
});

export type Selection = z.output<typeof selectionSchema>;

/** How a person says it. */
export const selectionFields = {
  order: text("the events of an order, with the refunds of its payments", "ORDER_NO"),
  withoutRefunds: flag("with --order: without the refunds"),
  payment: text("the refund events of a payment", "ID"),
  event: texts("an event; needs --order, --payment or --since to find it", "ID"),
  type: texts("a type, payment.order.*, payment.refund.* or *", "PATTERN").refine(
    (patterns) => patterns.every(isKnownType),
    `must match an event: ${eventTypes.join(", ")}`,
  ),
  merchant: text("the events of a merchant", "ID"),
  since: time("recorded at this time or later", "since"),
  until: time("recorded at this time or earlier; at the latest, the start of the run", "until"),
  all: flag("everything that is recorded"),
};

function isKnownType(pattern: string): boolean {
  return eventTypes.some((type) => matchesPattern(type, pattern));
}

const askedSchema = z.object(selectionFields);
type Asked = z.output<typeof askedSchema>;

/** Whether anything says which events. */
export function isSelecting({
  withoutRefunds: _withoutRefunds,
  event,
  type,
  all,
  ...given
}: Asked): boolean {
  const isNarrowed = Object.values(given).some((value) => value !== undefined);
  return isNarrowed || all || event.length + type.length > 0;
}

/** What is wrong with the selection, as a predicate; undefined if it is clear. */
export function selectionFault(asked: Asked): string | undefined {
  const { order, payment, event, since, until } = asked;
  if (!isSelecting(asked)) return sayWhich;
  if (since !== undefined && until !== undefined && since > until) return noTime;
  return event.length > 0 && (order ?? payment ?? since) === undefined ? sayWhere : undefined;
}

/** Throws `wrong-usage`. */
export function readSelection(asked: Asked, nowMilliseconds: number): Selection {
  const { order, payment, merchant, event, type, since } = asked;
  const now = toRfc3339(nowMilliseconds);
  const until = asked.until !== undefined && asked.until < now ? asked.until : now;
  const fault = selectionFault({ ...asked, until });
  if (fault !== undefined) throw new PaycastError("wrong-usage", `The selection ${fault}.`);
  return {
    ...(event.length > 0 && { events: event }),
    orderNo: order,
    paymentId: payment,
    withRefunds: !asked.withoutRefunds,
    types: type,
    merchantId: merchant,
    since,
    until,
  };
}

const sayWhich =
  "must say which events: --order, --payment, --event, --type, --merchant, --since, --until, or --all";
const sayWhere = "must say where to look for an event: add --order, --payment or --since";
const noTime = "must have a range of time that begins before its end, and not in the future";
