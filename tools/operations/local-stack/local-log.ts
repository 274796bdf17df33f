import { backgroundFunctions, failedOutcomes, failuresIn } from "../ports/failed-work.ts";
import {
  type FoundFailures,
  type FoundRequests,
  type Log,
  type LogReading,
  newest,
} from "../ports/log.ts";
import { type RequestLine, readRequestLine } from "../ports/request-line.ts";
import { followFile } from "./follow-file.ts";

/** Some 20 MB. What is older is forgotten. */
const mostLines = 50_000;

/** The log file of the local functions, and the one before it. Each call reads on from the last. */
export function localLog(functionLog: string): Log {
  const readLines = createReader(functionLog);
  return {
    readRequests: async (reading) => requestsIn(await readLines(), reading),
    // The whole file is searched, whatever the range.
    searchReceived: async ({ isWanted }) => {
      const received = (await readLines()).filter((line) => line.service === "receive-callback");
      return { lines: received.filter(isWanted), isPartial: false };
    },
    readFailures: (sinceMilliseconds) => readFailures(functionLog, sinceMilliseconds),
    placeOf: () => `file ${functionLog}`,
  };
}

function requestsIn(lines: readonly RequestLine[], reading: LogReading): FoundRequests {
  const { services, isWanted, since, until, limit } = reading;
  const logged = lines
    .filter(({ timestamp }) => timestamp >= since && timestamp < until)
    .filter((line) => services.includes(line.service) && isWanted(line))
    .map((line) => ({ line, at: line.timestamp }));
  return newest(logged, limit, since);
}

async function readFailures(
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

/** The requests in the order of the log. */
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
