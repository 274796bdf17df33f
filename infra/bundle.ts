import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import * as z from "zod";
import { parseJson } from "../shared/parse-json.ts";
import { PaycastError } from "../shared/paycast-error.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const credentialsStandIn = fileURLToPath(
  new URL("../shared/environment-credentials.ts", import.meta.url),
);

/** One function's code on its way into the stack: `directory` holds `index.mjs` and nothing else. */
export interface Bundle {
  name: string;
  directory: string;
  bytes: number;
  unchanged: boolean;
}

const options = {
  bundle: true,
  minify: true,
  platform: "node",
  format: "esm",
  // Lower than the deployed runtime, so that the very same bundle also runs on a laptop's Node 20.
  target: "node20",
  // The SDK's ESM builds shake to half the size of its CommonJS ones, and need no `require` in the bundle.
  mainFields: ["module", "main"],
  alias: { "@aws-sdk/credential-provider-node": credentialsStandIn },
  // The SDK loads it only for operations that stream events, which none of our services has: 20 KB.
  external: ["@smithy/core/event-streams"],
  absWorkingDir: root,
  metafile: true,
  // Maps stay out of the shipped folder: Lambda would load them at every cold start. The build is
  // reproducible, so a stack trace can be read back later with the map of the same commit.
  sourcemap: "external",
  outdir: "out",
  entryNames: "index",
  outExtension: { ".js": ".mjs" },
  write: false,
  logLevel: "silent",
} as const satisfies esbuild.BuildOptions;

const stampSchema = z.object({ key: z.string(), inputs: z.array(z.string()) });

/** Bundles `functions/<name>.ts` of each name into `.build/<name>`, unless it is there and unchanged. */
export async function bundleFunctions(names: readonly string[]): Promise<Bundle[]> {
  return await Promise.all(
    names.map((name) => bundle(name, join(root, "functions", `${name}.ts`))),
  );
}

/** Throws `bundle-failed` with a message that names the file at fault. */
export async function bundle(
  name: string,
  entry: string,
  buildDirectory: string = join(root, ".build"),
): Promise<Bundle> {
  const files = filesOf(name, buildDirectory);
  const unchanged = isCurrent(files);
  if (!unchanged) await build(entry, files);
  return { name, directory: files.directory, bytes: statSync(files.code).size, unchanged };
}

type BundleFiles = ReturnType<typeof filesOf>;

function filesOf(name: string, buildDirectory: string) {
  const directory = join(buildDirectory, name);
  return {
    directory,
    code: join(directory, "index.mjs"),
    map: join(buildDirectory, "maps", `${name}.mjs.map`),
    stamp: join(buildDirectory, "stamps", `${name}.json`),
  };
}

async function build(entry: string, files: BundleFiles): Promise<void> {
  const file = relative(root, entry);
  if (!existsSync(entry)) throw new PaycastError("bundle-failed", `${file} does not exist`);
  const result = await runEsbuild(entry, file);
  refuseLooseEnds(result.metafile, file);
  for (const output of result.outputFiles) {
    write(output.path.endsWith(".map") ? files.map : files.code, output.text);
  }
  const inputs = Object.keys(result.metafile.inputs).sort();
  write(files.stamp, JSON.stringify({ key: contentKey(inputs), inputs }));
}

async function runEsbuild(entry: string, file: string) {
  try {
    return await esbuild.build({ ...options, entryPoints: [entry] });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PaycastError("bundle-failed", `${file} cannot be bundled: ${reason}`, { cause });
  }
}

/**
 * A bundle runs with nothing beside it and as an ES module: a package left outside, or a CommonJS package's
 * `require`, would only be found missing when the function starts.
 */
function refuseLooseEnds(metafile: esbuild.Metafile, file: string): void {
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  const loose = imports.find(
    ({ path, kind }) =>
      kind === "require-call" || (kind === "import-statement" && !isBuiltin(path)),
  );
  if (loose === undefined) return;
  const message = `${file} would need ${loose.path} at run time by ${loose.kind}`;
  throw new PaycastError("bundle-failed", message);
}

function isCurrent(files: BundleFiles): boolean {
  if (!existsSync(files.stamp) || !existsSync(files.code)) return false;
  // A torn stamp, left by a build that was cut off, only means that there is something to build.
  const stamp = stampSchema.safeParse(parseJson(readFileSync(files.stamp, "utf8")));
  return stamp.success && stamp.data.key === contentKey(stamp.data.inputs);
}

/** Everything a bundle is made of: each input's bytes, the options and the bundler's version. */
function contentKey(inputs: readonly string[]): string {
  const hash = createHash("sha256").update(JSON.stringify([esbuild.version, options]));
  for (const input of inputs) {
    const path = join(root, input);
    hash.update(`\n${input}\n`).update(existsSync(path) ? readFileSync(path) : "gone");
  }
  return hash.digest("hex");
}

/** Whole or not at all, and by way of a file outside the folder that is shipped: others may be reading it. */
function write(path: string, text: string): void {
  const draft = join(dirname(dirname(path)), `${randomUUID()}.draft`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(draft, text);
  renameSync(draft, path);
}
