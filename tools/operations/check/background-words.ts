import { type CauseName, causeOf, causeWords } from "../overview/failure-words.ts";
import { stackOption } from "../target/stack-option.ts";
import type { Target } from "../target/target.ts";
import type { BackgroundFunction, FailedWork } from "../telemetry/failed-work.ts";
import { logGroupOf } from "../telemetry/find-attempts.ts";

/** Why a function without a caller fails. The texts about requests would mislead here. */
type BackgroundCause = CauseName | "changed";

/** The errors of AWS after a role was changed, or a resource that a function uses was deleted. */
const changedErrors = /^(AccessDenied|ResourceNotFound|QueueDoesNotExist|.*NonExistentQueue)/;

function backgroundCauseOf(failed: FailedWork): BackgroundCause {
  return changedErrors.test(failed.errorName ?? "") ? "changed" : causeOf(failed);
}

/** "process-callback failed …, because DynamoDB does not respond as expected": what follows the comma. */
export function becauseText(failed: FailedWork): string {
  const { errorCode, errorName = "an error" } = failed;
  const cause = backgroundCauseOf(failed);
  if (cause === "changed") {
    const names = [errorCode ?? [], errorName].flat().join(", ");
    return `because AWS denies it access, or something that it uses is gone (${names})`;
  }
  const reason = errorCode ?? errorName;
  if (cause === "function") return `because of an unexpected error (${reason})`;
  return `because ${causeWords[cause].means} (${reason})`;
}

/** Where the log lines of a function are: "count-attention in the log group Paycast-CountAttentionLogs". */
export function logOf(target: Target, name: BackgroundFunction): string {
  const { functionLog } = target;
  const place =
    functionLog === undefined ? `log group ${logGroupOf(target, name)}` : `file ${functionLog}`;
  return `${name} in the ${place}`;
}

/** What happens to the work automatically. */
const goesOn: Readonly<Record<BackgroundFunction, string>> = {
  "process-callback": "callbacks stay in the inbox and are retried",
  "reconcile-orders": "each run queries the orders that are due",
  "count-attention": "it counts again every minute",
};

/** What to do about a failure. */
export function todoOf(target: Target, failed: FailedWork): string {
  const { service } = failed;
  const log = logOf(target, service);
  const keysCheck = `npx paycast keys check${stackOption(target)}`;
  const wait = (awsService: string) =>
    `Wait: ${goesOn[service]}. Check ${awsService} in the AWS Health Dashboard.`;
  switch (backgroundCauseOf(failed)) {
    case "changed":
      return `A role, a table, a queue or a secret was changed outside the stack: undo the change. The other lines of npx paycast check name it if they can, and the log names the call: ${log}.`;
    case "sqs":
      return wait("SQS");
    case "secrets-manager":
      return wait("Secrets Manager");
    case "dynamodb":
      return wait("DynamoDB");
    case "keys":
      return `Set the keys, or restore the previous ones: ${keysCheck}.`;
    case "service-away":
      return "Contact the payment service. Each run queries the orders that are due.";
    case "service-refuses":
      return `Compare the request keys, and ask the payment service what its code means: ${keysCheck}.`;
    case "function":
      return `Read its errors: ${log}. After a deployment, go back to the previous version.`;
  }
}
