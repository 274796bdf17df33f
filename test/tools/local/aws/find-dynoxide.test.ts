import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import manifest from "../../../../package.json" with { type: "json" };
import { findDynoxide, findOnPath } from "../../../../tools/local/aws/find-dynoxide.ts";
import { temporaryFolder } from "../../../setup/temporary-folder.ts";

const version = manifest.optionalDependencies["@dynoxide/linux-x64"];

let folder: string;
let lines: string[];
beforeEach(() => {
  folder = temporaryFolder("dynoxide");
  mkdirSync(join(folder, "bin"));
  for (const tool of ["tar", "gzip", "cp"]) {
    symlinkSync(findOnPath(tool, process.env)!, join(folder, "bin", tool));
  }
  lines = [];
});

test("nothing is found in the current folder if the path has an empty entry", () => {
  const program = "node_modules/.bin/tsx";
  expect(findOnPath(program, { PATH: process.cwd() })).toBe(join(process.cwd(), program));
  expect(findOnPath(program, { PATH: delimiter })).toBeUndefined();
});

test.each([
  ["linux", "arm64", "dynoxide"],
  ["darwin", "arm64", "dynoxide"],
  ["win32", "x64", "dynoxide.exe"],
])("on %s-%s npm fetches the program of the exact version, once", async (os, cpu, name) => {
  standInForNpm([`${os}-${cpu}`]);
  const found = await find(os, cpu);
  expect(found).toBe(join(cache(), `dynoxide-${version}-${os}-${cpu}`, name));
  expect(execFileSync(found, { encoding: "utf8" })).toBe(`for ${os}-${cpu}\n`);
  expect(await find(os, cpu)).toBe(found);
  expect(calls("npm")).toEqual([
    expect.stringMatching(`^pack .* @dynoxide/${os}-${cpu}@${version}$`),
  ]);
  expect(lines).toEqual([`downloading the DynamoDB emulator for ${os}-${cpu} with npm`]);
});

test("starts at the same time leave one complete program in the cache and nothing else", async () => {
  standInForNpm(["darwin-arm64"]);
  const found = await Promise.all([1, 2, 3, 4].map(() => find("darwin", "arm64")));
  expect(new Set(found).size).toBe(1);
  expect(execFileSync(found[0]!, { encoding: "utf8" })).toBe("for darwin-arm64\n");
  expect(readdirSync(cache())).toHaveLength(1);
});

test("on linux-arm64 the program for x64 runs under QEMU if npm has no other", async () => {
  standInForNpm(["linux-x64"]);
  writeStandIn("qemu-x86_64-static", 'echo under QEMU; exec "$@"');
  const found = await find("linux", "arm64");
  expect(execFileSync(found, { encoding: "utf8" })).toBe("under QEMU\nfor linux-x64\n");
  expect(await find("linux", "arm64")).toBe(found);
  expect(calls("npm")).toHaveLength(2);
});

test.each([
  ["darwin", "arm64"],
  ["freebsd", "x64"],
])("on %s-%s without one in npm the error has the command that installs it", async (os, cpu) => {
  standInForNpm(["linux-x64"]);
  const install = `npm install --no-save @dynoxide/${os}-${cpu}@${version}`;
  const failure = await find(os, cpu).catch((error) => error);
  expect(failure).toMatchObject({ code: "local-dynamodb-missing" });
  expect(failure.message).toContain(`No DynamoDB emulator for ${os}-${cpu}: the npm registry`);
  expect(failure.message).toContain(`\n  ${install}\n`);
  expect(failure.message).toContain("PAYCAST_DYNAMODB_ENDPOINT");
  expect(calls("npm")).toHaveLength(1);
  expect(readdirSync(cache())).toEqual([]);
});

test.each(["linux", "darwin"])(
  "without a network %s-arm64 gets that error after one try",
  async (os) => {
    writeStandIn("npm", "echo npm error code ENOTFOUND >&2; exit 1");
    writeStandIn("apt-get", "exit 1");
    const finding = find(os, "arm64");
    await expect(finding).rejects.toThrow(
      `npm could not download @dynoxide/${os}-arm64@${version} (ENOTFOUND)`,
    );
    expect(calls("npm")).toEqual([expect.stringContaining("--fetch-retries 0")]);
    expect(calls("apt-get")).toEqual([]);
  },
);

test("if QEMU cannot be installed, the error says so", async () => {
  standInForNpm(["linux-x64"]);
  writeStandIn("apt-get", "exit 100");
  await expect(find("linux", "arm64")).rejects.toThrow(
    /apt-get could not install qemu-user-static/,
  );
});

test("a program on the PATH is used, and npm is not asked", async () => {
  standInForNpm([]);
  writeStandIn("dynoxide", "exit");
  expect(await find("darwin", "arm64")).toBe(join(folder, "bin", "dynoxide"));
  expect(calls("npm")).toEqual([]);
});

test("an installed package is used, and npm is not asked", async () => {
  standInForNpm([]);
  const installed = join(folder, "node_modules/@dynoxide/linux-x64");
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(installed, "dynoxide"), "");
  expect(await find("linux", "x64")).toBe(join(installed, "dynoxide"));
  expect(calls("npm")).toEqual([]);
});

async function find(os: string, cpu: string): Promise<string> {
  const environment = { PATH: join(folder, "bin") };
  const tell = (step: string) => void lines.push(step);
  return await findDynoxide({ os, cpu, environment, project: folder, tell });
}

const cache = () => join(folder, "node_modules/.cache/paycast");

/** Has the packages of these platforms, each with a program that tells its platform. */
function standInForNpm(platforms: readonly string[]): void {
  for (const platform of platforms) {
    const name = platform === "win32-x64" ? "dynoxide.exe" : "dynoxide";
    writeProgram(join(folder, "package", name), `echo for ${platform}`);
    const archive = `dynoxide-${platform}-${version}.tgz`;
    execFileSync("tar", ["-czf", archive, "package"], { cwd: folder });
    rmSync(join(folder, "package"), { recursive: true });
  }
  writeStandIn(
    "npm",
    `for wanted; do :; done
    name=\${wanted#@dynoxide/}
    archive="${folder}/dynoxide-\${name%@*}-\${name##*@}.tgz"
    [ -f "$archive" ] && cp "$archive" . || { echo npm error code E404 >&2; exit 1; }`,
  );
}

/** Writes down its arguments, a line for each call. */
function writeStandIn(name: string, script: string): void {
  writeProgram(join(folder, "bin", name), `echo "$*" >> "${folder}/${name}.calls"\n${script}`);
}

function calls(name: string): string[] {
  const file = join(folder, `${name}.calls`);
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
}

function writeProgram(file: string, script: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}
