import { join } from "node:path";
import type { Guard } from "../permissions/guard.ts";
import type { ServiceEndpoints } from "./aws-clients.ts";
import { type DynamodbOptions, startDynamodb } from "./dynamodb.ts";
import { startSecretsManager } from "./secrets-manager.ts";
import type { QueueEvents } from "./sqs/queue-store.ts";
import { type RunningSqs, startSqs } from "./sqs/start-sqs.ts";

export interface Emulators extends ServiceEndpoints {
  readonly queues: Pick<
    RunningSqs,
    "untilNextVisibleMilliseconds" | "lookAgain" | "isQuiet" | "counts"
  >;
  stop(): Promise<void>;
}

export type EmulatorPorts = Readonly<Record<keyof ServiceEndpoints, number>>;

export interface EmulatorOptions {
  /** The folder for all data between starts. Default: in memory. */
  readonly dataDirectory?: string | undefined;
  /** Default: free ports. */
  readonly ports?: EmulatorPorts;
  readonly tell?: DynamodbOptions["tell"];
  /** The time in milliseconds. Default: this machine's clock. */
  readonly now?: () => number;
  /** Decides who may call what. Default: everyone may. */
  readonly guard?: Guard;
  /** Receives the events of the queues. */
  readonly queueEvents?: QueueEvents;
}

/** Starts all three. If one cannot start, the others are stopped. */
export async function startEmulators(options: EmulatorOptions = {}): Promise<Emulators> {
  const { dataDirectory, tell, queueEvents, ports, now, guard } = options;
  const inFolder = (fileName: string) => dataDirectory && join(dataDirectory, fileName);
  const starting = [
    startSqs({
      port: ports?.sqs,
      dataFile: inFolder("queues.json"),
      now,
      tell: queueEvents,
      guard,
    }),
    startDynamodb({ port: ports?.dynamodb, dataDirectory, tell, guard }),
    startSecretsManager({
      port: ports?.secretsmanager,
      dataFile: inFolder("secrets.json"),
      now,
      guard,
    }),
  ] as const;
  const stop = async () => {
    const started = await Promise.allSettled(starting);
    const stops = started.map(
      async (emulator) => emulator.status === "fulfilled" && (await emulator.value.stop()),
    );
    await Promise.allSettled(stops);
    // Rejects with the first failure, after all have ended.
    await Promise.all(stops);
  };
  try {
    const [sqs, dynamodb, secretsmanager] = await Promise.all(starting);
    return {
      sqs: sqs.endpoint,
      queues: sqs,
      dynamodb: dynamodb.endpoint,
      secretsmanager: secretsmanager.endpoint,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
