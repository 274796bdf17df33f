import { causeOf, causeWords } from "../overview/failure-words.ts";
import type { BackgroundFunction, FailedWork } from "../ports/failed-work.ts";
import type { Target } from "../ports/target.ts";
import { stackOption } from "../stack-option.ts";

/** "process-callback failed …, because DynamoDB does not respond as expected": what follows the comma. */
export function becauseText(failed: FailedWork): string {
  const { reason, errorName = "an error" } = failed;
  const cause = causeOf(failed);
  if (cause === "function") return `because of an unexpected error (${errorName})`;
  return `because ${causeWords[cause].means} (${reason})`;
}

/** Where the log lines of a function are: "count-attention in the log group Paycast-CountAttentionLogs". */
export function logOf(target: Pick<Target, "log">, name: BackgroundFunction): string {
  return `${name} in the ${target.log.placeOf(name)}`;
}

/** What happens to the work automatically. */
const goesOn: Readonly<Record<BackgroundFunction, string>> = {
  "process-callback": "callbacks stay in the inbox and are retried",
  "reconcile-orders": "each run queries the orders that are due",
  "count-attention": "it counts again every minute",
};

const changed = "The other lines of npx paycast check name what was changed or is missing.";

/** What to do about a failure. */
export function todoOf(target: Pick<Target, "stack" | "log">, failed: FailedWork): string {
  const { service } = failed;
  const log = logOf(target, service);
  const keysCheck = `npx paycast keys check${stackOption(target.stack)}`;
  const wait = (awsService: string) =>
    `Wait: ${goesOn[service]}. Check ${awsService} in the AWS Health Dashboard.`;
  switch (causeOf(failed)) {
    case "changed":
      return `A role, a table, a queue or a secret was changed outside the stack: undo the change. The other lines of npx paycast check name what is missing, npx cdk drift what was changed, and the log the call: ${log}.`;
    case "sqs":
      return `${wait("SQS")} ${changed}`;
    case "secrets-manager":
      return `${wait("Secrets Manager")} ${changed}`;
    case "dynamodb":
      return wait("DynamoDB");
    case "keys":
      return `Set the keys, or restore the previous ones: ${keysCheck}.`;
    case "service-away":
      return "Contact the payment service. Each run queries the orders that are due.";
    case "service-refuses":
      return `Compare the request keys, and ask the payment service what its code means: ${keysCheck}.`;
    case "service-answers":
      return `Contact the payment service about the orders that the log names: ${log}.`;
    case "newer":
      return causeWords.newer.todo;
    case "slow":
      return wait("Secrets Manager and DynamoDB");
    case "function":
      return `Read its errors: ${log}. After a deployment, go back to the previous version.`;
  }
}
