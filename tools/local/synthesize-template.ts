import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { Config } from "../../infra/config/config-schema.ts";
import { functionsOf } from "../../infra/config/function-names.ts";
import { bundleFunctions } from "../../infra/lambda/bundle.ts";
import { writeOwnFile } from "./write-own-file.ts";

const infraDirectory = fileURLToPath(new URL("../../infra", import.meta.url));
const lockFile = fileURLToPath(new URL("../../package-lock.json", import.meta.url));

const cacheSchema = z.object({ key: z.string(), template: z.unknown() });

/**
 * Builds the bundles and returns the template that would be deployed. Synthesizing is slow because it loads the CDK, so
 * the last template is kept in the folder and reused while the app and the config are unchanged. Several processes may
 * use one folder at the same time.
 */
export async function synthesizeTemplate(config: Config, directory: string): Promise<unknown> {
  const cacheFile = join(directory, "template.json");
  const key = appKey(config);
  const cached = readCache(cacheFile);
  if (cached?.key === key) {
    await bundleFunctions(functionsOf(config));
    return cached.template;
  }
  const template = await synthesizeInOwnFolder(config);
  writeOwnFile(cacheFile, JSON.stringify({ key, template }));
  return template;
}

/** The CDK writes its files in place, so a second process would read incomplete ones in a common folder. */
async function synthesizeInOwnFolder(config: Config): Promise<unknown> {
  const outdir = mkdtempSync(join(tmpdir(), "paycast-synth-"));
  try {
    return await synthesizeAnew(config, outdir);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

async function synthesizeAnew(config: Config, outdir: string): Promise<unknown> {
  const { createApp, synthesize } = await import("../../infra/synthesize.ts");
  const context = {
    // The template then names the bundles' own folders, so a running stack can reload them.
    "aws:cdk:disable-asset-staging": true,
    "aws:cdk:enable-path-metadata": true,
  };
  // `cdk synth` validates the template as CloudFormation would. That takes longer than everything else, and nothing is
  // deployed here.
  const builtinCloudFormationValidation = false;
  const app = createApp({ outdir, context, builtinCloudFormationValidation });
  const assembly = await synthesize(app, config, { isQuiet: true });
  return assembly.stacks[0]?.template;
}

/** A hash of everything that determines the template, including its folder. */
function appKey(config: Config): string {
  const files = [lockFile, ...templateSources()];
  const contents = files.map((path) => readFileSync(path, "utf8"));
  const parts = [infraDirectory, JSON.stringify(config), ...contents];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/** The module that creates the template, and every module that it imports, directly or indirectly. */
export function templateSources(): string[] {
  const found = new Set([join(infraDirectory, "synthesize.ts")]);
  // Iteration also visits items that are added meanwhile.
  for (const path of found) {
    const imports = readFileSync(path, "utf8").matchAll(/\b(?:from|import) "(\.[^"]+)"/g);
    for (const [, source = ""] of imports) found.add(join(dirname(path), source));
  }
  return [...found];
}

function readCache(cacheFile: string): z.infer<typeof cacheSchema> | undefined {
  if (!existsSync(cacheFile)) return undefined;
  try {
    return cacheSchema.parse(JSON.parse(readFileSync(cacheFile, "utf8")));
  } catch {
    // An interrupted start may leave an incomplete file. The template is then created again.
    return undefined;
  }
}
