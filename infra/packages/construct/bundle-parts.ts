import { cpSync } from "node:fs";
import { join } from "node:path";
import { functionNames } from "../../config/function-names.ts";
import { bundleFunctions } from "../../lambda/bundle.ts";
import { bundleCommand } from "./bundle-command.ts";
import { bundleConstruct } from "./bundle-construct.ts";
import { copyPage } from "./copy-page.ts";

/** A bundle of the package. */
export interface ShippedPart {
  /** Its folder in the package. */
  readonly name: string;
  /** The files of which something is in it, from the root of the repository. */
  readonly content: readonly string[];
}

/** Writes every bundle of the package `paycast` into a folder, each into a folder of its own. */
export async function bundleParts(folder: string): Promise<ShippedPart[]> {
  return [
    { name: "construct", content: await bundleConstruct(join(folder, "construct")) },
    { name: "cli", content: await bundleCommand(join(folder, "cli")) },
    { name: "console", content: await copyPage(join(folder, "console")) },
    ...(await copyFunctions(folder)),
  ];
}

/** The very bundles that this repository deploys. */
async function copyFunctions(folder: string): Promise<ShippedPart[]> {
  const bundles = await bundleFunctions(functionNames);
  return bundles.map((bundle) => {
    const name = `functions/${bundle.name}`;
    cpSync(bundle.directory, join(folder, name), { recursive: true });
    return { name, content: bundle.content };
  });
}
