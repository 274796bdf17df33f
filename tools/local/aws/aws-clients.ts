import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SQSClient } from "@aws-sdk/client-sqs";
import { localRegion } from "./local-account.ts";

/**
 * An administrator's credentials, which no policy restricts. They are easy to recognise in a log and work nowhere else.
 */
export const localCredentials = { accessKeyId: "local", secretAccessKey: "local" };

export interface ServiceEndpoints {
  readonly sqs: string;
  readonly dynamodb: string;
  readonly secretsmanager: string;
}

export interface AwsClients {
  readonly sqs: SQSClient;
  readonly dynamodb: DynamoDBClient;
  readonly secretsmanager: SecretsManagerClient;
  destroy(): void;
}

// The SDK warns about the Node version of this machine. The deployed functions run on another version.
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";

export function createAwsClients(
  endpoints: ServiceEndpoints,
  credentials = localCredentials,
): AwsClients {
  const common = { region: localRegion, credentials };
  const sqs = new SQSClient({ ...common, endpoint: endpoints.sqs });
  const dynamodb = new DynamoDBClient({ ...common, endpoint: endpoints.dynamodb });
  const secretsmanager = new SecretsManagerClient({
    ...common,
    endpoint: endpoints.secretsmanager,
  });
  const destroy = () => {
    for (const client of [sqs, dynamodb, secretsmanager]) client.destroy();
  };
  return { sqs, dynamodb, secretsmanager, destroy };
}
