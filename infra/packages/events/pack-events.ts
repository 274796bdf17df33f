import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { eventSchemas, schemaFile } from "../../schemas/event-schemas.ts";
import { declarationsOf } from "./declarations.ts";
import { manifest } from "./manifest.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const room = "infra/packages/events";

/** Packs `paycast-events` into a folder. Gives the tarball's path. */
export async function packEvents(destination: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "paycast-events-"));
  try {
    await writeCode(folder);
    writeTypes(folder);
    writeSchemas(folder);
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(version), null, 2)}\n`);
    cpSync(join(root, "docs/packages/paycast-events.md"), join(folder, "README.md"));
    cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
    return packFolder(folder, destination);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** One file for each way to load it. Not minified: consumers read it in their debugger. */
async function writeCode(outdir: string): Promise<void> {
  for (const [format, extension] of [
    ["esm", ".js"],
    ["cjs", ".cjs"],
  ] as const) {
    await esbuild.build({
      entryPoints: [`${room}/index.ts`, `${room}/testing.ts`],
      absWorkingDir: root,
      ...{ bundle: true, platform: "neutral", target: "es2022", logLevel: "silent" },
      ...{ format, outdir, outExtension: { ".js": extension } },
    });
  }
}

/** Each way to load it needs declaration files of its own kind. */
function writeTypes(folder: string): void {
  const index = declarationsOf(`${room}/index.ts`);
  const testing = declarationsOf(`${room}/testing.ts`, "./index.js");
  writeFileSync(join(folder, "index.d.ts"), index);
  writeFileSync(join(folder, "index.d.cts"), index);
  writeFileSync(join(folder, "testing.d.ts"), testing);
  writeFileSync(join(folder, "testing.d.cts"), testing.replace("./index.js", "./index.cjs"));
}

function writeSchemas(folder: string): void {
  mkdirSync(join(folder, "schemas"));
  for (const file of eventSchemas().map(schemaFile)) {
    cpSync(join(root, "docs/schemas", file), join(folder, "schemas", file));
  }
}

function packFolder(folder: string, destination: string): string {
  mkdirSync(destination, { recursive: true });
  const args = ["pack", folder, "--pack-destination", destination, "--json", "--ignore-scripts"];
  const [packed] = JSON.parse(execFileSync("npm", args, { encoding: "utf8", cwd: folder }));
  return join(destination, packed.filename);
}
