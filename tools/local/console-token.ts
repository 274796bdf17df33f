import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { newToken } from "../console/server/access.ts";
import { writeOwnFile } from "./write-own-file.ts";

/**
 * The console's token, stored with the local data, so that an open tab and a bookmark still work after a restart. Only
 * its owner may read it: if others could, it is replaced.
 */
export function keptToken(directory: string): string {
  const file = join(directory, "console-token");
  const known = readOwn(file);
  if (known !== undefined && /^[\w-]{43}$/.test(known)) return known;
  const token = newToken();
  writeOwnFile(file, token);
  return token;
}

/**
 * Undefined if the file does not exist, or if other users have access to it. Windows does not report other users'
 * access.
 */
function readOwn(file: string): string | undefined {
  try {
    const isOpen = process.platform !== "win32" && (statSync(file).mode & 0o077) !== 0;
    return isOpen ? undefined : readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
