import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";

/** An empty folder outside of the repository. It is removed after the last test of the run. */
export function temporaryFolder(name: string): string {
  return mkdtempSync(join(inject("folder"), `${name}-`));
}
