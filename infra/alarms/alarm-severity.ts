/**
 * Who has to hear of an alarm, and when. `wake`: orders or callbacks of a shop stop now, or what was acknowledged reaches
 * nobody. `morning`: nothing more is lost before the next working day, or another alarm wakes a person if it gets worse.
 */
export type Severity = "wake" | "morning";

/** The sections of docs/runbook.md, each with the severity of its alarms. */
const severities = {
  // Acknowledged, so the payment service does not send it again. After a change of its format this is every callback.
  "quarantined-callbacks": "wake",
  "undeliverable-events": "wake",
  // The alarm on each new one has woken a person already. This one stays on until all of it is settled.
  "attention-needed": "morning",
  // While nothing is counted, the alarms on each new one still ring.
  "attention-unknown": "morning",
  // Acknowledged, and without a record: SQS deletes it after 14 days.
  "inbox-dead-letters": "wake",
  "inbox-age": "wake",
  // A stranger who knows a merchant's id can cause it, unless the config lists the addresses of the payment service.
  "callbacks-refused": "wake",
  // Strangers can cause it. The payment service sends again for 7 days, and reconcile-orders finds how orders ended.
  "unlisted-addresses": "morning",
  // The payment service sends it again for 7 days. If it lasts, `server-errors` wakes a person.
  "callbacks-not-stored": "morning",
  // Questions find how orders end, and the payment service sends the callbacks again for 7 days.
  "callbacks-missing": "morning",
  // Instances that run use the keys that they have. The next one that starts has none.
  "keys-problem": "wake",
  // The event is published with a flag, so its consumers can hold the order back.
  "conflicting-callbacks": "morning",
  "mismatched-amounts": "morning",
  "duplicate-payments": "morning",
  "payments-claimed-twice": "morning",
  // Every order with such a number is paid under another one, so a shop with long numbers cannot ship.
  "shortened-numbers": "wake",
  // The queue keeps its events for 14 days. The team that reads it has alarms of its own.
  "subscriber-age": "morning",
  "subscriber-dead-letters": "morning",
  // Four days are left.
  "dead-letters-expiring": "morning",
  // The shop cannot sell.
  "storefront-faults": "wake",
  "service-refusals": "wake",
  // Callers get the stored status, and callbacks still arrive.
  "failed-queries": "morning",
  "unresolved-orders": "morning",
  "reconciliation-late": "morning",
  "reconciliation-failing": "morning",
  "unreadable-answers": "morning",
  // Any stranger can cause it, and must not be able to wake a person.
  "client-errors": "morning",
  "server-errors": "wake",
  // One crash is repeated. If it lasts, `server-errors`, `inbox-age` or `storefront-faults` wakes a person.
  "function-errors": "morning",
} as const satisfies Record<string, Severity>;

export type RunbookSection = keyof typeof severities;

export function severityOf(section: RunbookSection): Severity {
  return severities[section];
}
