import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SQSClient } from "@aws-sdk/client-sqs";

const common = {
  region: "us-east-1",
  credentials: { accessKeyId: "any", secretAccessKey: "any" },
  maxAttempts: 1,
};

/** Plain SDK clients with nothing set but the endpoint, as any other team would make them. */
export const sqsClient = (endpoint: string) => new SQSClient({ ...common, endpoint });
export const dynamodbClient = (endpoint: string) => new DynamoDBClient({ ...common, endpoint });
export const secretsClient = (endpoint: string) =>
  new SecretsManagerClient({ ...common, endpoint });

export const createTable = (TableName: string) =>
  new CreateTableCommand({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    KeySchema: [{ AttributeName: "k", KeyType: "HASH" }],
    AttributeDefinitions: [{ AttributeName: "k", AttributeType: "S" }],
  });
