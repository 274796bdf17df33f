import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SQSClient } from "@aws-sdk/client-sqs";
import { localRegion } from "./emulator.ts";

/** The emulators accept any credentials; these are recognisable in a log, and useless anywhere else. */
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

// What the SDK advises about the Node version of this machine is not about the stack, which runs on another.
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";

export function createAwsClients(endpoints: ServiceEndpoints): AwsClients {
  const common = { region: localRegion, credentials: localCredentials };
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
