import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";

/** An empty folder for a module that several test files of a worker share. It is removed after the last test. */
export function temporaryFolder(name: string): string {
  return mkdtempSync(join(inject("folder"), `${name}-`));
}
