import { execFile } from "node:child_process";
import { access, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import manifest from "../../package.json" with { type: "json" };

const run = promisify(execFile);

/**
 * npm has the DynamoDB emulator for linux-x64 only. On linux-arm64 the same binary runs under QEMU's user mode.
 * npm fetches the package; QEMU comes from the PATH or from Debian.
 */
const packageName = "@dynoxide/linux-x64";
const folder = fileURLToPath(new URL("../../node_modules/.cache/paycast", import.meta.url));

export const arm64Launcher = join(folder, "dynoxide");

/** Makes the launcher if it does not exist, and prints each slow step. Throws if a step fails. */
export async function prepareArm64Launcher(tell: (step: string) => void): Promise<void> {
  if (await exists(arm64Launcher)) return;
  const qemu = await findOrInstallQemu(tell);
  tell("fetching the DynamoDB emulator for linux-x64, to run under QEMU");
  const binary = await fetchBinary();
  const unfinished = `${arm64Launcher}.${process.pid}`;
  await writeFile(unfinished, `#!/bin/sh\nexec "${qemu}" "${binary}" "$@"\n`, { mode: 0o755 });
  await rename(unfinished, arm64Launcher);
}

async function findOrInstallQemu(tell: (step: string) => void): Promise<string> {
  const found = await findQemu();
  if (found !== undefined) return found;
  tell("installing Debian's qemu-user-static");
  await run("apt-get", ["update", "-qq"]);
  await run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "qemu-user-static"]);
  const installed = await findQemu();
  if (installed === undefined) throw new Error("qemu-user-static did not bring qemu-x86_64-static");
  return installed;
}

async function findQemu(): Promise<string | undefined> {
  for (const name of ["qemu-x86_64-static", "qemu-x86_64"]) {
    try {
      return (await run("which", [name])).stdout.trim();
    } catch {
      // This name of the program is not on the PATH. Try the next one.
    }
  }
  return undefined;
}

async function fetchBinary(): Promise<string> {
  const version = manifest.optionalDependencies[packageName];
  const target = join(folder, `dynoxide-${version}`);
  const unpacked = `${target}.${process.pid}`;
  await mkdir(unpacked, { recursive: true });
  await run("npm", [
    "pack",
    "--silent",
    "--pack-destination",
    unpacked,
    `${packageName}@${version}`,
  ]);
  await run("sh", ["-c", 'tar -xzf "$1"/*.tgz -C "$1" --strip-components=1', "sh", unpacked]);
  await rm(target, { recursive: true, force: true });
  await rename(unpacked, target);
  return join(target, "dynoxide");
}

async function exists(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  );
}
