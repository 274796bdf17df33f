import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { isFaultOfAws } from "../errors/aws-fault.ts";
import { PaycastError } from "../errors/paycast-error.ts";

type TableCode = "table-throttled" | "table-unavailable" | "table-denied" | "table-missing";

const messages: Readonly<Record<TableCode, string>> = {
  "table-throttled": "DynamoDB accepts no more requests for the table at the moment.",
  "table-unavailable": "DynamoDB did not respond as expected.",
  "table-denied": "AWS denies access to the table.",
  "table-missing": "The table does not exist.",
};

/** DynamoDB or the way to it failed, and not our own code. Its `cause` is the error of the SDK. */
export class TableError extends PaycastError {
  override readonly name = "TableError";

  constructor(code: TableCode, cause: unknown) {
    super(code, messages[code], { retryable: true, cause });
  }
}

/** The typed error for a call that failed. Conditions that did not hold and our own mistakes stay as they are. */
export function tableErrorOf(error: unknown, isSlowedDown: boolean): unknown {
  if (isSlowedDown) return new TableError("table-throttled", error);
  if (!(error instanceof Error) || isResult(error) || !isFaultOfAws(error)) return error;
  if (/^(AccessDenied|Unrecognized|ExpiredToken|KMS)/.test(error.name)) {
    return new TableError("table-denied", error);
  }
  const isMissing = error.name === "ResourceNotFoundException";
  return new TableError(isMissing ? "table-missing" : "table-unavailable", error);
}

function isResult(error: Error): boolean {
  return (
    error instanceof TransactionCanceledException ||
    error.name === "ConditionalCheckFailedException"
  );
}
