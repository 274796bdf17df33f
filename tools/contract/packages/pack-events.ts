import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import * as esbuild from "esbuild";
import packageJson from "../../../package.json" with { type: "json" };
import { eventSchemas, schemaFile } from "../documents/events/event-schemas.ts";
import { root } from "./bundles.ts";
import { declareTypes, entryIn, npmPack } from "./make-package.ts";

/** The modules of this folder that are the package's entries, by their names in the package. */
const entries = { index: "events.ts", testing: "events-testing.ts" };

/** Writes the tarball of the package `paycast-events` and returns its path. */
export async function packEvents(destination: string): Promise<string> {
  return await npmPack(destination, async (folder) => {
    await writeCode(folder);
    // Consumers may read events outside Node.
    declareTypes(folder, entries, { types: [] });
    mkdirSync(join(folder, "schemas"));
    for (const file of eventSchemas().map(schemaFile)) {
      cpSync(join(root, "docs/schemas", file), join(folder, "schemas", file));
    }
    cpSync(join(root, "docs/packages/paycast-events.md"), join(folder, "README.md"));
    cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
    return manifest();
  });
}

/** One file for ESM and one for CommonJS. Not minified, because consumers read it in their debugger. */
async function writeCode(outdir: string): Promise<void> {
  for (const [format, extension] of [
    ["esm", ".js"],
    ["cjs", ".cjs"],
  ] as const) {
    await esbuild.build({
      entryPoints: Object.entries(entries).map(([out, module]) => ({
        in: `tools/contract/packages/${module}`,
        out,
      })),
      absWorkingDir: root,
      bundle: true,
      platform: "neutral",
      target: "es2022",
      logLevel: "silent",
      format,
      outdir,
      outExtension: { ".js": extension },
    });
  }
}

function manifest(): object {
  return {
    name: "paycast-events",
    version: packageJson.version,
    description: "Typed events of Paycast: parser, types, JSON Schemas and events for tests",
    license: "MIT",
    keywords: ["paycast", "payments", "events", "cloudevents", "sqs"],
    type: "module",
    sideEffects: false,
    engines: { node: ">=20" },
    main: "./index.cjs",
    types: "./index.d.cts",
    exports: {
      ".": entryIn("./index"),
      "./testing": entryIn("./testing"),
      "./schemas/*.json": "./schemas/*.json",
      "./package.json": "./package.json",
    },
  };
}
