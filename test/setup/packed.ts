import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { temporaryFolder } from "./temporary-folder.ts";

/** The tarball of a package. Packing takes seconds, so all files of a run share it. */
export async function packOnce(
  name: string,
  pack: (destination: string) => Promise<string>,
): Promise<string> {
  const tarball = join(inject("folder"), `${name}-${packageJson.version}.tgz`);
  // Renamed when it is whole: another worker may read it at the same time.
  if (!existsSync(tarball)) renameSync(await pack(temporaryFolder("packed")), tarball);
  return tarball;
}
