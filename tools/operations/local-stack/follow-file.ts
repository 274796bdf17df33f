import { type FileHandle, open } from "node:fs/promises";

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
