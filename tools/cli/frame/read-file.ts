import { Buffer } from "node:buffer";
import { createReadStream } from "node:fs";
import { decodeUtf8 } from "../../../shared/envelope/text.ts";
import { InputError } from "./command.ts";

/** Errors do not repeat the path, because the user may have typed a key in its place. */
export async function readBoundedFile(
  path: string,
  option: string,
  maximumBytes: number,
): Promise<Buffer> {
  return await readBounded(() => createReadStream(path), option, maximumBytes);
}

/** Never reads more than the limit, because it may be a pipe or a device. */
async function readBounded(
  open: () => AsyncIterable<Buffer>,
  option: string,
  maximumBytes: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of open()) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maximumBytes) break;
    }
  } catch (error) {
    throw new InputError(`${option} must name a file that can be read (${reasonOf(error)}).`);
  }
  if (size === 0) throw new InputError(`The file of ${option} is empty.`);
  if (size <= maximumBytes) return Buffer.concat(chunks);
  throw new InputError(
    `The file of ${option} is larger than ${maximumBytes / 1024} KiB: it is probably the wrong file.`,
  );
}

const maximumKeyBytes = 64 * 1024;

/** A key's text without the line break at the end of the file. */
export async function readKeyFile(path: string, option: string): Promise<string> {
  const text = decodeUtf8(await readBoundedFile(path, option, maximumKeyBytes));
  if (text !== undefined) return withoutLastBreaks(text.replace(/^\uFEFF/, ""));
  throw new InputError(
    `The file of ${option} holds raw bytes. A secret keeps keys as text: convert it with "openssl base64 -A".`,
  );
}

function withoutLastBreaks(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\n" || text[end - 1] === "\r") end--;
  return text.slice(0, end);
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  switch (code) {
    case "ENOENT":
      return "there is no such file";
    case "EISDIR":
      return "it is a directory";
    case "EACCES":
      return "permission denied";
    case "":
    case "ERR_INVALID_ARG_VALUE":
      return "the path is not valid";
    default:
      return code;
  }
}

const maximumInputBytes = 256 * 1024;

/** The text of a file, or of standard input if the path is "-". */
export async function readInput(path: string, option: string): Promise<string> {
  const open = () => (path === "-" ? process.stdin : createReadStream(path));
  const text = decodeUtf8(await readBounded(open, option, maximumInputBytes));
  if (text === undefined) throw new InputError(`The input of ${option} must be UTF-8 text.`);
  return text.replace(/^\uFEFF/, "");
}
