import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Metafile } from "esbuild";
import * as esbuild from "esbuild";
import * as z from "zod";
import { PaycastError } from "../../shared/errors/paycast-error.ts";
import { parseJson } from "../../shared/json/parse-json.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const ownFile = fileURLToPath(import.meta.url);
const credentialsStandIn = fileURLToPath(
  new URL("../../shared/environment-credentials.ts", import.meta.url),
);

/** The code of one function. `directory` contains only `index.mjs`. */
export interface Bundle {
  name: string;
  directory: string;
  bytes: number;
  unchanged: boolean;
  /** The source files that contribute to the bundle, relative to the root of the repository. */
  content: readonly string[];
}

const options = {
  bundle: true,
  minify: true,
  platform: "node",
  format: "esm",
  // Lower than the deployed runtime, so that the same bundle also runs locally on Node 20.
  target: "node20",
  // After tree shaking, the SDK's ESM builds are half the size of the CommonJS ones and need no `require`.
  mainFields: ["module", "main"],
  alias: { "@aws-sdk/credential-provider-node": credentialsStandIn },
  // Saves 20 KB: the SDK loads it only for operations that stream events, which are not used here.
  external: ["@smithy/core/event-streams"],
  absWorkingDir: root,
  metafile: true,
  // Source maps are not deployed, because Lambda would load them at every cold start. The build is reproducible, so the
  // map of the same commit can decode a stack trace later.
  sourcemap: "external",
  outdir: "out",
  entryNames: "index",
  outExtension: { ".js": ".mjs" },
  write: false,
  logLevel: "silent",
} as const satisfies esbuild.BuildOptions;

/** An SDK client reads only its version from its package.json. The rest is 4 KB of names and scripts in a function. */
const onlyTheVersion: esbuild.Plugin = {
  name: "only the version of an SDK client",
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]@aws-sdk[\\/][^\\/]+[\\/]package\.json$/ }, ({ path }) => {
      const { version } = packageSchema.parse(JSON.parse(readFileSync(path, "utf8")));
      return { contents: JSON.stringify({ version }), loader: "json" };
    });
  },
};

const packageSchema = z.object({ version: z.string() });

const stampSchema = z.object({
  key: z.string(),
  inputs: z.array(z.string()),
  content: z.array(z.string()),
});
type Stamp = z.infer<typeof stampSchema>;

/** Bundles `functions/<name>.ts` of each name into `.build/<name>`, unless it exists and is unchanged. */
export async function bundleFunctions(names: readonly string[]): Promise<Bundle[]> {
  return await Promise.all(
    names.map((name) => bundle(name, join(root, "functions", `${name}.ts`))),
  );
}

/** Throws `bundle-failed` with a message that names the file. */
export async function bundle(
  name: string,
  entry: string,
  buildDirectory: string = join(root, ".build"),
): Promise<Bundle> {
  const files = filesOf(name, buildDirectory);
  const current = currentStamp(files);
  const { content } = current ?? (await build(entry, files));
  const { directory, code } = files;
  return { name, directory, bytes: statSync(code).size, unchanged: current !== undefined, content };
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

async function build(entry: string, files: BundleFiles): Promise<Stamp> {
  const file = relative(root, entry);
  if (!existsSync(entry)) throw new PaycastError("bundle-failed", `${file} does not exist`);
  const result = await runEsbuild(entry, file);
  refuseLooseEnds(result.metafile, file);
  for (const output of result.outputFiles) {
    write(output.path.endsWith(".map") ? files.map : files.code, output.text);
  }
  const inputs = Object.keys(result.metafile.inputs).sort();
  const stamp = { key: contentKey(inputs), inputs, content: contentOf(result.metafile) };
  write(files.stamp, JSON.stringify(stamp));
  return stamp;
}

async function runEsbuild(entry: string, file: string) {
  try {
    return await esbuild.build({ ...options, plugins: [onlyTheVersion], entryPoints: [entry] });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PaycastError("bundle-failed", `${file} cannot be bundled: ${reason}`, { cause });
  }
}

/**
 * A bundle runs alone and as an ES module. Without this check, a package outside the bundle, or a CommonJS package's
 * `require`, would fail only when the function starts.
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

/** The stamp of a bundle that needs no new build. */
function currentStamp(files: BundleFiles): Stamp | undefined {
  if (!existsSync(files.stamp) || !existsSync(files.code)) return undefined;
  // After an interrupted build the stamp may be incomplete. The function is then built again.
  const stamp = stampSchema.safeParse(parseJson(readFileSync(files.stamp, "utf8")));
  return stamp.success && stamp.data.key === contentKey(stamp.data.inputs) ? stamp.data : undefined;
}

/** Hash of everything that determines a bundle: the bytes of each input and of this file, and the bundler's version. */
function contentKey(inputs: readonly string[]): string {
  const hash = createHash("sha256").update(esbuild.version).update(readFileSync(ownFile));
  for (const input of inputs) {
    const path = join(root, input);
    hash.update(`\n${input}\n`).update(existsSync(path) ? readFileSync(path) : "gone");
  }
  return hash.digest("hex");
}

/** Writes a temporary file outside the deployed folder, then renames it: another process may be reading. */
function write(path: string, text: string): void {
  const draft = join(dirname(dirname(path)), `${randomUUID()}.draft`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(draft, text);
  renameSync(draft, path);
}

/** The source files that contribute to a bundle, without files that esbuild read and then dropped. */
export function contentOf({ outputs }: Metafile): string[] {
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? file : [])),
  );
  return [...new Set(files)].sort();
}
