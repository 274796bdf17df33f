import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { root } from "./package-files.ts";

const manifestSchema = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** The licences of all packages that are part of the bundles, each text once with the packages that it belongs to. */
export function noticesFor(inputs: readonly string[]): string {
  const byText = new Map<string, string[]>();
  for (const folder of packageFolders(inputs)) {
    const { name, version, license } = manifestSchema.parse(readJson(join(folder, "package.json")));
    const text = licenceText(folder) ?? license;
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version} (${license})`]);
  }
  const parts = [...byText].map(([text, packages]) => `${packages.join("\n")}\n\n${text.trim()}\n`);
  const rule = `\n${"-".repeat(80)}\n\n`;
  return ["Paycast contains these packages, under their own licences.\n", ...parts].join(rule);
}

function packageFolders(inputs: readonly string[]): string[] {
  const folders = inputs.flatMap(
    (input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? [],
  );
  return [...new Set(folders)].sort().map((folder) => join(root, folder));
}

function licenceText(folder: string): string | undefined {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  return file === undefined ? undefined : readFileSync(join(folder, file), "utf8");
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}
