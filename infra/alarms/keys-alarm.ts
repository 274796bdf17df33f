import type { Construct } from "constructs";
import type { FunctionName } from "../config/function-names.ts";
import { alarmOnAny } from "./alarm.ts";

/** One problem is enough: warm instances still use cached keys, but the next cold start has none. */
export function alarmOnKeys(scope: Construct, service: FunctionName): void {
  alarmOnAny(scope, `KeysAlarm-${service}`, service, "KeysProblem", {
    meaning: `${service} could not read or understand the current keys of a merchant.`,
    action: "Compare the secret's current version with what the payment service shows.",
    runbook: "keys-problem",
  });
}
