import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { writeInto } from "./bundles.ts";

const packedSchema = z.tuple([z.object({ filename: z.string() })]);

/** Makes a tarball of a folder that `fill` fills. `fill` gives the package.json. Gives the tarball's path. */
export async function npmPack(
  destination: string,
  fill: (folder: string) => Promise<object>,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "paycast-package-"));
  try {
    const manifest = await fill(folder);
    writeInto(folder, "package.json", `${JSON.stringify(manifest, null, 2)}\n`);
    mkdirSync(destination, { recursive: true });
    const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", destination];
    const stdio: ["ignore", "pipe", "ignore"] = ["ignore", "pipe", "ignore"];
    const answer = execFileSync("npm", args, { cwd: folder, encoding: "utf8", stdio });
    const [{ filename }] = packedSchema.parse(JSON.parse(answer));
    return join(destination, filename);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
