import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { packEvents } from "../../tools/contract/packages/pack-events.ts";
import { packOnce } from "../setup/packed.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface ExampleProject {
  readonly folder: string;
  /** `npm run SCRIPT`, as the example's README says. Gives what it printed, or throws with it. */
  readonly npmRun: (script: string) => string;
}

/**
 * A copy of an example outside of the repository. `paycast-events` is unpacked from its tarball; the other packages that
 * the example names are linked, so that a test needs no network.
 */
export async function copyExample(name: string): Promise<ExampleProject> {
  const folder = temporaryFolder(name);
  cpSync(join(root, "examples", name), folder, { recursive: true, filter: isSource });
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { dependencies, devDependencies } = manifest;
  const events = join(folder, "node_modules/paycast-events");
  mkdirSync(events, { recursive: true });
  const tarball = await packOnce("paycast-events", packEvents);
  run(events, "tar", ["xzf", tarball, "--strip-components=1"]);
  const named = Object.keys({ ...dependencies, ...devDependencies });
  for (const other of named.filter((packageName) => packageName !== "paycast-events"))
    link(folder, other);
  link(folder, ".bin");
  return {
    folder,
    npmRun: (script) => run(folder, "npm", ["run", "--silent", script]),
  };
}

/** Somebody may have installed and built the example in its place. */
function isSource(path: string): boolean {
  return !/\/(node_modules|build|bundle)$/.test(path);
}

function link(folder: string, name: string): void {
  const path = join(folder, "node_modules", name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(join(root, "node_modules", name), path);
}

function run(cwd: string, command: string, args: readonly string[]): string {
  const ended = spawnSync(command, args, { cwd, encoding: "utf8", timeout: 120_000 });
  if (ended.status === 0) return ended.stdout;
  throw new Error(`${command} ${args.join(" ")}\n${ended.stdout}\n${ended.stderr}`);
}
