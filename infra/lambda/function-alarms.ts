import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { addAlarm, stackMetric } from "../alarms/alarm.ts";
import { limits } from "../alarms/alarm-rules.ts";
import { countCauses } from "../alarms/expressions.ts";
import type { FunctionName } from "../config/function-names.ts";
import { functionsIn } from "./paycast-function.ts";

/** Alarms over all functions of the stack: crashes, throttled calls and problems with keys. */
export function alarmOnFunctions(scope: Construct): void {
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
  alarmOnKeys(scope);
}

/** CloudWatch allows no dash in ids. */
function anyOf(name: FunctionName, metric: IMetric) {
  const id = name.replaceAll(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
  return [id, { metric, limit: limits.any }] as const;
}

/** One problem is enough: warm instances still use cached keys, but the next cold start has none. */
function alarmOnKeys(scope: Construct): void {
  addAlarm(scope, "KeysAlarm", {
    metric: stackMetric(scope, "KeysProblem"),
    meaning:
      "A function could not read or parse the current keys of a merchant, or the stamp key of the stack.",
    command: "keys check",
    runbook: "keys",
  });
}
