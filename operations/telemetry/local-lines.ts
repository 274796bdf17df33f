import { followFile } from "./follow-file.ts";
import { type ReceivingLine, readReceivingLine } from "./receiving-line.ts";

/** Some 20 MB. What is older is forgotten. */
const mostLines = 50_000;

/** Gives receive-callback's lines of the local log file and of the one before it. Each call reads on from the last. */
export function createLocalLines(logFile: string): () => Promise<readonly ReceivingLine[]> {
  const files = [followFile(`${logFile}.1`), followFile(logFile)];
  const lines = new Map<string, ReceivingLine>();
  const readOn = async () => {
    for (const addedLines of files) {
      for await (const text of addedLines()) keep(lines, text);
    }
  };
  let reading = Promise.resolve();
  return async () => {
    // One after the other: a file has one position.
    reading = reading.then(readOn, readOn);
    await reading;
    return [...lines.values()];
  };
}

/** A file that was put aside is read once more, so a line is known by its content. */
function keep(lines: Map<string, ReceivingLine>, text: string): void {
  const line = readReceivingLine(text);
  if (line === undefined) return;
  const { timestamp, callbackId, claimedCallbackId, durationMilliseconds, traceparent } = line;
  const id = callbackId ?? claimedCallbackId;
  lines.set(JSON.stringify([timestamp, id, durationMilliseconds, traceparent]), line);
  const [oldest] = lines.keys();
  if (lines.size > mostLines && oldest !== undefined) lines.delete(oldest);
}
