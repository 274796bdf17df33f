import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { PaycastError } from "../../shared/paycast-error.ts";

const functionSchema = z.object({
  name: z.string(),
  environment: z.record(z.string(), z.string()),
});

/** What an operation reads of `.paycast/local.json`, which `npm start` writes. */
const descriptionSchema = z.object({
  api: z.string(),
  gateway: z.string(),
  aws: z.object({ sqs: z.string(), dynamodb: z.string(), secretsmanager: z.string() }),
  region: z.string(),
  queues: z.object({
    inbox: z.string(),
    inboxDeadLetters: z.string(),
    captured: z.string().optional(),
    subscribers: z.record(z.string(), z.object({ url: z.string(), deadLetters: z.string() })),
  }),
  tables: z.object({ callbacks: z.string(), orders: z.string() }),
  merchants: z.array(
    z.object({ merchantId: z.string(), callbackKeys: z.string(), requestKeys: z.string() }),
  ),
  smoke: z
    .object({ merchantId: z.string(), queue: z.string(), callbackKeys: z.string() })
    .optional(),
  functions: z.record(z.string(), functionSchema),
});

export type LocalDescription = z.output<typeof descriptionSchema>;

/** Throws `target-not-found` if no local stack was started here. */
export async function readLocalDescription(directory: string): Promise<LocalDescription> {
  const text = await readFile(join(directory, "local.json"), "utf8").catch(() => undefined);
  if (text === undefined) throw notRunning();
  const read = descriptionSchema.safeParse(parse(text));
  if (read.success) return read.data;
  const message = `${join(directory, "local.json")} is not of this version. Start the local stack again: npm start.`;
  throw new PaycastError("target-not-found", message);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function notRunning(): PaycastError {
  return new PaycastError(
    "target-not-found",
    "No local stack runs here. Start it with npm start, or name a deployed stack with --stack NAME.",
  );
}
