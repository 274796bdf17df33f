import { keptFor, type Target } from "../target/target.ts";
import { followFile } from "./follow-file.ts";
import { type ReceivingLine, type RequestLine, readRequestLine } from "./request-line.ts";

/** Some 20 MB. What is older is forgotten. */
const mostLines = 50_000;

/** The requests in the local log file and in the one before it, in the order of the log. Each call reads on from the last. */
export async function readLocalLines(target: Target): Promise<readonly RequestLine[]> {
  return await reader(target)();
}

/** Those of receive-callback since this time. */
export async function readReceivingLines(
  target: Target,
  sinceMilliseconds: number,
): Promise<ReceivingLine[]> {
  const lines = await readLocalLines(target);
  return lines
    .filter((line) => line.service === "receive-callback")
    .filter(({ timestamp }) => timestamp >= sinceMilliseconds);
}

const reader = keptFor(({ functionLog = "" }) => createReader(functionLog));

function createReader(logFile: string): () => Promise<readonly RequestLine[]> {
  const files = [followFile(`${logFile}.1`), followFile(logFile)];
  const lines = new Map<string, RequestLine>();
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
function keep(lines: Map<string, RequestLine>, text: string): void {
  const line = readRequestLine(text);
  if (line === undefined) return;
  lines.set(line.id, line);
  const [oldest] = lines.keys();
  if (lines.size > mostLines && oldest !== undefined) lines.delete(oldest);
}
