import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** `npx paycast` as it is in the repository. */
const commandFromSources = join(root, "tools/cli/paycast.mjs");

/**
 * `npx paycast` for a process of its own. In a test run it is a bundle of the same sources, which starts in a quarter of
 * the time. The bundle has no page for `console`.
 */
export const command = process.env["PAYCAST_TEST_COMMAND"] ?? commandFromSources;

/** Makes the bundle. The test files find it by the environment that they inherit. */
export async function bundleCommand(folder: string): Promise<void> {
  const outfile = join(folder, "paycast.mjs");
  await esbuild.build({
    entryPoints: [join(root, "tools/cli/main.ts")],
    footer: { js: "process.exitCode = await main(process.argv.slice(2));" },
    // Some packages are CommonJS and call `require`.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
  });
  process.env["PAYCAST_TEST_COMMAND"] = outfile;
}
