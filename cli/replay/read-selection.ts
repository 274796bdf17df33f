import type { Selection } from "../../operations/replay/selection.ts";
import { eventTypes, matchesPattern } from "../../shared/facts/event-types.ts";
import { toRfc3339 } from "../../shared/time/timestamp.ts";
import { UsageError } from "../frame/command.ts";
import { readTime } from "../frame/read-time.ts";

/** The options that say which events are replayed. */
export const selectionOptions = {
  event: { type: "string", multiple: true },
  order: { type: "string" },
  "without-refunds": { type: "boolean" },
  payment: { type: "string" },
  type: { type: "string", multiple: true },
  merchant: { type: "string" },
  since: { type: "string" },
  until: { type: "string" },
  all: { type: "boolean" },
} as const;

export interface SelectionValues {
  readonly event?: string[];
  readonly order?: string;
  readonly "without-refunds"?: boolean;
  readonly payment?: string;
  readonly type?: string[];
  readonly merchant?: string;
  readonly since?: string;
  readonly until?: string;
  readonly all?: boolean;
}

/** Throws `UsageError`. */
export function readSelection(values: SelectionValues, nowMilliseconds: number): Selection {
  if (!hasSelection(values)) {
    throw new UsageError(
      "Say which events: --order, --payment, --event, --type, --merchant, --since, --until, or --all.",
    );
  }
  checkTypes(values.type ?? []);
  checkEvents(values);
  const { event, order, payment, type = [], merchant } = values;
  return {
    ...(event && { events: event }),
    ...(order !== undefined && { orderNo: order }),
    withRefunds: values["without-refunds"] !== true,
    ...(payment !== undefined && { paymentId: payment }),
    types: type,
    ...(merchant !== undefined && { merchantId: merchant }),
    ...readRange(values, nowMilliseconds),
  };
}

export function hasSelection({ "without-refunds": _, ...values }: SelectionValues): boolean {
  return Object.keys(selectionOptions).some((name) => Object.hasOwn(values, name));
}

function checkTypes(patterns: readonly string[]): void {
  const isKnown = (pattern: string) => eventTypes.some((type) => matchesPattern(type, pattern));
  if (patterns.every(isKnown)) return;
  throw new UsageError(`--type matches no event. There is: ${eventTypes.join(", ")}.`);
}

function checkEvents({ event, order, payment, since }: SelectionValues): void {
  if (event === undefined || order !== undefined || payment !== undefined) return;
  if (since !== undefined) return;
  throw new UsageError("Say where to look for --event: add --order, --payment or --since.");
}

/** What is recorded after the start of the run is live. */
function readRange({ since, until }: SelectionValues, now: number) {
  const from = since === undefined ? undefined : readTime(since, "since", now);
  const to = until === undefined ? now : Math.min(now, readTime(until, "until", now));
  if (from !== undefined && from > to)
    throw new UsageError("--since is after --until, or after now.");
  return { ...(from !== undefined && { since: toRfc3339(from) }), until: toRfc3339(to) };
}
