import { open } from "node:fs/promises";

const mostBytes = 256 * 1024;

/** The end of a file. Empty if there is none. The first line may be cut. */
export async function readEnd(path: string): Promise<string> {
  const file = await open(path, "r").catch(() => undefined);
  if (file === undefined) return "";
  try {
    const { size } = await file.stat();
    const length = Math.min(size, mostBytes);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString("utf8");
  } finally {
    await file.close();
  }
}
