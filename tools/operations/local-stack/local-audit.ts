import { appendFileSync, existsSync, mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { type Audit, auditLine } from "../ports/audit.ts";

/** A file in the local stack's directory, one line of JSON per act. */
export function localAudit(directory: string, now: () => number): Audit {
  const file = join(directory, "audit.log");
  return {
    write: async (act, details) => {
      const who = `${userName()}@${hostname()}`;
      try {
        mkdirSync(directory, { recursive: true });
        appendFileSync(file, `${auditLine(now(), who, act, details)}\n`);
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        const message = `The audit line cannot be written to ${file}, so nothing was changed: ${reason}`;
        throw new PaycastError("audit-unwritable", message, { cause });
      }
    },
    // The file exists after the first change.
    read: async () => {
      const lines = existsSync(file) ? (await readFile(file, "utf8")).split("\n") : [];
      return { lines, isWhole: true };
    },
  };
}

/** In a container the user may have a number and no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
