import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll } from "vitest";
import { writeInto } from "../../../tools/contract/packages/bundles.ts";
import { packConstruct } from "../../../tools/contract/packages/pack-construct.ts";
import { packOnce } from "../../setup/packed.ts";
import { temporaryFolder } from "../../setup/temporary-folder.ts";

export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** What an app installs beside the package. Linked, so that a test needs no network. */
const neighbours = ["aws-cdk-lib", "constructs", "typescript", "undici-types", "@types/node"];

/** Only what every process has: no credentials, no variable of this repository. */
const plainEnvironment = { PATH: process.env["PATH"], HOME: tmpdir() };

export interface Project {
  readonly folder: string;
  /** Runs a program of the project, and gives what it wrote. */
  readonly run: (args: readonly string[], env?: Record<string, string>) => ProgramRun;
}

interface ProgramRun {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** The tarball, and projects outside the repository for the tests of a file. */
export function usePackage() {
  const folder = temporaryFolder("projects");
  let tarball: string;
  beforeAll(async () => {
    tarball = await packOnce("paycast", packConstruct);
  });
  return {
    tarball: () => tarball,
    /** `beside` are other tarballs that are installed with it. */
    newProject: (
      name: string,
      manifest: object,
      files: string | Record<string, string>,
      beside: readonly string[] = [],
    ) => newProject(join(folder, name), [tarball, ...beside], manifest, files),
  };
}

/** A project with these files by their paths, or with a copy of a folder, in which the tarballs are installed. */
function newProject(
  folder: string,
  tarballs: readonly string[],
  manifest: object,
  files: string | Record<string, string>,
): Project {
  mkdirSync(folder);
  if (typeof files === "string") cpSync(files, folder, { recursive: true });
  else for (const [name, text] of Object.entries(files)) writeInto(folder, name, text);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "app", ...manifest }));
  const offline = ["--offline", "--no-audit", "--no-fund", "--no-save", "--legacy-peer-deps"];
  execFileSync("npm", ["install", ...offline, ...tarballs], { cwd: folder, stdio: "pipe" });
  for (const name of neighbours) linkNeighbour(folder, name);
  return {
    folder,
    run: (args, env = {}) => {
      const options = { cwd: folder, encoding: "utf8", timeout: 120_000 } as const;
      const ended = spawnSync(process.execPath, args, {
        ...options,
        env: { ...plainEnvironment, ...env },
      });
      return { status: ended.status, out: ended.stdout, err: ended.stderr };
    },
  };
}

function linkNeighbour(folder: string, name: string): void {
  const path = join(folder, "node_modules", name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(join(root, "node_modules", name), path);
}

export const typescript = "node_modules/typescript/bin/tsc";
