import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { bundleFunctions } from "../infra/bundle.ts";
import type { Config } from "../infra/config.ts";
import { functionsOf } from "../infra/function-names.ts";

const infraDirectory = fileURLToPath(new URL("../infra", import.meta.url));
const lockFile = fileURLToPath(new URL("../package-lock.json", import.meta.url));

const cacheSchema = z.object({ key: z.string(), template: z.unknown() });

export interface SynthesizedStack {
  readonly template: unknown;
  readonly assetDirectory: string;
}

/**
 * The template that would be deployed, and the bundles built. Synthesizing loads the whole CDK library; as long
 * as the app and the config are the same, the template of last time is.
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
  const { createApp, synthesize } = await import("../infra/synthesize.ts");
  const context = {
    // The template then names the folders of the bundles themselves, which change under a running stack.
    "aws:cdk:disable-asset-staging": true,
    "aws:cdk:enable-path-metadata": true,
  };
  const assembly = await synthesize(createApp({ outdir, context }), config);
  return assembly.stacks[0]?.template;
}

/** Changes with everything the template is made from, where it stands included. */
function appKey(config: Config): string {
  const files = [lockFile, ...templateSources()];
  const contents = files.map((path) => readFileSync(path, "utf8"));
  const parts = [infraDirectory, JSON.stringify(config), ...contents];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/** The app's own files, and those of `shared/` that they import: timeouts are there, and the event names. */
export function templateSources(): string[] {
  const own = readdirSync(infraDirectory)
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(infraDirectory, name));
  const imported = own.flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/from "(\.\.\/shared\/[^"]+)"/g)].map(([, source]) =>
      join(infraDirectory, source ?? ""),
    ),
  );
  return [...own, ...new Set(imported)];
}

function readCache(cacheFile: string): z.infer<typeof cacheSchema> | undefined {
  if (!existsSync(cacheFile)) return undefined;
  try {
    return cacheSchema.parse(JSON.parse(readFileSync(cacheFile, "utf8")));
  } catch {
    // Half written by a start that was cut off: made again.
    return undefined;
  }
}
