import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { parseJson } from "../../../shared/json/parse-json.ts";

/** The content of `.paycast/local.json`: all addresses and names, for people, scripts and other teams' code. */
export const descriptionSchema = z.object({
  api: z.string(),
  gateway: z.string(),
  /** The address to open in a browser, token included. */
  console: z.string(),
  /** Where the demo shop listens when it runs. The checkout may send people back to it. */
  shop: z.string(),
  aws: z.object({ sqs: z.string(), dynamodb: z.string(), secretsmanager: z.string() }),
  region: z.string(),
  /** How far the stack's clock has jumped ahead of this machine's. */
  aheadMilliseconds: z.number().default(0),
  /** When it was started, RFC 3339. */
  startedAt: z.string().optional(),
  queues: z.object({
    inbox: z.string(),
    inboxDeadLetters: z.string(),
    subscribers: z.record(z.string(), z.object({ url: z.string(), deadLetters: z.string() })),
    /** The subscribers whose queue a consumer of the console's Lab reads now. */
    readInLab: z.array(z.string()).default([]),
    /** Rejected envelopes, if the config enables capturing. */
    captured: z.string().optional(),
  }),
  tables: z.object({ callbacks: z.string(), orders: z.string() }),
  merchants: z.array(
    z.object({ merchantId: z.string(), callbackKeys: z.string(), requestKeys: z.string() }),
  ),
  /** If the config enables smoke tests. Their merchant and queue are not among the real ones. */
  smoke: z
    .object({ merchantId: z.string(), queue: z.string(), callbackKeys: z.string() })
    .optional(),
  /** The functions by the names of their bundles, with the environment that the template gives them. */
  functions: z.record(
    z.string(),
    z.object({ name: z.string(), environment: z.record(z.string(), z.string()) }),
  ),
});

export type LocalDescription = z.output<typeof descriptionSchema>;

/** What the functions of the local stack log, one line of JSON each. */
export function functionLogFile(directory: string): string {
  return join(directory, "functions.log");
}

/** The active alarms of the local stack. */
export function alarmsFile(directory: string): string {
  return join(directory, "alarms.json");
}

/** What the queues of the local stack counted in the last minutes. */
export function queueMetricsFile(directory: string): string {
  return join(directory, "queue-metrics.json");
}

/** The stack's clock can jump at any time, so each reading of the clock reads the file. */
export function localClock(directory: string, before: LocalDescription): () => number {
  const schema = descriptionSchema.pick({ aheadMilliseconds: true });
  return () => {
    const read = schema.safeParse(parseJson(textOf(join(directory, "local.json"))));
    return Date.now() + (read.data ?? before).aheadMilliseconds;
  };
}

/** Empty if the stack has ended. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Throws `target-not-found` if no local stack was started here. */
export async function readLocalDescription(directory: string): Promise<LocalDescription> {
  const text = await readFile(join(directory, "local.json"), "utf8").catch(() => undefined);
  if (text === undefined) throw new PaycastError("target-not-found", notRunning);
  const read = descriptionSchema.safeParse(parseJson(text));
  if (read.success) return read.data;
  const message = `${join(directory, "local.json")} is not of this version. Start the local stack again: npm start.`;
  throw new PaycastError("target-not-found", message);
}

const notRunning =
  "No local stack is running here. Start it with npm start, or name a deployed stack with --stack NAME.";
