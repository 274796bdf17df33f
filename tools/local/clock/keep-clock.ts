import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { writeOwnFile } from "../write-own-file.ts";

const clockSchema = z.object({ aheadMilliseconds: z.number().min(0) });

/** The data of an earlier start has that start's times, and the clock never goes back. */
export function readKeptClock(dataDirectory: string): number {
  try {
    return clockSchema.parse(parseJson(readFileSync(fileIn(dataDirectory), "utf8")))
      .aheadMilliseconds;
  } catch {
    return 0;
  }
}

export function keepClock(dataDirectory: string, aheadMilliseconds: number): void {
  writeOwnFile(fileIn(dataDirectory), JSON.stringify({ aheadMilliseconds }));
}

function fileIn(dataDirectory: string): string {
  return join(dataDirectory, "clock.json");
}
