import type { Construct } from "constructs";
import { longestWaitMilliseconds } from "../../shared/timing.ts";
import { type AlarmTexts, addAlarm, alarmOnAny, outcomeMetric } from "../alarms/alarm.ts";

/** Alarms for outcomes of process-callback that need a person. */
export function addProcessingAlarms(scope: Construct): void {
  alarmOnWaiting(scope);
  const onAny = (id: string, outcome: string, texts: AlarmTexts) =>
    alarmOnAny(scope, id, "process-callback", outcome, texts);
  onAny("QuarantinedAlarm", "Quarantined", quarantined);
  onAny("UndeliverableAlarm", "Undeliverable", undeliverable);
  onAny("ConflictAlarm", "Conflict", conflicting);
  onAny("MismatchAlarm", "Mismatch", mismatched);
  onAny("DuplicatePaymentAlarm", "DuplicatePayment", paidTwice);
}

/** Complements the alarm on the inbox's age: SQS's own metric ignores messages that were received several times. */
function alarmOnWaiting(scope: Construct): void {
  addAlarm(scope, "WaitingAlarm", {
    metric: outcomeMetric(scope, "process-callback", "WaitingSeconds", { statistic: "Maximum" }),
    threshold: longestWaitMilliseconds / 1000,
    meaning: "A callback has been tried for a quarter of an hour without success.",
    action: "Read the errors in the log of process-callback; nothing is lost yet.",
    runbook: "inbox-age",
  });
}

const quarantined: AlarmTexts = {
  meaning: "An authentic callback could not be understood and was quarantined.",
  action: "Read the reason with npx paycast quarantine list, fix the cause and redrive it.",
  runbook: "quarantined-callbacks",
};

const undeliverable: AlarmTexts = {
  meaning: "The queue of a subscriber refused an event for five minutes, so it was given up.",
  action: "Bring the queue back, then redrive what it missed.",
  runbook: "undeliverable-events",
};

const conflicting: AlarmTexts = {
  meaning: "Two authentic callbacks with different content came under one callback id.",
  action: "Compare both records and ask the payment service which one is right.",
  runbook: "conflicting-callbacks",
};

const mismatched: AlarmTexts = {
  meaning: "The amount or currency of a callback differs from the order that was created.",
  action: "Hold the order's goods back until the difference is explained.",
  runbook: "mismatched-amounts",
};

const paidTwice: AlarmTexts = {
  meaning: "One order was paid by two different transactions.",
  action: "Find both transactions in the order's record and refund one.",
  runbook: "duplicate-payments",
};
