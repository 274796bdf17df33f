import { rmSync, writeFileSync } from "node:fs";
import { ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { ListSecretsCommand } from "@aws-sdk/client-secrets-manager";
import { ListQueuesCommand } from "@aws-sdk/client-sqs";
import { afterEach, expect, test, vi } from "vitest";
import { startEmulators } from "../../../../tools/local/aws/start-emulators.ts";
import { temporaryFolder } from "../../../setup/temporary-folder.ts";
import { dynamodbClient, secretsClient, sqsClient } from "./aws-clients.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

test("all three answer the SDK; one that cannot save its data fails the stop, and all are ended", async () => {
  const dataDirectory = temporaryFolder("emulators");
  const emulators = await startEmulators({ dataDirectory });
  await sqsClient(emulators.sqs).send(new ListQueuesCommand({}));
  await dynamodbClient(emulators.dynamodb).send(new ListTablesCommand({}));
  await secretsClient(emulators.secretsmanager).send(new ListSecretsCommand({}));
  rmSync(dataDirectory, { recursive: true });
  writeFileSync(dataDirectory, "");
  await expect(emulators.stop()).rejects.toThrow();
  for (const endpoint of [emulators.sqs, emulators.dynamodb, emulators.secretsmanager]) {
    await expect(fetch(endpoint)).rejects.toThrow();
  }
});

test("one that cannot start is the error, and the others are ended", async () => {
  vi.stubEnv("PAYCAST_DYNAMODB_ENDPOINT", "http://127.0.0.1:1");
  const before = listeners();
  await expect(startEmulators()).rejects.toThrow(/PAYCAST_DYNAMODB_ENDPOINT/);
  await expect.poll(listeners).toBe(before);
});

function listeners(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;
}
