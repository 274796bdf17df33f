import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { addAlarm, stackMetric } from "../alarms/alarm.ts";
import { limits } from "../alarms/alarm-rules.ts";
import { countCauses, overMetrics } from "../alarms/expressions.ts";
import type { FunctionName } from "../config/function-names.ts";
import { functionsIn } from "./paycast-function.ts";

/** Alarms over all functions of the stack: crashes, throttled calls and problems with keys. */
export function alarmOnFunctions(scope: Construct, merchants: readonly string[]): void {
  const functions = functionsIn(scope);
  addAlarm(scope, "FunctionErrorsAlarm", {
    metric: countCauses(
      Object.fromEntries(functions.map(({ name, lambda }) => anyOf(name, lambda.metricErrors()))),
      "functions that failed",
    ),
    meaning: "A function crashed or timed out.",
    command: "check",
    runbook: "function-errors",
  });
  addAlarm(scope, "ThrottlesAlarm", {
    metric: countCauses(
      Object.fromEntries(
        functions.map(({ name, lambda }) => anyOf(name, lambda.metricThrottles())),
      ),
      "functions that were throttled",
    ),
    meaning:
      "Lambda throttled a function: the account's concurrency, or the concurrency that the config reserves for the function, is used up.",
    command: "check",
    runbook: "function-errors",
  });
  for (const merchantId of merchants) alarmOnKeys(scope, merchantId);
  alarmOnStampKey(scope);
  alarmOnFetches(scope);
}

/** CloudWatch allows no dash in ids. */
function anyOf(name: FunctionName, metric: IMetric) {
  const id = name.replaceAll(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
  return [id, { metric, limit: limits.any }] as const;
}

/** One problem is enough: nothing serves, or the keys that do were replaced. */
function alarmOnKeys(scope: Construct, merchantId: string): void {
  addAlarm(scope, `KeysAlarm-${merchantId}`, {
    metric: overMetrics(
      "problems",
      { problems: stackMetric(scope, "KeysProblem", { merchantId }) },
      `problems with the keys of ${merchantId}`,
    ),
    meaning: `The current keys of merchant ${merchantId} are not set or cannot be parsed. Or a function could not read them, and has no earlier ones.`,
    command: `keys check ${merchantId}`,
    runbook: "keys",
  });
}

/** The stamp key belongs to no merchant. */
function alarmOnStampKey(scope: Construct): void {
  addAlarm(scope, "StampKeyAlarm", {
    metric: overMetrics(
      "problems",
      { problems: stackMetric(scope, "KeysProblem") },
      "problems with the stamp key",
    ),
    meaning:
      "The stamp key of the stack cannot be parsed. Or a function could not read it, and has no earlier one.",
    command: "keys check",
    runbook: "keys",
  });
}

/** All keys together, because all are in Secrets Manager. The longest time counts, so one slow call is no alarm. */
function alarmOnFetches(scope: Construct): void {
  addAlarm(scope, "KeysFetchAlarm", {
    metric: overMetrics(
      "failing",
      { failing: stackMetric(scope, "KeysFetchFailingSeconds", { statistic: "Maximum" }) },
      "how long keys cannot be read again, in seconds",
    ),
    meaning:
      "For 15 minutes a function has not been able to read keys again that it read before. It uses those that it has; a new instance has none.",
    command: "keys check",
    runbook: "keys-at-risk",
  });
}
