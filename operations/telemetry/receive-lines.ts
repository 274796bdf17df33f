import * as z from "zod/mini";
import { parseJson } from "../../shared/parse-json.ts";
import type { Target } from "../target/target.ts";
import { followFile } from "./follow-file.ts";

/** What receive-callback logged about one request. */
export interface ReceiveLine {
  readonly outcome: string;
  readonly orderNo: string | undefined;
  /** Why it was refused. Only the log tells it. */
  readonly reason: string | undefined;
  /** Which version of the merchant's keys verified it. */
  readonly keyStage: string | undefined;
}

const lineSchema = z.object({
  service: z.literal("receive-callback"),
  outcome: z.string(),
  timestamp: z.number(),
  orderNo: z.optional(z.string()),
  reason: z.optional(z.string()),
  keyStage: z.optional(z.string()),
});

/** The lines of the local functions' log since this time, oldest first. */
export async function readReceiveLines(
  { functionLog }: Target,
  sinceMilliseconds: number,
): Promise<ReceiveLine[]> {
  const lines: ReceiveLine[] = [];
  if (functionLog === undefined) return lines;
  for await (const text of followFile(functionLog)()) {
    const read = lineSchema.safeParse(parseJson(text));
    if (!read.success || read.data.timestamp < sinceMilliseconds) continue;
    const { outcome, orderNo, reason, keyStage } = read.data;
    lines.push({ outcome, orderNo, reason, keyStage });
  }
  return lines;
}
