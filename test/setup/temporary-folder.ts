import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, inject } from "vitest";

/** An empty folder outside of the repository. It is removed after the last test of the run. */
export function temporaryFolder(name: string): string {
  return mkdtempSync(join(inject("folder"), `${name}-`));
}

/** The same inside the repository, so that code in it finds the packages. Git ignores it. */
export function folderInside(name: string): string {
  const parent = join(process.cwd(), ".build");
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, `${name}-`));
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}
