import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { parseJson } from "../../../shared/json/parse-json.ts";
import type { Guard } from "../permissions/guard.ts";
import { errorAnswer } from "./aws-error.ts";
import { type Call, startProxy } from "./emulator-proxy.ts";
import { findDynoxide } from "./find-dynoxide.ts";
import type { Listening } from "./listen-on-loopback.ts";

/**
 * Starting takes less than a second, but much longer under QEMU on a busy machine. The limit is only for a hanging
 * process.
 */
const readinessTimeoutMilliseconds = 60_000;
const stopTimeoutMilliseconds = 1_000;
const portAttempts = 5;
const project = fileURLToPath(new URL("../../..", import.meta.url));

export interface DynamodbOptions {
  /** Default: any free port. */
  readonly port?: number | undefined;
  /** The folder for the tables. Default: in memory. */
  readonly dataDirectory?: string | undefined;
  readonly environment?: NodeJS.ProcessEnv;
  /** Decides who may call what. Default: everyone may. */
  readonly guard?: Guard | undefined;
  /**
   * Receives a line before each slow step. Slow steps happen once, on a machine for which `npm ci` installs no
   * emulator.
   */
  readonly tell?: ((step: string) => void) | undefined;
}

/** Starts a DynamoDB emulator on a loopback port, or uses the endpoint that the environment names. */
export async function startDynamodb(options: DynamodbOptions = {}): Promise<Listening> {
  const hidden = await startDynamodbWithoutProxy(options);
  const { guard, environment = process.env } = options;
  if (isEndpointGiven(environment) && guard === undefined) return hidden;
  try {
    const proxy = await startProxy(hidden.endpoint, {
      port: options.port,
      answer: (call) => refusalOf(guard, call),
    });
    const stop = async () => {
      await proxy.stop();
      await hidden.stop();
    };
    return { endpoint: proxy.endpoint, stop };
  } catch (error) {
    await hidden.stop();
    throw error;
  }
}

/** Undefined if the caller is allowed to make this call. */
function refusalOf(guard: Guard | undefined, { target, body, authorization }: Call) {
  try {
    guard?.check(authorization, () => ({
      service: "dynamodb",
      operation: target.replace(/^DynamoDB_\d+\./, ""),
      input: parseJson(body.toString("utf8")),
    }));
    return undefined;
  } catch (error) {
    return errorAnswer("dynamodb", error);
  }
}

/** The same without the proxy: one hop less per call, but any web page that guesses the address can use it. */
export async function startDynamodbWithoutProxy({
  environment = process.env,
  dataDirectory,
  tell = () => undefined,
}: Omit<DynamodbOptions, "port"> = {}): Promise<Listening> {
  const given = givenEndpoint(environment);
  if (given !== undefined) return await useGivenEndpoint(given);
  const machine = { os: process.platform, cpu: process.arch };
  const binary = await findDynoxide({ ...machine, environment, project, tell });
  return await startHidden(binary, databaseArguments(dataDirectory));
}

/** Whether the user runs a DynamoDB emulator, so that none is started. */
export function isEndpointGiven(environment: NodeJS.ProcessEnv): boolean {
  return givenEndpoint(environment) !== undefined;
}

function givenEndpoint(environment: NodeJS.ProcessEnv): string | undefined {
  return environment["PAYCAST_DYNAMODB_ENDPOINT"] || undefined;
}

async function useGivenEndpoint(endpoint: string): Promise<Listening> {
  try {
    await fetch(endpoint, { signal: AbortSignal.timeout(3_000) });
  } catch (cause) {
    throw new PaycastError(
      "local-dynamodb-unreachable",
      `PAYCAST_DYNAMODB_ENDPOINT is ${endpoint}, and nothing responds there. Start that emulator, or unset the variable.`,
      { cause },
    );
  }
  return { endpoint, stop: async () => undefined };
}

function databaseArguments(dataDirectory: string | undefined): string[] {
  if (dataDirectory === undefined) return [];
  mkdirSync(dataDirectory, { recursive: true });
  return ["--db-path", join(dataDirectory, "dynamodb.sqlite")];
}

/**
 * The emulator lets any web page read and change its tables, so it listens at a random one of the 16 million loopback
 * addresses, where a page cannot find it. macOS has only one loopback address. The emulator cannot choose a free port
 * itself. If another program takes the chosen port, the next attempt uses another one.
 */
async function startHidden(binary: string, extraArguments: string[]): Promise<Listening> {
  const random = () => randomInt(1, 255);
  const host =
    process.platform === "darwin" ? "127.0.0.1" : `127.${random()}.${random()}.${random()}`;
  for (let attempt = 1; ; attempt += 1) {
    const port = `${await findFreePort()}`;
    const child = spawnTied(binary, ["serve", "--host", host, "--port", port, ...extraArguments]);
    const failure = await waitUntilReady(child);
    if (failure === undefined) {
      return { endpoint: `http://${host}:${port}`, stop: () => stopChild(child) };
    }
    await stopChild(child);
    const isTaken = failure.includes("already in use");
    if (attempt >= portAttempts || !isTaken) throw didNotStart(binary, failure);
  }
}

function didNotStart(binary: string, failure: string): PaycastError {
  return new PaycastError(
    "local-dynamodb-failed",
    `The DynamoDB emulator ${binary} did not start: ${failure.trim()}`,
  );
}

/**
 * The emulator ends with this process, even if this process is killed: a shell waits until its standard input closes,
 * which the kernel does in every case. The emulator has its own process group, so that Ctrl-C does not end it before
 * the functions that still use it. `stop` ends it.
 */
function spawnTied(binary: string, commandArguments: string[]): ChildProcess {
  if (process.platform === "win32") {
    return spawn(binary, commandArguments, { stdio: ["ignore", "ignore", "pipe"] });
  }
  const script =
    'exec 3<&0; (cat >/dev/null; kill $$) <&3 >/dev/null 2>&1 & exec "$0" "$@" 3<&- </dev/null';
  return spawn("/bin/sh", ["-c", script, binary, ...commandArguments], {
    stdio: ["pipe", "ignore", "pipe"],
    detached: true,
  });
}

/** Resolves to undefined when the emulator is ready, otherwise to what it printed. */
async function waitUntilReady(child: ChildProcess): Promise<string | undefined> {
  let said = "";
  return await new Promise((resolve) => {
    const timer = setTimeout(
      () => resolve(`${said}\nno readiness within ${readinessTimeoutMilliseconds} ms`),
      readinessTimeoutMilliseconds,
    );
    const settle = (failure: string | undefined) => {
      clearTimeout(timer);
      resolve(failure);
    };
    child.once("error", (error) => settle(error.message));
    // Not "exit": the last output may arrive after that, and contains the reason.
    child.once("close", (code, signal) => settle(said || `exit code ${code ?? signal}`));
    // Keep reading after it is ready, because a full pipe would block the emulator.
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = `${said}${text}`.slice(-2_000);
      if (said.includes("listening on")) settle(undefined);
    });
  });
}

async function stopChild(child: ChildProcess): Promise<void> {
  child.stdin?.destroy();
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMilliseconds);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill("SIGTERM");
  });
}

async function findFreePort(): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port: 0 }, () => {
      const address = server.address();
      const port = address !== null && typeof address === "object" ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
