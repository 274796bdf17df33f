import { FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import * as z from "zod/mini";
import { parseJson } from "../../../shared/parse-json.ts";
import { readEnd } from "../read-end.ts";
import type { Target } from "../target/target.ts";
import { logGroupOf } from "./find-attempts.ts";

/** The functions that nobody waits for. Only their log says that they fail, and why. */
export const backgroundFunctions = [
  "process-callback",
  "reconcile-orders",
  "count-attention",
] as const;

/** A run that failed, or a message that process-callback returned to the inbox. */
const failedSchema = z.object({
  service: z.enum(backgroundFunctions),
  outcome: z.literal("failed"),
  timestamp: z.number(),
  errorName: z.optional(z.string()),
  errorCode: z.optional(z.string()),
});
export type FailedWork = z.output<typeof failedSchema>;

/** What these functions logged of failures since a time, oldest first. Many of them are cut. */
export async function readFailedWork(
  target: Target,
  sinceMilliseconds: number,
): Promise<readonly FailedWork[]> {
  const texts =
    target.functionLog === undefined
      ? await deployedLines(target, sinceMilliseconds)
      : (await readEnd(target.functionLog)).split("\n");
  return texts
    .flatMap((text) => failedSchema.safeParse(parseJson(text.trim())).data ?? [])
    .filter(({ timestamp }) => timestamp >= sinceMilliseconds)
    .sort((left, right) => left.timestamp - right.timestamp);
}

/** One call for each function: a page of them is enough to say that it fails. */
async function deployedLines(target: Target, startTime: number): Promise<readonly string[]> {
  const known = backgroundFunctions.filter((name) =>
    target.functions.some(({ label }) => label === name),
  );
  const pages = await Promise.all(
    known.map(async (name) => {
      const logGroupName = logGroupOf(target, name);
      const filterPattern = '{ $.outcome = "failed" }';
      const command = new FilterLogEventsCommand({ logGroupName, startTime, filterPattern });
      return (await target.clients.cloudWatchLogs.send(command)).events ?? [];
    }),
  );
  return pages.flat().map(({ message = "" }) => message);
}
