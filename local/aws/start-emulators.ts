import { join } from "node:path";
import { type DynamodbOptions, startDynamodb } from "./dynamodb.ts";
import type { Emulator } from "./emulator.ts";
import { startSecretsManager } from "./secrets-manager.ts";
import type { QueueEvents } from "./sqs/queue-store.ts";
import { startSqs } from "./sqs/start-sqs.ts";

/** The endpoints of the emulated services, by the names that `.paycast/local.json` gives them. */
export interface Emulators {
  readonly sqs: string;
  readonly dynamodb: string;
  readonly secretsmanager: string;
  stop(): Promise<void>;
}

export interface EmulatorPorts {
  readonly sqs: number;
  readonly dynamodb: number;
  readonly secretsmanager: number;
}

export interface EmulatorOptions {
  /** The folder for all data between starts. Without it data is in memory only. */
  readonly dataDirectory?: string;
  /** The ports of SQS, DynamoDB and Secrets Manager. Without it each takes a free one. */
  readonly ports?: EmulatorPorts;
  readonly tell?: DynamodbOptions["tell"];
  /** Hears what happens to the queues. */
  readonly queueEvents?: QueueEvents;
}

const anyPorts: EmulatorPorts = { sqs: 0, dynamodb: 0, secretsmanager: 0 };

/** Starts all three. If one cannot start, the others are stopped. */
export async function startEmulators(options: EmulatorOptions = {}): Promise<Emulators> {
  const { dataDirectory, tell, queueEvents, ports = anyPorts } = options;
  const inFolder = (fileName: string) =>
    dataDirectory === undefined ? {} : { dataFile: join(dataDirectory, fileName) };
  const started = await Promise.allSettled([
    startSqs({
      port: ports.sqs,
      ...inFolder("queues.json"),
      ...(queueEvents !== undefined && { tell: queueEvents }),
    }),
    startDynamodb({
      port: ports.dynamodb,
      ...(dataDirectory !== undefined && { dataDirectory }),
      ...(tell !== undefined && { tell }),
    }),
    startSecretsManager({ port: ports.secretsmanager, ...inFolder("secrets.json") }),
  ]);
  const [sqs, dynamodb, secretsmanager] = started;
  const stop = async () => {
    await Promise.all(started.map((result) => stopIfStarted(result)));
  };
  if (
    sqs.status === "rejected" ||
    dynamodb.status === "rejected" ||
    secretsmanager.status === "rejected"
  ) {
    await stop();
    throw started.find((result) => result.status === "rejected")?.reason;
  }
  return {
    sqs: sqs.value.endpoint,
    dynamodb: dynamodb.value.endpoint,
    secretsmanager: secretsmanager.value.endpoint,
    stop,
  };
}

async function stopIfStarted(result: PromiseSettledResult<Emulator>): Promise<void> {
  if (result.status === "fulfilled") await result.value.stop();
}
