import { Duration } from "aws-cdk-lib";
import {
  fewestInQuietShop,
  fewestRefusals,
  quietShopMinutes,
  refusedPercent,
} from "../../shared/receiving/refusal-alarm.ts";
import { longestWaitMilliseconds } from "../../shared/timing.ts";

/**
 * Who has to hear of an alarm, and when. `wake`: orders or callbacks of a shop stop now, or what was acknowledged reaches
 * nobody. `morning`: nothing more is lost before the next working day, or another alarm wakes a person if it gets worse.
 */
export type Severity = "wake" | "morning";

interface AlarmRule {
  readonly severity: Severity;
  /** Missing where the config decides it. */
  readonly threshold?: number;
  readonly minutes: number;
  readonly fewest?: number;
}

const waitSeconds = longestWaitMilliseconds / 1000;
/**
 * Four days before SQS deletes a message after 14. On a standard queue the 14 days begin when the message was first
 * sent, but this age begins when it became a dead letter. The margin covers the time between.
 */
const expiringSeconds = Duration.days(10).toSeconds();

/**
 * Every alarm, by its section of docs/runbook.md: who hears of it, the value at which it rings, and the minutes in which
 * this is counted. With `fewest` the value is a percentage, and fewer requests than that ring nothing.
 */
export const alarmRules = {
  // Acknowledged, so the payment service does not send it again. After a change of its format this is every callback.
  "quarantined-callbacks": { severity: "wake", threshold: 1, minutes: 5 },
  "undeliverable-events": { severity: "wake", threshold: 1, minutes: 5 },
  // The alarm on each new one has woken a person already. This one stays on until all of it is settled.
  "attention-needed": { severity: "morning", threshold: 1, minutes: 5 },
  // While nothing is counted, the alarms on each new one still ring.
  "attention-unknown": { severity: "morning", threshold: 1, minutes: 15 },
  // Acknowledged, and without a record: SQS deletes it after 14 days.
  "inbox-dead-letters": { severity: "wake", threshold: 1, minutes: 5 },
  "inbox-age": { severity: "wake", threshold: waitSeconds, minutes: 5 },
  // A stranger who knows a merchant's id can cause it, unless the config lists the addresses of the payment service.
  // A forged callback among three real ones is a quarter. The console warns at the same numbers, so they are in
  // shared/receiving/refusal-alarm.ts.
  "callbacks-refused": {
    severity: "wake",
    threshold: refusedPercent,
    minutes: 15,
    fewest: fewestRefusals,
  },
  // Strangers can cause it. The payment service sends again for 7 days, and reconcile-orders finds how orders ended.
  "unlisted-addresses": { severity: "morning", threshold: 50, minutes: 15, fewest: fewestRefusals },
  // The payment service sends it again for 7 days. If it lasts, `server-errors` wakes a person.
  "callbacks-not-stored": { severity: "morning", threshold: 1, minutes: 5 },
  // Questions find how orders end, and the payment service sends the callbacks again for 7 days. Outdated keys verify
  // for days. `check` compares with the same numbers, so they are in shared/receiving/refusal-alarm.ts.
  "callbacks-missing": {
    severity: "morning",
    threshold: fewestInQuietShop,
    minutes: quietShopMinutes,
  },
  // Instances that run use the keys that they have. The next one that starts has none.
  "keys-problem": { severity: "wake", threshold: 1, minutes: 5 },
  // The event is published with a flag, so its consumers can hold the order back.
  "conflicting-callbacks": { severity: "morning", threshold: 1, minutes: 5 },
  "mismatched-amounts": { severity: "morning", threshold: 1, minutes: 5 },
  "duplicate-payments": { severity: "morning", threshold: 1, minutes: 5 },
  "payments-claimed-twice": { severity: "morning", threshold: 1, minutes: 5 },
  // Every order with such a number is paid under another one, so a shop with long numbers cannot ship.
  "shortened-numbers": { severity: "wake", threshold: 1, minutes: 5 },
  // The queue keeps its events for 14 days. The team that reads it has alarms of its own.
  // Its threshold is `maxWaitMinutes` of the subscriber.
  "subscriber-age": { severity: "morning", minutes: 5 },
  "subscriber-dead-letters": { severity: "morning", threshold: 1, minutes: 5 },
  // Four days are left.
  "dead-letters-expiring": { severity: "morning", threshold: expiringSeconds, minutes: 5 },
  // The shop cannot sell.
  "storefront-faults": { severity: "wake", threshold: 25, minutes: 15, fewest: 3 },
  "service-refusals": { severity: "wake", threshold: 25, minutes: 15, fewest: 3 },
  // Callers get the stored status, and callbacks still arrive.
  // One or two are a slow moment that the next call makes good. A count, since most answers come from the table.
  "failed-queries": { severity: "morning", threshold: 3, minutes: 15 },
  "unresolved-orders": { severity: "morning", threshold: 1, minutes: 5 },
  "reconciliation-late": { severity: "morning", threshold: 3600, minutes: 5 },
  // One order whose question fails is asked about every ten minutes.
  "reconciliation-failing": { severity: "morning", threshold: 50, minutes: 60, fewest: 3 },
  "unreadable-answers": { severity: "morning", threshold: 1, minutes: 5 },
  // Any stranger can cause it, and must not be able to wake a person.
  // If a route's limit is reached, there are more than 100 requests: the smallest limit is 20 a second.
  "client-errors": { severity: "morning", threshold: 50, minutes: 15, fewest: 100 },
  "server-errors": { severity: "wake", threshold: 25, minutes: 15, fewest: 3 },
  // One crash is repeated. If it lasts, `server-errors`, `inbox-age` or `storefront-faults` wakes a person.
  "function-errors": { severity: "morning", threshold: 1, minutes: 5 },
} as const satisfies Record<string, AlarmRule>;

export type RunbookSection = keyof typeof alarmRules;

/** Sections whose rule has this number. */
export type SectionWith<Field extends keyof AlarmRule> = {
  [K in RunbookSection]: (typeof alarmRules)[K] extends Required<Pick<AlarmRule, Field>>
    ? K
    : never;
}[RunbookSection];

/** If no callback was accepted for six hours, so many refusals are enough, without a percentage. */
export const refusedAlone = { threshold: fewestInQuietShop, minutes: quietShopMinutes };

export function severityOf(section: RunbookSection): Severity {
  return alarmRules[section].severity;
}
