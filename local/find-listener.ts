import { execFile } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import { promisify } from "node:util";

/** The process that listens on a port, such as "node (process 4711)". Undefined if it cannot be known. */
export async function findListener(port: number): Promise<string | undefined> {
  const find = process.platform === "linux" ? findInProc : findByLsof;
  return await find(port).catch(() => undefined);
}

/** In /proc/net/tcp, the state of a socket that listens. */
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

/** macOS has lsof. Its answer is one field per line: "p" and the process, "c" and the command. */
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
