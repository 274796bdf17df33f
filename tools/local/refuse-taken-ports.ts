import { execFile } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { PaycastError } from "../../shared/errors/paycast-error.ts";
import { isEndpointGiven } from "./aws/dynamodb.ts";
import { listenOnLoopback } from "./aws/listen-on-loopback.ts";
import { type LocalOptions, largestPort } from "./local-options.ts";

/** A port, and what needs it. */
interface WantedPort {
  readonly number: number;
  readonly user: string;
}

/** Runs first, so that the user gets this error before anything slow starts. */
export async function refuseTakenPorts(options: LocalOptions): Promise<void> {
  if (options.port === 0) return;
  const wanted = wantedPorts(options);
  for (const { number, user } of wanted) {
    const cause = await whyNotFree(number);
    if (cause === undefined) continue;
    const holder = await findListener(number);
    const there = holder === undefined ? "" : `; ${holder} is using it`;
    const command = options.watch ? "npm run dev" : "npm start";
    const advice = `Set PORT to move all ports, for example: PORT=${await findFreePort(options.port, wanted)} ${command}`;
    const message = `${cause.message} It is needed for ${user}${there}.\n${advice}`;
    throw new PaycastError("local-port-taken", message, { cause });
  }
}

/** A DynamoDB emulator that the user runs has its own port. */
function wantedPorts({
  port,
  gatewayPort,
  consolePort,
  emulatorPorts,
}: LocalOptions): WantedPort[] {
  const { sqs, dynamodb, secretsmanager } = emulatorPorts;
  return [
    { number: port, user: "the API" },
    { number: gatewayPort, user: "the payment service" },
    { number: consolePort, user: "the console" },
    { number: sqs, user: "SQS" },
    ...(isEndpointGiven(process.env) ? [] : [{ number: dynamodb, user: "DynamoDB" }]),
    { number: secretsmanager, user: "Secrets Manager" },
  ];
}

async function whyNotFree(port: number): Promise<Error | undefined> {
  try {
    const listening = await listenOnLoopback(createServer(), port);
    await listening.stop();
    return undefined;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

const step = 10;
const firstChoice = 4_000;

/** The next PORT with which all needed ports are free. */
async function findFreePort(taken: number, wanted: readonly WantedPort[]): Promise<number> {
  for (let port = taken + step; port <= largestPort; port += step) {
    const reasons = await Promise.all(
      wanted.map(({ number }) => whyNotFree(number - taken + port)),
    );
    if (reasons.every((reason) => reason === undefined)) return port;
  }
  return firstChoice;
}

/** The process that listens on a port, such as "node (process 4711)". Undefined if it cannot be determined. */
export async function findListener(port: number): Promise<string | undefined> {
  const find = process.platform === "linux" ? findInProc : findByLsof;
  return await find(port).catch(() => undefined);
}

/** In /proc/net/tcp, the state of a listening socket. */
const listening = "0A";

async function findInProc(port: number): Promise<string | undefined> {
  const tables = await Promise.all(
    ["/proc/net/tcp", "/proc/net/tcp6"].map((path) => readFile(path, "utf8").catch(() => "")),
  );
  const sockets = tables.flatMap((table) => socketsOn(port, table));
  if (sockets.length === 0) return undefined;
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  for (const id of ids) {
    if (!(await holdsSocket(id, sockets))) continue;
    const name = await readFile(`/proc/${id}/comm`, "utf8");
    return `${name.trim()} (process ${id})`;
  }
  return undefined;
}

/** A row has the local address in its second column, the state in its fourth and the socket's number in its tenth. */
function socketsOn(port: number, table: string): string[] {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return table
    .split("\n")
    .map((row) => row.trim().split(/\s+/))
    .filter(([, address, , state]) => address?.endsWith(ending) && state === listening)
    .map((columns) => `socket:[${columns[9]}]`);
}

/** The files of other users' processes cannot be read. */
async function holdsSocket(id: string, sockets: readonly string[]): Promise<boolean> {
  const files = await readdir(`/proc/${id}/fd`).catch(() => []);
  const targets = await Promise.all(
    files.map((file) => readlink(`/proc/${id}/fd/${file}`).catch(() => "")),
  );
  return targets.some((target) => sockets.includes(target));
}

/** macOS has lsof. Its output has one field per line: "p" and the process, "c" and the command. */
async function findByLsof(port: number): Promise<string | undefined> {
  const { stdout } = await promisify(execFile)(
    "lsof",
    ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-Fpc"],
    { timeout: 3_000 },
  );
  const [, id] = /^p(\d+)$/m.exec(stdout) ?? [];
  const [, name] = /^c(.+)$/m.exec(stdout) ?? [];
  return id === undefined || name === undefined ? undefined : `${name} (process ${id})`;
}
