import * as z from "zod/mini";
import { stages } from "../../../shared/errors/stages.ts";
import { parseJson } from "../../../shared/json/parse-json.ts";

/** The functions without a caller. Only their log shows that they fail, and why. */
export const backgroundFunctions = [
  "process-callback",
  "reconcile-orders",
  "count-attention",
] as const;
export type BackgroundFunction = (typeof backgroundFunctions)[number];

/** `ended-by-failures` is a run of reconcile-orders whose queries all failed. */
export const failedOutcomes = ["failed", "ended-by-failures"] as const;

/** A run that failed, or a message that process-callback returned to the inbox. */
const failedSchema = z.object({
  service: z.enum(backgroundFunctions),
  outcome: z.enum(failedOutcomes),
  timestamp: z.number(),
  stage: z.enum(stages),
  reason: z.string(),
  errorName: z.optional(z.string()),
});
export type FailedWork = z.output<typeof failedSchema>;

/** The failures among log lines, oldest first. */
export function failuresIn(
  texts: readonly string[],
  sinceMilliseconds: number,
): readonly FailedWork[] {
  return texts
    .flatMap((text) => failedSchema.safeParse(parseJson(text.trim())).data ?? [])
    .filter(({ timestamp }) => timestamp >= sinceMilliseconds)
    .sort((left, right) => left.timestamp - right.timestamp);
}
