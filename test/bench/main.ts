import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundle } from "../../infra/lambda/bundle.ts";
import { readOptions } from "../setup/read-options.ts";
import { compareColdImports } from "./cold-import.ts";
import { holds } from "./compare.ts";
import { compareOpening } from "./opening.ts";
import { compareProcessing } from "./processing.ts";
import { compareReceiving } from "./receiving.ts";
import { compareRefusals } from "./refusals.ts";
import { makeSampleMessage } from "./sample-message.ts";

const help = `npm run bench

Measures the processor time of a callback beside the same work by hand and beside other libraries, and fails if a ratio
is outside its bound. Ratios within one run are comparable; times are not.

  --help   print this help
`;

/** `npm run bench`. */
readOptions(help, {});
const folder = mkdtempSync(join(tmpdir(), "paycast-bench-"));
try {
  const sample = makeSampleMessage();
  const bundled = await importBundled();
  const outcomes = [
    await holds(compareOpening(sample, bundled)),
    await holds(compareRefusals(sample, bundled.makeRefusedWay)),
    await holds(await compareColdImports(sample, folder)),
    await holds(await compareReceiving(folder)),
    await holds(await compareProcessing(folder)),
  ];
  process.exitCode = outcomes.every(Boolean) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

/** Bundled as for Lambda: a loader of TypeScript would add costs that are not deployed. */
async function importBundled(): Promise<typeof import("./callback-way.ts")> {
  const entry = fileURLToPath(new URL("callback-way.ts", import.meta.url));
  const { directory } = await bundle("callback-way", entry, folder);
  return await import(pathToFileURL(join(directory, "index.mjs")).href);
}
