import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const main = ["node_modules/tsx/dist/cli.mjs", "test/proof/main.ts"];

test("npm run proof passes the options to the run that it names", () => {
  const help = execFileSync(process.execPath, [...main, "sabotage", "--help"], {
    encoding: "utf8",
  });
  expect(help).toContain("npm run proof -- sabotage [--only NAME]");
});

test.each([[], ["toString"]])(
  "npm run proof without a known name lists the names: %j",
  (...args) => {
    const { status, stderr } = spawnSync(process.execPath, [...main, ...args], {
      encoding: "utf8",
    });
    expect(status).toBe(2);
    expect(stderr).toBe("npm run proof -- growth|load|sabotage|screenshots|write [OPTIONS]\n");
  },
);

test("CONTRIBUTING names every script, and no other", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  const named = [...readFileSync("CONTRIBUTING.md", "utf8").matchAll(/npm (?:run )?([\w:]+)/g)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== "ci" && name !== "install");
  expect([...new Set(named)].sort()).toEqual(Object.keys(scripts).sort());
});
