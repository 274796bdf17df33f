import * as z from "zod";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { eventTypes, matchesPattern } from "../../../shared/facts/event-types.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { commandLine } from "../described/command-line.ts";
import { flag, rare, text, texts, time, wholeNumber } from "../described/fields.ts";
import { fieldsOf } from "../described/input-fields.ts";
import type { Stack } from "../ports/stack.ts";

/** Which events to replay. Every field that is given narrows it. Times are RFC 3339 in UTC, like `recordedAt`. */
export interface Selection {
  /** Event ids. No index has them, so `orderNo`, `paymentId` or `since` says where to search. */
  readonly events?: readonly string[] | undefined;
  readonly orderNo?: string | undefined;
  /** With an order, also the refund events of its payments. */
  readonly withRefunds: boolean;
  readonly paymentId?: string | undefined;
  /** Patterns as in the config; none means every type. */
  readonly types: readonly string[];
  readonly merchantId?: string | undefined;
  readonly since?: string | undefined;
  /** Never later than the start of the run: what is recorded after that is live. */
  readonly until: string;
}

const usualRate = 50;
/** Batches are sent one after the other, so the time of a call limits the rate anyway. */
const mostRate = 500;

/** The options: which events, to whom, and how fast. */
export const replayInput = z.object({
  to: z.string().min(1).max(256).meta({
    description: "the subscriber that gets the events",
    placeholder: "SUBSCRIBER",
  }),
  order: text("the events of an order, with the refunds of its payments", "ORDER_NO"),
  withoutRefunds: rare(flag("with --order: without the refunds")),
  payment: text("the refund events of a payment", "ID"),
  event: rare(texts("an event; needs --order, --payment or --since to find it", "ID")),
  type: rare(
    texts("a type, payment.order.*, payment.refund.* or *", "PATTERN").refine(
      (patterns) => patterns.every(isKnownType),
      `must match an event: ${eventTypes.join(", ")}`,
    ),
  ),
  merchant: rare(text("the events of a merchant", "ID")),
  since: time("recorded at this time or later", "since"),
  until: time("recorded at this time or earlier; at the latest, the start of the run", "until"),
  all: rare(flag("everything that is recorded")),
  rate: wholeNumber(
    `the maximum number of events per second, 1 to ${mostRate}`,
    usualRate,
    1,
    mostRate,
  ),
});
type Asked = Omit<z.output<typeof replayInput>, "to" | "rate">;

const fields = fieldsOf({ input: replayInput });

function isKnownType(pattern: string): boolean {
  return eventTypes.some((type) => matchesPattern(type, pattern));
}

/** Whether anything says which events. */
function isSelecting(asked: Asked): boolean {
  const { order, payment, merchant, since, until, event, type, all } = asked;
  const given = [order, payment, merchant, since, until].filter((value) => value !== undefined);
  return all || given.length + event.length + type.length > 0;
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

/** What an audit line says about it. */
export function auditOf({ types, events: ids = [], until, ...selection }: Selection) {
  const { orderNo, paymentId, merchantId, since } = selection;
  const given = Object.entries({ orderNo, paymentId, merchantId, since }).flatMap(
    ([name, value]) => (value === undefined ? [] : [[name, value] as const]),
  );
  return { until, types, ids, ...Object.fromEntries(given) };
}

/** The command that sends the selection, with every value filled in. */
export function commandOf(
  { kind, name }: Stack,
  to: string,
  selection: Selection,
  rate: number,
): string {
  const { events, orderNo, paymentId, types, merchantId, withRefunds, since, until } = selection;
  const asked = {
    to,
    order: orderNo,
    withoutRefunds: orderNo !== undefined && !withRefunds,
    payment: paymentId,
    event: events,
    type: types,
    merchant: merchantId,
    rate,
  };
  const form = { command: "replay", kind: "change", fields, words: [] } as const;
  const line = commandLine(form, asked, kind === "deployed" ? name : undefined);
  // With --local-time, only times in quotes stay as they are.
  const times = Object.entries({ since, until }).flatMap(([option, at]) =>
    at === undefined ? [] : [`--${option} '${at}'`],
  );
  return [line, ...times, "--yes"].join(" ");
}

const sayWhich =
  "must say which events: --order, --payment, --event, --type, --merchant, --since, --until, or --all";
const sayWhere = "must say where to look for an event: add --order, --payment or --since";
const noTime = "must have a time range that starts before it ends and does not start in the future";
