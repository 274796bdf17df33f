import { execFile } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import manifest from "../../../package.json" with { type: "json" };
import { PaycastError } from "../../../shared/errors/paycast-error.ts";

interface Machine {
  readonly os: string;
  readonly cpu: string;
  readonly environment: NodeJS.ProcessEnv;
  /** The folder of `package.json`. A downloaded program is stored in the cache under its node_modules. */
  readonly project: string;
  /** Receives a line before each slow step. */
  readonly tell: (step: string) => void;
}

const version = manifest.optionalDependencies["@dynoxide/linux-x64"];
/** Long enough for three megabytes on a slow connection. The limit is only for a hanging process. */
const fetchTimeoutMilliseconds = 120_000;

/** The DynamoDB emulator for this machine: an installed one, one on the PATH, or one that npm downloads. */
export async function findDynoxide(machine: Machine): Promise<string> {
  return (
    findInPackage(machine) ??
    findOnPath(programName(machine), machine.environment) ??
    (await findInCache(machine))
  );
}

function programName({ os }: Pick<Machine, "os">): string {
  return os === "win32" ? "dynoxide.exe" : "dynoxide";
}

function findInPackage(machine: Machine): string | undefined {
  const { os, cpu, project } = machine;
  const program = join(project, "node_modules/@dynoxide", `${os}-${cpu}`, programName(machine));
  return existsSync(program) ? program : undefined;
}

/**
 * A folder appears in the cache only when it is complete. With several starts at once, the first to finish fills it.
 */
async function findInCache(machine: Machine): Promise<string> {
  const cache = join(machine.project, "node_modules/.cache/paycast");
  const folder = join(cache, `dynoxide-${version}-${machine.os}-${machine.cpu}`);
  const program = join(folder, programName(machine));
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  const unfinished = mkdtempSync(`${folder}.`);
  try {
    await fill(unfinished, machine);
    renameSync(unfinished, folder);
  } catch (cause) {
    if (!existsSync(program)) throw missing(machine, cause);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return program;
}

async function fill(folder: string, machine: Machine): Promise<void> {
  const { os, cpu, tell, environment } = machine;
  tell(`downloading the DynamoDB emulator for ${os}-${cpu} with npm`);
  if (await unpack(`${os}-${cpu}`, folder, machine)) return;
  const canUseQemu = os === "linux" && cpu === "arm64";
  if (canUseQemu) tell("npm has none: downloading the one for linux-x64, to run under QEMU");
  if (!canUseQemu || !(await unpack("linux-x64", folder, machine))) {
    throw new Error(`the npm registry in use has no @dynoxide/${os}-${cpu}@${version}`);
  }
  await launchUnderQemu(join(folder, programName(machine)), environment, tell);
}

/** Returns false if the registry does not have the package. Some mirrors have it for a few platforms only. */
async function unpack(platform: string, cwd: string, machine: Machine): Promise<boolean> {
  const wanted = `@dynoxide/${platform}@${version}`;
  const run = promisify(execFile);
  const options = { cwd, env: machine.environment, timeout: fetchTimeoutMilliseconds };
  try {
    // No retries: a machine without a network gets its message immediately. On Windows npm is a script, which needs a
    // shell.
    const flags = ["--loglevel", "error", "--fetch-retries", "0", "--pack-destination", "."];
    await run("npm", ["pack", ...flags, wanted], { ...options, shell: machine.os === "win32" });
  } catch (cause) {
    const code = codeOf(cause);
    if (["E404", "ETARGET", "ENOVERSIONS"].includes(code)) return false;
    throw new Error(`npm could not download ${wanted} (${code})`, { cause });
  }
  const archive = `dynoxide-${platform}-${version}.tgz`;
  await run("tar", ["-xzf", archive, "--strip-components=1"], options);
  return true;
}

const failureSchema = z.object({
  stderr: z.string().catch(""),
  code: z.union([z.string(), z.number()]).nullish(),
  signal: z.string().nullish(),
});

/** npm's own code for a failure, such as E404. Without one, how the process ended. */
function codeOf(error: unknown): string {
  const { stderr, code, signal } = failureSchema.parse(error);
  return /\bcode (E\w+)/.exec(stderr)?.[1] ?? `${signal ?? code}`;
}

function missing({ os, cpu }: Machine, cause: unknown): PaycastError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new PaycastError(
    "local-dynamodb-missing",
    `No DynamoDB emulator for ${os}-${cpu}: ${reason}. Install it with
  npm install --no-save @dynoxide/${os}-${cpu}@${version}
or put "dynoxide" (https://github.com/nubo-db/dynoxide) on the PATH, or set PAYCAST_DYNAMODB_ENDPOINT to the address of a running DynamoDB emulator.`,
    { cause },
  );
}

/**
 * Replaces a program for linux-x64 with a script that runs it under QEMU's user mode. QEMU comes from the PATH or from
 * Debian.
 */
async function launchUnderQemu(
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

export function findOnPath(program: string, { PATH = "" }: NodeJS.ProcessEnv): string | undefined {
  return PATH.split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, program))
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
