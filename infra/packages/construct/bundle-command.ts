import { chmodSync } from "node:fs";
import { join } from "node:path";
import { bundleInto, root } from "./package-files.ts";

/** The folder's `paycast.js` is `npx paycast`. Each command is a file of its own, read only when it is called. */
export async function bundleCommand(folder: string): Promise<string[]> {
  const inputs = await bundleInto({
    stdin: {
      contents: `import { main } from "./cli/main.ts";
process.exitCode = await main(process.argv.slice(2));`,
      resolveDir: root,
      sourcefile: "paycast.ts",
      loader: "ts",
    },
    outdir: folder,
    entryNames: "paycast",
    chunkNames: "part-[hash]",
    format: "esm",
    splitting: true,
    banner: { js: "#!/usr/bin/env node" },
  });
  chmodSync(join(folder, "paycast.js"), 0o755);
  return inputs;
}
