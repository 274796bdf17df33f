import type { AwsError } from "../integration/fault-proxy.ts";

export function dynamodbError(name: string, fields: Record<string, unknown> = {}): AwsError {
  return { type: `com.amazonaws.dynamodb.v20120810#${name}`, status: 400, fields };
}

/** A transaction that DynamoDB cancelled, with one reason for each of its items. */
export function cancelled(...codes: readonly string[]): AwsError {
  const CancellationReasons = codes.map((Code) => ({ Code }));
  return dynamodbError("TransactionCanceledException", { CancellationReasons });
}
