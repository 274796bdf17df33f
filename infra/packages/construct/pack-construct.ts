import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { bundleParts } from "./bundle-parts.ts";
import { bundledPackages } from "./bundled-packages.ts";
import { copyDocuments } from "./copy-documents.ts";
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
  const parts = await bundleParts(folder);
  declareTypes(join(folder, "construct"));
  copyDocuments(root, folder);
  const notices = noticesFor(bundledPackages(parts.flatMap(({ content }) => content)));
  writeInto(folder, "THIRD-PARTY-NOTICES.txt", notices);
  writeInto(folder, "package.json", `${JSON.stringify(makeManifest(), null, 2)}\n`);
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
