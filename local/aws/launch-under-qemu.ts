import { execFile } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { findOnPath } from "./find-on-path.ts";

/** Puts a script in place of a program for linux-x64 that runs it under QEMU's user mode. QEMU comes from the PATH or from Debian. */
export async function launchUnderQemu(
  program: string,
  environment: NodeJS.ProcessEnv,
  tell: (step: string) => void,
): Promise<void> {
  const qemu = findQemu(environment) ?? (await installQemu(environment, tell));
  renameSync(program, `${program}-x64`);
  const script = `#!/bin/sh\nexec "${qemu}" "$(dirname "$0")/dynoxide-x64" "$@"\n`;
  writeFileSync(program, script, { mode: 0o755 });
}

function findQemu(environment: NodeJS.ProcessEnv): string | undefined {
  return findOnPath("qemu-x86_64-static", environment) ?? findOnPath("qemu-x86_64", environment);
}

async function installQemu(env: NodeJS.ProcessEnv, tell: (step: string) => void): Promise<string> {
  tell("installing Debian's qemu-user-static");
  const aptGet = async (...args: string[]) => await promisify(execFile)("apt-get", args, { env });
  try {
    await aptGet("update", "-qq");
    await aptGet("install", "-y", "-qq", "--no-install-recommends", "qemu-user-static");
  } catch (cause) {
    throw new Error(
      "npm has it for linux-x64 only, and apt-get could not install qemu-user-static to run that one",
      { cause },
    );
  }
  const installed = findQemu(env);
  if (installed === undefined) throw new Error("qemu-user-static did not bring qemu-x86_64-static");
  return installed;
}
