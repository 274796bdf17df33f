import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import type { ServiceEndpoints } from "../../tools/local/aws/aws-clients.ts";
import { startDynamodbWithoutProxy } from "../../tools/local/aws/dynamodb.ts";
import { startSecretsManager } from "../../tools/local/aws/secrets-manager.ts";
import { startSqs } from "../../tools/local/aws/sqs/start-sqs.ts";
import { bundleCommand } from "./command.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Run for all test files, so each file has names of its own for what it makes there. */
    emulators: ServiceEndpoints;
    /** For temporary files. */
    folder: string;
    /** Whether every test runs: then property tests draw every value (draws.ts). */
    isThorough: boolean;
  }
}

/** Once for all test files: one message instead of a hundred failures, and what the files share. */
export default async function prepare(root: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "paycast-tests-"));
  root.provide("folder", folder);
  const { projects } = root.vitest;
  root.provide(
    "isThorough",
    projects.some(({ name }) => name === "thorough"),
  );
  const isUnit = projects.every(({ name }) => name === "unit");
  const stop = isUnit ? undefined : await prepareServices(root);
  if (!isUnit) await bundleCommand(folder);
  return async () => {
    await stop?.();
    rmSync(folder, { recursive: true, force: true });
  };
}

async function prepareServices(root: TestProject): Promise<() => Promise<void>> {
  const missing = ["git", "openssl", "curl"].filter((tool) => !isThere(tool));
  if (missing.length > 0) {
    throw new Error(`The tests call ${missing.join(", ")}. apt-get install ${missing.join(" ")}`);
  }
  // Also fetches what the DynamoDB emulator needs on this platform.
  const [dynamodb, sqs, secretsmanager] = await Promise.all([
    startDynamodbWithoutProxy({ tell: (step) => console.log(`preparing: ${step}`) }),
    startSqs(),
    startSecretsManager(),
  ]);
  root.provide("emulators", {
    dynamodb: dynamodb.endpoint,
    sqs: sqs.endpoint,
    secretsmanager: secretsmanager.endpoint,
  });
  return async () => {
    await Promise.all([dynamodb.stop(), sqs.stop(), secretsmanager.stop()]);
  };
}

function isThere(tool: string): boolean {
  return spawnSync(tool, ["--version"]).error === undefined;
}
