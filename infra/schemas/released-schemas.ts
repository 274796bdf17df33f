import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventSchemas, schemaFile } from "./event-schemas.ts";
import type { JsonSchema } from "./event-shapes.ts";

/** The schemas of the last release, which consumers rely on. */
const releasedFolder = fileURLToPath(new URL("../../docs/schemas/released", import.meta.url));

export function readReleased(folder: string = releasedFolder): JsonSchema[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).sort();
  return files.map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")));
}

/** Keeps the current schemas as those of the release. A released version that is no longer sent stays for its readers. */
export function writeReleased(folder: string = releasedFolder): void {
  mkdirSync(folder, { recursive: true });
  for (const schema of eventSchemas()) {
    writeFileSync(join(folder, schemaFile(schema)), `${JSON.stringify(schema, null, 2)}\n`);
  }
}
