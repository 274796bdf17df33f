import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { PaycastError } from "../../shared/paycast-error.ts";

/** The npm package with the emulator's binary for this platform, if there is one. */
const packageName = "@dynoxide/linux-x64";

export interface Platform {
  readonly os: string;
  readonly cpu: string;
  readonly path: string;
}

export function findDynoxide(platform: Platform): string {
  const found = findInPackage(platform) ?? findOnPath(platform);
  if (found === undefined) throw missing(platform);
  return found;
}

function findInPackage({ os, cpu }: Platform): string | undefined {
  if (os !== "linux" || cpu !== "x64") return undefined;
  try {
    const manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`);
    return join(dirname(manifest), "dynoxide");
  } catch {
    return undefined;
  }
}

function findOnPath({ os, path }: Platform): string | undefined {
  const fileName = os === "win32" ? "dynoxide.exe" : "dynoxide";
  return path
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, fileName))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function missing({ os, cpu }: Platform): PaycastError {
  const advice =
    os === "linux" && cpu === "x64"
      ? `Run "npm ci" without --omit=optional to install ${packageName}`
      : `npm has one for linux-x64 only (on linux-arm64 it runs under QEMU: apt-get install qemu-user-static). Put "dynoxide" (https://github.com/nubo-db/dynoxide) on the PATH`;
  return new PaycastError(
    "local-dynamodb-missing",
    `No DynamoDB emulator for ${os}-${cpu}. ${advice}, or set PAYCAST_DYNAMODB_ENDPOINT to the address of a running DynamoDB emulator.`,
  );
}
