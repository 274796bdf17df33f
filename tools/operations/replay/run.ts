import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { parseJson } from "../../../shared/parse-json.ts";
import { PaycastError } from "../../../shared/paycast-error.ts";
import type { EventEntry, RecordKey } from "../records/read-records.ts";
import type { Target } from "../target/target.ts";
import type { ReplayPlan } from "./plan-replay.ts";
import { selectionSchema } from "./selection.ts";

/** What happened to the events up to the position. */
const countsSchema = z.object({
  sent: z.int(),
  /** Not delivered to the subscriber for the first time yet: left to the normal way. */
  pending: z.int(),
  /** The record expired or was deleted after the plan was made. */
  gone: z.int(),
  /** The subscriber's filter changed after the plan was made. */
  unwanted: z.int(),
});

/**
 * A replay: what it sends, and how far it is. Its file is enough to go on after a crash, for as long as the records
 * exist.
 */
const runSchema = z.object({
  run: z.string(),
  startedAt: z.string(),
  target: z.object({ kind: z.enum(["local", "deployed"]), name: z.string(), region: z.string() }),
  subscriber: z.string(),
  queueUrl: z.string(),
  selection: selectionSchema,
  eventsPerSecond: z.number(),
  events: z.int(),
  /** How many events of the list were sent or skipped. */
  position: z.int(),
  counts: countsSchema,
});

export type Run = z.output<typeof runSchema>;
export type RunCounts = z.output<typeof countsSchema>;

export const noCounts: RunCounts = { sent: 0, pending: 0, gone: 0, unwanted: 0 };

export function newRun(
  { kind, name, region }: Target,
  { subscriber, selection, entries }: ReplayPlan,
  eventsPerSecond: number,
): Run {
  const startedAt = new Date().toISOString();
  return {
    run: newRunId(startedAt),
    startedAt,
    target: { kind, name, region },
    subscriber: subscriber.name,
    queueUrl: subscriber.queueUrl,
    selection,
    eventsPerSecond,
    events: entries.length,
    position: 0,
    counts: noCounts,
  };
}

/** "20261115-101026-3f9a2c": people read when it was, and two runs of one second differ. */
function newRunId(startedAt: string): string {
  const digits = startedAt.replace(/\D/g, "");
  return `${digits.slice(0, 8)}-${digits.slice(8, 14)}-${randomBytes(3).toString("hex")}`;
}

/** Where the runs are kept: the command and the console go on with each other's. */
export function runsOf({ directory }: Pick<Target, "directory">): string {
  return join(directory, "replays");
}

/** The id becomes part of a file's name, so nothing else is accepted as one. */
function isRunId(text: string): boolean {
  return /^\d{8}-\d{6}-[0-9a-f]{6}$/.test(text);
}

export function isFinished({ position, events }: Run): boolean {
  return position >= events;
}

/**
 * A run has two files: `RUN.json` says how far it is, and `RUN.events` lists the events in the order of sending. The list
 * is never made again: a record that expires in the meantime would move the others, and the position would be wrong.
 */
export async function createRun(
  directory: string,
  run: Run,
  entries: readonly EventEntry[],
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const options = { flag: "wx", mode: ownerOnly, flush: true };
  await writeFile(listFile(directory, run.run), linesOf(entries), options);
  await saveRun(directory, run);
}

/** The rename makes it whole or not at all, so that a crash never leaves half a state. */
export async function saveRun(directory: string, run: Run): Promise<void> {
  const path = stateFile(directory, run.run);
  const text = `${JSON.stringify(run, null, 2)}\n`;
  await writeFile(`${path}.new`, text, { mode: ownerOnly, flush: true });
  await rename(`${path}.new`, path);
}

/** Throws `not-found` or `replay-not-resumable`. */
export async function loadRun(directory: string, id: string): Promise<Run> {
  const known = isRunId(id) ? await readState(directory, id) : undefined;
  if (known !== undefined) return known;
  const message = `There is no such run in ${directory}. To see them: npx paycast replay list`;
  throw new PaycastError("not-found", message);
}

/** The latest first, by its time: the ids of two runs of one second differ by chance. A file that cannot be read hides no other. */
export async function listRuns(directory: string): Promise<Run[]> {
  const names = await readdir(directory).catch(() => []);
  const ids = names.flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -5)] : []));
  const reads = ids.filter(isRunId).map((id) => readState(directory, id).catch(() => undefined));
  const runs = (await Promise.all(reads)).filter((run) => run !== undefined);
  return runs.sort((one, other) => other.startedAt.localeCompare(one.startedAt));
}

async function readState(directory: string, id: string): Promise<Run | undefined> {
  const path = stateFile(directory, id);
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const read = runSchema.safeParse(parseJson(text));
  if (read.success) return read.data;
  throw new PaycastError("replay-not-resumable", `${path} is not the state of a replay.`);
}

const lineSchema = z.tuple([z.string(), z.string()]);

/** Where the records are of the events of the run after its position. Throws `replay-not-resumable` if the list is not whole. */
export async function* readList(
  directory: string,
  { run, position, events }: Run,
): AsyncGenerator<RecordKey, void> {
  const path = listFile(directory, run);
  const file = await open(path).catch(() => undefined);
  if (file === undefined) throw damaged(path);
  let number = 0;
  try {
    for await (const line of file.readLines({ autoClose: false })) {
      number += 1;
      if (number <= position) continue;
      const read = lineSchema.safeParse(parseJson(line));
      if (!read.success) throw damaged(path);
      const [callbackKey, receipt] = read.data;
      yield { callbackKey, receipt };
    }
    if (number < events) throw damaged(path);
  } finally {
    await file.close();
  }
}

function damaged(path: string): PaycastError {
  const message = `${path} is missing or damaged. Start a new run: consumers recognise what they have by its id.`;
  return new PaycastError("replay-not-resumable", message);
}

const ownerOnly = 0o600;
const linesAtOnce = 1_000;

function* linesOf(entries: readonly EventEntry[]): Generator<string> {
  for (let from = 0; from < entries.length; from += linesAtOnce) {
    const some = entries.slice(from, from + linesAtOnce);
    const lines = some.map(({ callbackKey, receipt }) => JSON.stringify([callbackKey, receipt]));
    yield `${lines.join("\n")}\n`;
  }
}

function stateFile(directory: string, id: string): string {
  return join(directory, `${id}.json`);
}

function listFile(directory: string, id: string): string {
  return join(directory, `${id}.events`);
}
