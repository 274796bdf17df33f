import type { Construct } from "constructs";
import { alarmOnAny } from "./alarm.ts";
import type { FunctionName } from "./function-names.ts";

/** One is enough: warm instances go on with the keys they have, and the next cold start has none. */
export function alarmOnKeys(scope: Construct, service: FunctionName): void {
  alarmOnAny(scope, `KeysAlarm-${service}`, service, "KeysProblem", {
    meaning: `${service} could not read or understand the current keys of a merchant.`,
    action: "Compare the secret's current version with what the payment service shows.",
    runbook: "keys-problem",
  });
}
