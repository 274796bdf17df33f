import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SQSClient } from "@aws-sdk/client-sqs";
import { STSClient } from "@aws-sdk/client-sts";

/** The local stack has emulators of the first three only. */
export interface AwsClients {
  readonly sqs: SQSClient;
  readonly dynamodb: DynamoDBClient;
  readonly secretsManager: SecretsManagerClient;
  readonly cloudFormation: CloudFormationClient;
  readonly cloudWatch: CloudWatchClient;
  readonly cloudWatchLogs: CloudWatchLogsClient;
  readonly lambda: LambdaClient;
  readonly sts: STSClient;
  /** The region that the credentials' settings name. */
  readonly region: () => Promise<string>;
  readonly destroy: () => void;
}

export interface LocalEndpoints {
  readonly region: string;
  readonly sqs: string;
  readonly dynamodb: string;
  readonly secretsmanager: string;
}

// The SDK warns about the Node version of this machine. The deployed functions run on another version.
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";

/** The emulators accept any credentials. */
const localCredentials = { accessKeyId: "local", secretAccessKey: "local" };

/** With the operator's own credentials, region and endpoints, as the SDK finds them in the environment. */
export function deployedClients(): AwsClients {
  return createClients({});
}

export function localClients({ region, ...endpoints }: LocalEndpoints): AwsClients {
  return createClients({ region, credentials: localCredentials }, endpoints);
}

/** Longer than SQS's longest poll, 20 seconds. Without it a command would wait without end for a lost connection. */
const requestTimeout = 25_000;

function createClients(
  common: { region?: string; credentials?: typeof localCredentials },
  endpoints?: Omit<LocalEndpoints, "region">,
): AwsClients {
  const at = (endpoint: string | undefined) => ({
    ...common,
    maxAttempts: 4,
    requestHandler: { connectionTimeout: 5_000, requestTimeout, throwOnRequestTimeout: true },
    ...(endpoint !== undefined && { endpoint }),
  });
  // No check of MD5s, as in the functions: a repeat under one deduplication id may have another body.
  const sqs = new SQSClient({ ...at(endpoints?.sqs), useQueueUrlAsEndpoint: false, md5: false });
  const dynamodb = new DynamoDBClient(at(endpoints?.dynamodb));
  const secretsManager = new SecretsManagerClient(at(endpoints?.secretsmanager));
  const cloudFormation = new CloudFormationClient(at(undefined));
  const cloudWatch = new CloudWatchClient(at(undefined));
  const cloudWatchLogs = new CloudWatchLogsClient(at(undefined));
  const lambda = new LambdaClient(at(undefined));
  const sts = new STSClient(at(undefined));
  const all = { sqs, dynamodb, secretsManager, cloudFormation, cloudWatch, cloudWatchLogs, lambda };
  const destroy = () => {
    for (const client of [...Object.values(all), sts]) client.destroy();
  };
  return { ...all, sts, region: async () => await sqs.config.region(), destroy };
}
