import { Duration } from "aws-cdk-lib";
import {
  fewestInQuietShop,
  fewestRefusals,
  quietShopMinutes,
  refusedPercent,
} from "../../shared/receiving/refusal-alarm.ts";
import { longestWaitMilliseconds } from "../../shared/timing.ts";

/**
 * Who is notified of an alarm, and when. `wake`: orders or callbacks of a shop stop now, or acknowledged callbacks reach
 * nobody. `morning`: nothing more is lost before the next working day, or another alarm pages a person if it gets worse.
 */
export type Severity = "wake" | "morning";

interface AlarmRule {
  readonly severity: Severity;
  readonly threshold: number;
  readonly minutes: number;
  readonly fewest?: number;
}

/** An alarm with several causes counts those that reach their own limit, so one of them is enough. */
const anyCause = 1;

/**
 * The rule of each section of docs/runbook.md: the severity of its alarms, their threshold, and the minutes in which it
 * is counted. With `fewest` the threshold is a percentage, and fewer requests than that start no alarm.
 */
export const alarmRules = {
  // Acknowledged, so the payment service does not send it again, or every order with a long number is paid under another
  // one. After a change of the service's format this is every callback.
  "attention-new": { severity: "wake", threshold: 1, minutes: 5 },
  // `attention-new` has already paged a person. This one is active until everything is settled.
  "attention-needed": { severity: "morning", threshold: 1, minutes: 5 },
  // While nothing is counted, `attention-new` cannot go off.
  "attention-unknown": { severity: "wake", threshold: 1, minutes: 15 },
  // Orders are late, or a message has no record and SQS deletes it after 14 days.
  inbox: { severity: "wake", threshold: anyCause, minutes: 5 },
  // A stranger who knows a merchant's id can cause it, unless the config lists the addresses of the payment service.
  // A forged callback among three real ones is a quarter. The console warns at the same numbers, so they are in
  // shared/receiving/refusal-alarm.ts.
  "callbacks-refused": {
    severity: "wake",
    threshold: refusedPercent,
    minutes: 15,
    fewest: fewestRefusals,
  },
  // Queries find how orders end, and the payment service retries the callbacks for 7 days. Outdated keys verify
  // for days. `check` compares with the same numbers, so they are in shared/receiving/refusal-alarm.ts.
  "callbacks-missing": {
    severity: "morning",
    threshold: fewestInQuietShop,
    minutes: quietShopMinutes,
  },
  "server-errors": { severity: "wake", threshold: 25, minutes: 15, fewest: 3 },
  // Running instances use the keys that they have. A new instance has none.
  keys: { severity: "wake", threshold: 1, minutes: 5 },
  // A quarter of the orders: an outage starts the alarm, one failed call of a busy shop does not.
  "cannot-sell": { severity: "wake", threshold: 25, minutes: 15, fewest: 3 },
  // Callers get the stored status, and callbacks still arrive. One or two failures are a slow moment. A count, because
  // most responses come from the table and would hide a service that is down.
  "failed-queries": { severity: "morning", threshold: 3, minutes: 15 },
  // The queue keeps its events for 14 days. The team that reads it has alarms of its own.
  "subscriber-queue": { severity: "morning", threshold: anyCause, minutes: 5 },
  // Four days remain.
  "dead-letters-expiring": { severity: "morning", threshold: anyCause, minutes: 5 },
  "reconciliation-late": { severity: "morning", threshold: 3600, minutes: 5 },
  // One order whose query fails is queried every ten minutes.
  "reconciliation-failing": { severity: "morning", threshold: 50, minutes: 60, fewest: 3 },
  // One crash is retried. If it lasts, `server-errors`, `inbox` or `cannot-sell` pages a person.
  "function-errors": { severity: "morning", threshold: anyCause, minutes: 5 },
} as const satisfies Record<string, AlarmRule>;

export type RunbookSection = keyof typeof alarmRules;

/** Sections whose rule is a percentage. */
export type ShareSection = {
  [K in RunbookSection]: (typeof alarmRules)[K] extends { readonly fewest: number } ? K : never;
}[RunbookSection];

/** The values from which a cause counts, in alarms with several causes. */
export const limits = {
  /** A callback that waits in the inbox. A subscriber's limit is its `maxWaitMinutes`. */
  waitSeconds: longestWaitMilliseconds / 1000,
  /**
   * Four days before SQS deletes a message after 14. On a standard queue the 14 days begin when the message was first
   * sent, but this age begins when it became a dead letter. The margin covers the time between.
   */
  expiringSeconds: Duration.days(10).toSeconds(),
  /** What must not happen at all: a dead letter, a forged message, a crash, a throttled call. */
  any: 1,
};

/** If no callback was accepted for six hours, so many refusals are enough, without a percentage. */
export const refusedAlone = { threshold: fewestInQuietShop, minutes: quietShopMinutes };

/** Strangers can cause refusals by address, so only half of the callbacks in six hours count. */
export const unlistedShare = { percent: 50, fewest: fewestInQuietShop };

export function severityOf(section: RunbookSection): Severity {
  return alarmRules[section].severity;
}
