import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

function start(...args: readonly string[]) {
  const command = ["node_modules/tsx/dist/cli.mjs", ...args];
  return spawnSync(process.execPath, command, { encoding: "utf8" });
}
const [chaos, mutate] = ["test/proof/chaos/main.ts", "test/proof/mutate/main.ts"];
const [bench, proof] = ["test/bench/main.ts", "test/proof/main.ts"];

test("npm run proof passes the options to the run that it names", () => {
  expect(start(proof, "sabotage", "--help").stdout).toMatch(/^npm run proof -- sabotage \[--only/);
});

test.each<[problem: string, args: string[]]>([
  ["There is no option --dri. Did you mean --dry?", [proof, "sabotage", "--dri"]],
  ["No such mistake: x.", [proof, "sabotage", "--only", "x"]],
  ["There is no option --sizes.", [proof, "write", "--sizes", "1"]],
  ["There is no option --only.", [bench, "--only=x"]],
  ['--sizes is "10,x", not a list of positive integers.', [proof, "growth", "--sizes", "10,x"]],
  ['--seconds is "0", not a positive integer.', [chaos, "--seconds=0"]],
  ["No such folder: docs.", [mutate, "--folder", "docs"]],
])("a run is not started with options that are not valid: %s", (problem, args) => {
  const { status, stderr } = start(...args);
  expect({ status, stderr }).toEqual({ status: 2, stderr: `${problem} For help, add --help.\n` });
});

test.each([[], ["toString"]])(
  "npm run proof without a known name lists the names: %j",
  (...args) => {
    const { status, stderr } = start(proof, ...args);
    expect(status).toBe(2);
    expect(stderr).toBe(
      "npm run proof -- growth|load|memory|sabotage|screenshots|write [OPTIONS]\n",
    );
  },
);

test("CONTRIBUTING names every script, and no other", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  const named = [...readFileSync("CONTRIBUTING.md", "utf8").matchAll(/npm (?:run )?([\w:]+)/g)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== "ci" && name !== "install");
  expect([...new Set(named)].sort()).toEqual(Object.keys(scripts).sort());
});
