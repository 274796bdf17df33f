import { Buffer } from "node:buffer";
import { decodeUtf8 } from "../../shared/envelope/text.ts";
import { readBoundedFile } from "../detect/read-file.ts";
import { InputError } from "./command.ts";

const mostBytes = 256 * 1024;

/** The text of a file, or of standard input if the path is "-". */
export async function readInput(path: string, option: string): Promise<string> {
  const bytes =
    path === "-" ? await readStandardInput(option) : await readBoundedFile(path, option, mostBytes);
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new InputError(`The input of ${option} must be UTF-8 text.`);
  return text.replace(/^\uFEFF/, "");
}

async function readStandardInput(option: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > mostBytes) {
      throw new InputError(`The input of ${option} is larger than ${mostBytes / 1024} KiB.`);
    }
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}
