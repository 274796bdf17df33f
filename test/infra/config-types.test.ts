import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { configTypes } from "../../infra/contract/config-types.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The compiler refuses the assignment if the two types differ in any field. */
const comparison = `
import type * as inferred from "../../infra/config/paycast-config.ts";
import type * as documented from "./documented.ts";
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Plain<T> = T extends string | number | boolean | undefined ? T : { [K in keyof T]: Plain<T[K]> };
export const isEqual: Equal<Plain<inferred.PaycastConfig>, Plain<documented.PaycastConfig>> = true;
`;

test("the package's documented config has the fields and values that the schema enforces", () => {
  mkdirSync(join(root, ".build"), { recursive: true });
  const folder = mkdtempSync(join(root, ".build", "types-"));
  try {
    writeFileSync(join(folder, "documented.ts"), configTypes());
    writeFileSync(join(folder, "comparison.ts"), comparison);
    const project = { extends: "../../tsconfig.json", include: [], files: ["comparison.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    expect(() => execFileSync(process.execPath, [compiler, "-p", folder])).not.toThrow();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("every documented field has a description", () => {
  expect(configTypes()).not.toContain("undefined\n * @");
  expect(configTypes()).not.toContain(" * undefined");
});
