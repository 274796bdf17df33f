import * as z from "zod/mini";
import { parseJson } from "../../../shared/json/parse-json.ts";
import type { Target } from "../target/target.ts";
import { logGroupOf } from "./find-attempts.ts";
import { readLogGroup } from "./read-log-group.ts";
import { followFile } from "./request-lines.ts";

/** The functions without a caller. Only their log shows that they fail, and why. */
const backgroundFunctions = ["process-callback", "reconcile-orders", "count-attention"] as const;
export type BackgroundFunction = (typeof backgroundFunctions)[number];

/** `ended-by-failures` is a run of reconcile-orders that stopped after several failures in a row. */
const failedOutcomes = ["failed", "ended-by-failures"] as const;

/** A run that failed, or a message that process-callback returned to the inbox. */
const failedSchema = z.object({
  service: z.enum(backgroundFunctions),
  outcome: z.enum(failedOutcomes),
  timestamp: z.number(),
  errorName: z.optional(z.string()),
  errorCode: z.optional(z.string()),
});
export type FailedWork = z.output<typeof failedSchema>;

/** What a function logged of failures. */
export interface FoundFailures {
  readonly name: BackgroundFunction;
  /** Oldest first. */
  readonly failed: readonly FailedWork[];
  /** False if the log may have more of them. */
  readonly isWhole: boolean;
}

/** What each of these functions logged of failures since a time. */
export async function readFailedWork(
  target: Target,
  sinceMilliseconds: number,
): Promise<readonly FoundFailures[]> {
  return target.functionLog === undefined
    ? await inLogGroups(target, sinceMilliseconds)
    : await inFile(target.functionLog, sinceMilliseconds);
}

async function inFile(
  functionLog: string,
  sinceMilliseconds: number,
): Promise<readonly FoundFailures[]> {
  const texts: string[] = [];
  for (const path of [`${functionLog}.1`, functionLog]) {
    for await (const text of followFile(path)()) {
      // Most lines are of other work, and this is much faster than parsing them.
      if (failedOutcomes.some((outcome) => text.includes(`"${outcome}"`))) texts.push(text);
    }
  }
  const all = failuresIn(texts, sinceMilliseconds);
  return backgroundFunctions.map((name) => ({
    name,
    failed: all.filter(({ service }) => service === name),
    isWhole: true,
  }));
}

function failuresIn(texts: readonly string[], sinceMilliseconds: number): readonly FailedWork[] {
  return texts
    .flatMap((text) => failedSchema.safeParse(parseJson(text.trim())).data ?? [])
    .filter(({ timestamp }) => timestamp >= sinceMilliseconds)
    .sort((left, right) => left.timestamp - right.timestamp);
}

const conditions = failedOutcomes.map((outcome) => `($.outcome = "${outcome}")`);
const filterPattern = `{ ${conditions.join(" || ")} }`;
/** Enough to say that a function fails. */
const mostLines = 100;
const mostPages = 20;

async function inLogGroups(
  target: Target,
  sinceMilliseconds: number,
): Promise<readonly FoundFailures[]> {
  const known = backgroundFunctions.filter((name) =>
    target.functions.some(({ label }) => label === name),
  );
  return await Promise.all(
    known.map(async (name) => {
      const logGroupName = logGroupOf(target, name);
      const range = { logGroupName, sinceMilliseconds, filterPattern, mostLines, mostPages };
      const { lines, isWhole } = await readLogGroup(target, range);
      return { name, failed: failuresIn(lines, sinceMilliseconds), isWhole };
    }),
  );
}
