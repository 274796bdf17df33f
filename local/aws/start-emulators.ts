import { join } from "node:path";
import { startDynamodb } from "./dynamodb.ts";
import type { Emulator } from "./emulator.ts";
import { startSecretsManager } from "./secrets-manager.ts";
import { startSqs } from "./sqs.ts";

/** The endpoints of the emulated services, by the names that `.paycast/local.json` gives them. */
export interface Emulators {
  readonly sqs: string;
  readonly dynamodb: string;
  readonly secretsmanager: string;
  stop(): Promise<void>;
}

/** Starts all three; if one cannot start, those that did are ended again. */
export async function startEmulators(
  options: { readonly dataDirectory?: string } = {},
): Promise<Emulators> {
  const { dataDirectory } = options;
  const started = await Promise.allSettled([
    startSqs(),
    startDynamodb(dataDirectory === undefined ? {} : { dataDirectory }),
    startSecretsManager(
      dataDirectory === undefined ? {} : { dataFile: join(dataDirectory, "secrets.json") },
    ),
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
