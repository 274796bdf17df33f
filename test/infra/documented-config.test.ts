import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fillTables } from "../../tools/contract/documents/markdown-table.ts";
import { configTypes } from "../../tools/contract/generated-types/config-types.ts";
import { folderInside } from "../setup/temporary-folder.ts";
import { everyOption } from "./every-option.ts";
import { synthesizeTemplate } from "./stack-template.ts";

const configuration = readFileSync("docs/configuration.md", "utf8");

/** The names in the first column of a table that begins with this heading. */
function firstColumn(heading: string): string[] {
  const [, table = ""] = configuration.split(`\n| ${heading} |`);
  const [, , ...rows] = table.slice(0, table.indexOf("\n\n")).split("\n");
  return rows.flatMap((row) => namesIn(row.split("|")[1] ?? ""));
}

/** `a.b`, `.c` names a.b and a.c; `xOne`, `…Two` names xOne and xTwo. */
function namesIn(cell: string): string[] {
  const [first = "", ...others] = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  const spelled = others.map((name) => name.replace(/^\./, first.replace(/[^.]*$/, "")));
  return [first, ...spelled.map((name) => name.replace("…", first.replace(/QueueUrl$/, "")))];
}

test("docs/configuration.md lists every output of the stack, and no other", () => {
  const { Outputs } = synthesizeTemplate(everyOption);
  const general = Object.keys(Outputs).map((name) =>
    name
      .replace(
        /^(ReceiveCallback|ProcessCallback|CreateOrder|QueryOrder|ReconcileOrders|CountAttention)/,
        "FUNCTION",
      )
      .replace(/^Subscriber(Fulfilment|Analytics)/, "SubscriberNAME")
      .replace(/^(Callback|Request)KeysM\d$/, "$1KeysMERCHANT"),
  );
  expect(new Set(firstColumn("output"))).toEqual(new Set(general));
});

const folder = folderInside("types");

/** The compiler refuses the assignment if the two types differ in any field. */
const comparison = `
import type * as inferred from "../../infra/config/paycast-config.ts";
import type * as documented from "./documented.ts";
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Plain<T> = T extends string | number | boolean | undefined ? T : { [K in keyof T]: Plain<T[K]> };
export const isEqual: Equal<Plain<inferred.PaycastConfig>, Plain<documented.PaycastConfig>> = true;
`;

test("the package's documented config has the fields and values that the schema enforces", () => {
  writeFileSync(join(folder, "documented.ts"), configTypes());
  writeFileSync(join(folder, "comparison.ts"), comparison);
  const project = { extends: "../../tsconfig.json", include: [], files: ["comparison.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
  const compiler = "node_modules/typescript/bin/tsc";
  expect(() => execFileSync(process.execPath, [compiler, "-p", folder])).not.toThrow();
});

describe("the tables of a page", () => {
  const page = "a\n\n<!-- made table: one -->\n\nold\n\n<!-- end -->\n\nb\n\n<!-- end -->\n";

  test("are put between their marks, and the rest of the page stays", () => {
    expect(fillTables(page, { one: "new" })).toBe(page.replace("old", "new"));
  });

  test("are refused on a page without their marks", () => {
    expect(() => fillTables(page, { two: "new" })).toThrow(/made table: two/);
    expect(() => fillTables("<!-- made table: one -->", { one: "new" })).toThrow(/end/);
  });
});
