import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import * as z from "zod";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { contentOf } from "../../lambda/bundle-content.ts";

export const root = fileURLToPath(new URL("../../..", import.meta.url));

export function writeInto(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** What all bundles of the package have in common. */
const common = {
  bundle: true,
  platform: "node",
  target: "node20",
  mainFields: ["module", "main"],
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  charset: "utf8",
  metafile: true,
  absWorkingDir: root,
  logLevel: "silent",
} as const satisfies esbuild.BuildOptions;

/** Throws `bundle-failed`. Gives the files of which something is in the bundle. */
export async function bundleInto(
  options: esbuild.BuildOptions & { readonly outdir: string },
): Promise<string[]> {
  try {
    const { metafile } = await esbuild.build({ ...common, plugins: [inPackage], ...options });
    return metafile === undefined ? [] : contentOf(metafile);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PaycastError("bundle-failed", `the package cannot be bundled: ${reason}`, { cause });
  }
}

/** The package has functions and page already built, and of any manifest its code needs only name and version. */
const inPackage: esbuild.Plugin = {
  name: "in-package",
  setup(build) {
    const beside = (file: string) => ({ path: fileURLToPath(new URL(file, import.meta.url)) });
    build.onResolve({ filter: /\/built-functions\.ts$/ }, () => beside("shipped-functions.ts"));
    build.onResolve({ filter: /\/page-files\.ts$/ }, () => beside("shipped-page.ts"));
    build.onLoad({ filter: /\/package\.json$/ }, ({ path }) => {
      const manifest = manifestSchema.parse(JSON.parse(readFileSync(path, "utf8")));
      return { contents: JSON.stringify(manifest), loader: "json" };
    });
  },
};

const manifestSchema = z.object({ name: z.string(), version: z.string() });
