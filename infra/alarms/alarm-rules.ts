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
  /** The sections whose alarm pages a person if it lasts. test/infra/alarm-scenes.test.ts has heard them together. */
  readonly pagedBy?: readonly string[];
}

/** An alarm with several causes counts those that reach their own limit, so one of them is enough. */
const anyCause = 1;

/**
 * A quarter of the requests that could have failed: an outage starts the alarm, one failure does not. With fewer
 * failures than this no alarm of a share starts. The console warns of rejected callbacks at the same numbers, so they
 * are in shared/receiving/refusal-alarm.ts.
 */
const share = { threshold: refusedPercent, fewest: fewestRefusals };

/**
 * The rule of each section of docs/runbook.md: the severity of its alarms, their threshold, and the minutes in which it
 * is counted. With `fewest` the threshold is a percentage, and fewer failures than that start no alarm.
 */
export const alarmRules = {
  // Acknowledged, so the payment service does not send it again, or every order with a long number is paid under another
  // one. After a change of the service's format this is every callback.
  "attention-new": { severity: "wake", threshold: 1, minutes: 5 },
  // Active until everything is settled.
  "attention-needed": { severity: "morning", threshold: 1, minutes: 5, pagedBy: ["attention-new"] },
  // While nothing is counted, `attention-new` cannot go off.
  "attention-unknown": { severity: "wake", threshold: 1, minutes: 15 },
  // Orders are late, or a message has no record and SQS deletes it after 14 days.
  inbox: { severity: "wake", threshold: anyCause, minutes: 5 },
  // Callbacks reach the API and are not stored. The payment service sends each of them at most 8 times more.
  "callbacks-failing": { severity: "wake", ...share, minutes: 15 },
  // A stranger who knows a merchant's id can cause it. If the keys are wrong, the callbacks are missing too.
  "callbacks-refused": {
    severity: "morning",
    ...share,
    minutes: 15,
    pagedBy: ["callbacks-missing", "callbacks-all-refused"],
  },
  // No stranger causes that: the shop sells, and nothing authentic arrives.
  "callbacks-all-refused": { severity: "wake", threshold: fewestRefusals, minutes: 60 },
  // Paid orders are reported late, and refunds not at all: a query cannot find them.
  "callbacks-missing": { severity: "wake", ...share, minutes: 60 },
  // Also a flood of strangers. Callbacks that do not get through are missing.
  "requests-throttled": {
    severity: "morning",
    ...share,
    minutes: 15,
    pagedBy: ["callbacks-missing"],
  },
  // Nothing can be read or signed, or every callback is rejected until the keys are corrected.
  keys: { severity: "wake", threshold: 1, minutes: 5 },
  // Cached keys still serve, and a new instance has none. In seconds.
  "keys-at-risk": {
    severity: "morning",
    threshold: Duration.minutes(15).toSeconds(),
    minutes: 5,
    pagedBy: ["keys"],
  },
  "cannot-sell": { severity: "wake", ...share, minutes: 15 },
  // Callers get the stored status, and callbacks still arrive. One or two failures are a slow moment. A count, because
  // most responses come from the table and would hide a service that is down.
  "failed-queries": { severity: "morning", threshold: 3, minutes: 15 },
  // The queue keeps its events for 14 days. The team that reads it has alarms of its own.
  "subscriber-queue": { severity: "morning", threshold: anyCause, minutes: 5 },
  // Four days remain.
  "dead-letters-expiring": { severity: "morning", threshold: anyCause, minutes: 5 },
  "reconciliation-late": { severity: "morning", threshold: 3600, minutes: 5 },
  // One order whose query fails is queried every ten minutes.
  "reconciliation-failing": { severity: "morning", ...share, minutes: 60 },
  // One crash is retried. If query-order or reconcile-orders crashes again and again, it can wait too.
  "function-errors": {
    severity: "morning",
    threshold: anyCause,
    minutes: 5,
    pagedBy: ["callbacks-failing", "cannot-sell", "inbox", "attention-unknown"],
  },
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

/** A shop with few orders: so many failures in six hours are enough, without a percentage, if nothing succeeded. */
export const quietShop = { threshold: fewestInQuietShop, minutes: quietShopMinutes };

export function severityOf(section: RunbookSection): Severity {
  return alarmRules[section].severity;
}
