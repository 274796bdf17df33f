import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { Config } from "../../infra/config/config-schema.ts";
import { functionsOf } from "../../infra/config/function-names.ts";
import { bundleFunctions } from "../../infra/lambda/bundle.ts";

const infraDirectory = fileURLToPath(new URL("../../infra", import.meta.url));
const lockFile = fileURLToPath(new URL("../../package-lock.json", import.meta.url));

const cacheSchema = z.object({ key: z.string(), template: z.unknown() });

export interface SynthesizedStack {
  readonly template: unknown;
  readonly assetDirectory: string;
}

/**
 * Builds the bundles and gives the template that would be deployed. Synthesizing is slow because it loads the CDK
 * library, so the last template is used again while the app and the config are the same.
 */
export async function synthesizeTemplate(
  config: Config,
  directory: string,
): Promise<SynthesizedStack> {
  const assetDirectory = join(directory, "cdk.out");
  const cacheFile = join(directory, "template.json");
  const key = appKey(config);
  const cached = readCache(cacheFile);
  if (cached?.key === key) {
    await bundleFunctions(functionsOf(config));
    return { template: cached.template, assetDirectory };
  }
  const template = await synthesizeAnew(config, assetDirectory);
  mkdirSync(directory, { recursive: true });
  writeFileSync(cacheFile, JSON.stringify({ key, template }));
  return { template, assetDirectory };
}

async function synthesizeAnew(config: Config, outdir: string): Promise<unknown> {
  const { createApp, synthesize } = await import("../../infra/synthesize.ts");
  const context = {
    // With this the template names the bundles' own folders, so that a running stack can reload them.
    "aws:cdk:disable-asset-staging": true,
    "aws:cdk:enable-path-metadata": true,
  };
  // `cdk synth` checks the template as CloudFormation would. It takes longer than all the rest, and here nothing deploys it.
  const builtinCloudFormationValidation = false;
  const app = createApp({ outdir, context, builtinCloudFormationValidation });
  const assembly = await synthesize(app, config, { isQuiet: true });
  return assembly.stacks[0]?.template;
}

/** A hash of everything that the template is made from, its folder included. */
function appKey(config: Config): string {
  const files = [lockFile, ...templateSources()];
  const contents = files.map((path) => readFileSync(path, "utf8"));
  const parts = [infraDirectory, JSON.stringify(config), ...contents];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/** The module that makes the template, and every module that it imports, directly or not. */
export function templateSources(): string[] {
  const found = new Set([join(infraDirectory, "synthesize.ts")]);
  // What is added while the set is walked is visited too.
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
    // A start that was interrupted may leave half a file. The template is made again.
    return undefined;
  }
}
