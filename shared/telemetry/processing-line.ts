import type { FanOut } from "../fan-out/fan-out-event.ts";
import type { RecordedReceipt } from "../records/record-receipt.ts";
import type { LogFields, Metrics } from "./log-line.ts";

const outcomeMetrics = {
  published: "Published",
  "known-fact": "KnownFact",
  resumed: "Resumed",
  duplicate: "Duplicate",
} as const;

const flagMetrics: Readonly<Record<string, string>> = {
  conflict: "Conflict",
  mismatch: "Mismatch",
  duplicatePayment: "DuplicatePayment",
  late: "Late",
  regressed: "Regressed",
  unknownOrder: "UnknownOrder",
};

export function describeProcessing(
  { record, isNew }: RecordedReceipt,
  fanOut: FanOut,
  messageId: string,
  durationMilliseconds: number,
): [fields: LogFields, metrics: Metrics] {
  const outcome = outcomeOf(record.outcome, isNew, fanOut);
  // A resumed receipt was cut off before its line: what is remarkable about it has not been counted yet.
  const flags = outcome === "duplicate" ? [] : record.flags;
  const fields = {
    outcome,
    messageId,
    merchantId: record.merchantId,
    callbackId: record.callbackId,
    eventName: record.type,
    eventId: record.factId,
    sequence: record.sequence,
    flags,
    subscribers: [...fanOut.failed, ...fanOut.gone],
    errorName: fanOut.errors.join(", ") || undefined,
    durationMilliseconds,
  };
  const counted = flags.flatMap((flag) => flagMetrics[flag] ?? []).map((name) => [name, 1]);
  const deferred = fanOut.failed.length + fanOut.gone.length;
  return [
    fields,
    { [outcomeMetrics[outcome]]: 1, ...Object.fromEntries(counted), Deferred: deferred },
  ];
}

/** A receipt that was there before either had sends left, which are now made, or is a duplicate. */
function outcomeOf(
  recorded: "published" | "known-fact",
  isNew: boolean,
  { delivered, failed, gone }: FanOut,
): keyof typeof outcomeMetrics {
  if (isNew) return recorded;
  return delivered.length + failed.length + gone.length > 0 ? "resumed" : "duplicate";
}
