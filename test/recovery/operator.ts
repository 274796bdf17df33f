import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";
import { localAccountId, localRegion } from "../../local/aws/emulator.ts";
import { type Emulators, startEmulators } from "../../local/aws/start-emulators.ts";
import type { Run } from "../cli/run-paycast.ts";
import { type AwsDouble, serveAws } from "./double/serve-aws.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A lost connection or a prompt must not stop the tests for good. */
const mostMilliseconds = 150_000;

export interface Operator {
  /** Where config files and the output of the CDK command are. */
  readonly folder: string;
  readonly emulators: () => Emulators;
  readonly aws: () => AwsDouble;
  /** Names the command that makes the app, or the folder of an app that is made already. */
  readonly setApp: (app: string) => void;
  /** Types a line of a document into a shell. */
  readonly type: (line: string, environment?: Record<string, string>) => Promise<Run>;
}

/** What `npx cdk` runs in this repository. */
export const realApp = `npx tsx ${join(root, "infra/app.ts")}`;

/** An operator with the real CDK command, in an account that only looks like one. Nothing leaves this machine. */
export function useOperator(): Operator {
  const folder = mkdtempSync(join(tmpdir(), "paycast-recovery-"));
  let emulators: Emulators;
  let aws: AwsDouble;
  beforeAll(async () => {
    makeShim(join(folder, "bin"));
    emulators = await startEmulators();
    aws = await serveAws(emulators);
  });
  afterAll(async () => {
    await aws.stop();
    await emulators.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    folder,
    emulators: () => emulators,
    aws: () => aws,
    setApp: (app) => writeFileSync(join(folder, "cdk.json"), JSON.stringify(settingsFor(app))),
    type: (line, environment = {}) =>
      runInShell(line, folder, { ...environmentFor(folder, aws.endpoint), ...environment }),
  };
}

/** The repository's own settings: no notices, no telemetry. */
function settingsFor(app: string): object {
  return { ...JSON.parse(readFileSync(join(root, "cdk.json"), "utf8")), app };
}

/** `npx` without the network, for the commands of this repository. */
function makeShim(folder: string): void {
  mkdirSync(folder);
  const lines = [
    "#!/bin/sh",
    `if [ "$1" = paycast ]; then shift; exec "${process.execPath}" "${root}cli/paycast.mjs" "$@"; fi`,
    `command=$1; shift; exec "${root}node_modules/.bin/$command" "$@"`,
  ];
  writeFileSync(join(folder, "npx"), `${lines.join("\n")}\n`);
  chmodSync(join(folder, "npx"), 0o755);
}

function environmentFor(folder: string, endpoint: string): Record<string, string> {
  return {
    PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
    HOME: folder,
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: localRegion,
    AWS_ACCESS_KEY_ID: "operator",
    AWS_SECRET_ACCESS_KEY: "operator",
    AWS_EC2_METADATA_DISABLED: "true",
    // No question about new permissions: nobody sits at this terminal.
    CDK_REQUIRE_APPROVAL: "never",
    CDK_DISABLE_VERSION_CHECK: "true",
    CI: "true",
  };
}

async function runInShell(
  line: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Run> {
  const child = spawn("sh", ["-c", line], {
    ...{ cwd, env, timeout: mostMilliseconds },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { out, err, code };
}

/** The config of docs/deploying.md, for the account and the region of the emulators. */
export function documentedConfig(): Record<string, unknown> {
  const document = readFileSync(join(root, "docs/deploying.md"), "utf8");
  const blocks = [...document.matchAll(/^```json\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  const config = blocks.find((block) => block.includes('"merchants"')) ?? "";
  return JSON.parse(
    config.replaceAll("123456789012", localAccountId).replaceAll("eu-west-1", localRegion),
  );
}

/** The commands of a section of docs/changing.md, in their order. */
export function documentedSteps(section: string): readonly string[] {
  const document = readFileSync(join(root, "docs/changing.md"), "utf8");
  const start = document.indexOf(`\n## ${section}\n`);
  const text = document.slice(start, document.indexOf("\n## ", start + 1));
  const [, block = ""] = /^```sh\n(.*?)^```$/ms.exec(text) ?? [];
  return block.trim().split("\n");
}
