import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { functionNames } from "../../config/function-names.ts";
import { bundleFunctions } from "../../lambda/bundle.ts";
import { bundleCommand } from "./bundle-command.ts";
import { bundleConstruct } from "./bundle-construct.ts";
import { copyDocuments } from "./copy-documents.ts";
import { copyPage } from "./copy-page.ts";
import { declareTypes } from "./declare-types.ts";
import { makeManifest } from "./manifest.ts";
import { noticesFor } from "./notices.ts";
import { root, writeInto } from "./package-files.ts";

/** Makes the tarball of the package `paycast` and gives its path. */
export async function packConstruct(destination: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "paycast-package-"));
  try {
    await fillPackage(folder);
    return npmPack(folder, destination);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function fillPackage(folder: string): Promise<void> {
  const inputs = [
    ...(await bundleConstruct(join(folder, "construct"))),
    ...(await bundleCommand(join(folder, "cli"))),
    ...(await copyPage(join(folder, "console"))),
    ...(await copyFunctions(join(folder, "functions"))),
  ];
  declareTypes(join(folder, "construct"));
  copyDocuments(root, folder);
  writeInto(folder, "THIRD-PARTY-NOTICES.txt", noticesFor(inputs));
  writeInto(folder, "package.json", `${JSON.stringify(makeManifest(), null, 2)}\n`);
}

const stampSchema = z.object({ inputs: z.array(z.string()) });

/** The very bundles that this repository deploys. Gives the files that they are made of. */
async function copyFunctions(folder: string): Promise<string[]> {
  const bundles = await bundleFunctions(functionNames);
  for (const { name, directory } of bundles) {
    cpSync(directory, join(folder, name), { recursive: true });
  }
  return bundles.flatMap(({ name }) => {
    const stamp = readFileSync(join(root, ".build", "stamps", `${name}.json`), "utf8");
    return stampSchema.parse(JSON.parse(stamp)).inputs;
  });
}

const packedSchema = z.tuple([z.object({ filename: z.string() })]);

function npmPack(folder: string, destination: string): string {
  mkdirSync(destination, { recursive: true });
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", destination];
  const answer = execFileSync("npm", args, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [{ filename }] = packedSchema.parse(JSON.parse(answer));
  return join(destination, filename);
}
