import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "../end-to-end/running-stack.ts";
import { watchOutput } from "../setup/watch-output.ts";

const pythonFile = fileURLToPath(
  new URL("../../examples/python-worker/worker.py", import.meta.url),
);

export interface Worker {
  readonly output: () => string;
  readonly untilShown: (text: string) => Promise<void>;
  /** SIGTERM. Gives the exit code. */
  readonly stop: () => Promise<number | null>;
}

/** One of the two workers: how to start it, and how to read and to block its book. */
export interface WorkerKind {
  /** The subscriber of the local stack whose queue it reads. */
  readonly subscriber: string;
  /** The program and its arguments, given the folder that the Node worker was copied to. */
  readonly command: (copied: string) => readonly string[];
  readonly readBook: (book: string) => readonly BookEntry[];
  /** From now on nothing can be booked, until the returned function is called. */
  readonly blockBook: (book: string) => Promise<() => Promise<void>>;
}

interface BookEntry {
  readonly id: string;
  readonly minor: string;
  readonly currency: string;
  readonly orderNo: string;
}

export function startWorker(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
): Worker {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { env: { ...process.env, ...environment } });
  const { output, ended } = watchOutput(child);
  return {
    output,
    untilShown: async (text) => {
      await until(`the worker to say: ${text}`, () => {
        if (child.exitCode !== null) throw new Error(`The worker ended:\n${output()}`);
        return output().includes(text) ? true : undefined;
      });
    },
    stop: async () => {
      child.kill("SIGTERM");
      return await ended;
    },
  };
}

export const nodeWorker: WorkerKind = {
  subscriber: "fulfilment",
  command: (copied) => [process.execPath, join(copied, "worker.mjs")],
  readBook: (book) => {
    const text = existsSync(book) ? readFileSync(book, "utf8") : "";
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  },
  // A folder in the place of the file, before the first entry.
  blockBook: async (book) => {
    mkdirSync(book);
    return async () => rmdirSync(book);
  },
};

const readRows = `
import json, sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute("select event_id, order_no, minor, currency from entries")
print(json.dumps([dict(zip(("id", "orderNo", "minor", "currency"), row)) for row in rows]))
`;

/** Another program that holds the only lock of the database. */
const holdLock = `
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("begin exclusive")
print("locked", flush=True)
sys.stdin.read()
`;

export function pythonWorker(python: string): WorkerKind {
  return {
    subscriber: "order-history",
    command: () => [python, pythonFile],
    readBook: (book) =>
      JSON.parse(execFileSync(python, ["-c", readRows, book], { encoding: "utf8" })),
    blockBook: async (book) => {
      const child = spawn(python, ["-c", holdLock, book]);
      await once(child.stdout, "data");
      return async () => {
        child.stdin.end();
        await once(child, "close");
      };
    },
  };
}
