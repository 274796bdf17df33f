import { DynamoDBClient } from "@aws-sdk/client-dynamodb";

/** Three attempts of at most two seconds: a batch has half a minute in all. */
export function createDynamoDbClient(): DynamoDBClient {
  return new DynamoDBClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 500, requestTimeout: 2_000, throwOnRequestTimeout: true },
  });
}
