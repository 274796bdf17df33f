import { type FileHandle, open } from "node:fs/promises";
import * as z from "zod/mini";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { sha256Of } from "../../../shared/sha256.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { keptFor, type Target } from "../target/target.ts";

const text = z.optional(z.string());

const common = {
  timestamp: z.number(),
  httpStatus: z.number(),
  reason: text,
  detail: text,
  merchantId: text,
  orderNo: text,
  paymentId: text,
  errorName: text,
  errorCode: text,
};

/**
 * The lines about a request and its response (shared/receiving/callback-line.ts, shared/storefront/storefront-line.ts).
 */
const lineSchema = z.discriminatedUnion("service", [
  z.object({
    ...common,
    service: z.literal("receive-callback"),
    outcome: z.enum([
      "accepted",
      "not-authentic",
      "not-an-envelope",
      "source-not-allowed",
      "too-large",
      "not-stored",
    ]),
    durationMilliseconds: z.number(),
    /** Verified. */
    callbackId: text,
    /** Unverified: any sender may have written it. */
    claimedCallbackId: text,
    eventName: text,
    keyStage: text,
    keyVersion: text,
    traceparent: text,
  }),
  z.object({
    ...common,
    service: z.enum(["create-order", "query-order"]),
    outcome: z.enum(["answered", "stale", "problem", "stray"]),
    /** As API Gateway names it. create-order has only one. */
    route: text,
    durationMilliseconds: z.optional(z.number()),
    serviceCode: text,
    serviceStatus: text,
    flags: z.optional(z.array(z.string())),
  }),
]);

/** `id` identifies the line's content. */
export type RequestLine = z.output<typeof lineSchema> & {
  readonly id: string;
  readonly at: string;
};
export type ReceivingLine = Extract<RequestLine, { service: "receive-callback" }>;

/** Undefined for every other line. */
export function readRequestLine(line: string): RequestLine | undefined {
  // Most lines are of other functions, and this is much faster than parsing them.
  if (!line.includes('"httpStatus"')) return undefined;
  const read = lineSchema.safeParse(parseJson(line));
  if (!read.success) return undefined;
  const id = sha256Of(line).slice(0, 12);
  return { ...read.data, id, at: toRfc3339(read.data.timestamp) };
}

/** Some 20 MB. What is older is forgotten. */
const mostLines = 50_000;

/**
 * The requests in the local log file and in the one before it, in the order of the log. Each call reads on from the
 * last.
 */
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

const chunkBytes = 1024 * 1024;

/** Gives the lines that were added to a file since the last call. A file that was replaced is read from its start. */
export function followFile(path: string): () => AsyncGenerator<string, void> {
  let file: number | undefined;
  let position = 0;
  let rest = Buffer.alloc(0);
  return async function* addedLines() {
    const handle = await open(path, "r").catch(() => undefined);
    if (handle === undefined) return;
    try {
      const { ino, size } = await handle.stat();
      if (ino !== file || size < position) {
        [file, position, rest] = [ino, 0, Buffer.alloc(0)];
      }
      while (position < size) {
        const chunk = await readChunk(handle, position);
        if (chunk.length === 0) return;
        position += chunk.length;
        const { lines, unfinished } = splitLines(Buffer.concat([rest, chunk]));
        rest = unfinished;
        yield* lines;
      }
    } finally {
      await handle.close();
    }
  };
}

async function readChunk(handle: FileHandle, position: number): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(
    Buffer.alloc(chunkBytes),
    0,
    chunkBytes,
    position,
  );
  return buffer.subarray(0, bytesRead);
}

/** The last line may still be in the middle of being written. */
function splitLines(bytes: Buffer): { lines: string[]; unfinished: Buffer<ArrayBuffer> } {
  const end = bytes.lastIndexOf(0x0a) + 1;
  const lines = bytes.subarray(0, end).toString("utf8").split("\n");
  return {
    lines: lines.filter((line) => line !== ""),
    unfinished: Buffer.from(bytes.subarray(end)),
  };
}
