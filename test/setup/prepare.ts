import { spawnSync } from "node:child_process";
import { startDynamodb } from "../../local/aws/dynamodb.ts";

/** Once for all test files: one message instead of a hundred failures, and what the files would race for. */
export default async function prepare(): Promise<void> {
  const missing = ["git", "openssl", "curl"].filter((tool) => !isThere(tool));
  if (missing.length > 0) {
    throw new Error(`The tests call ${missing.join(", ")}. apt-get install ${missing.join(" ")}`);
  }
  await prepareDynamodb();
}

function isThere(tool: string): boolean {
  return spawnSync(tool, ["--version"]).error === undefined;
}

/** Whatever the emulator needs on this platform is fetched. */
async function prepareDynamodb(): Promise<void> {
  const dynamodb = await startDynamodb({ tell: (step) => console.log(`preparing: ${step}`) });
  await dynamodb.stop();
}
