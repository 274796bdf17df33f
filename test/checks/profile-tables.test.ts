import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { jsonStyles } from "../../shared/envelope/json-style.ts";
import { profileSchema, signedForms } from "../../shared/envelope/profile.ts";

const guide = readFileSync("docs/configuration.md", "utf8");
const readings = readFileSync("docs/interface.md", "utf8");

const [, section = ""] = guide.split("\n## The wire profile\n");

/** The rows of the table whose first column has this heading, as cells, by the name in the first. */
function tableOf(heading: string): ReadonlyMap<string, readonly string[]> {
  const tables = section.matchAll(/^\| (.+?) \|.*\n\|[-|]+\n((?:\|.*\n)+)/gm);
  const [, , rows = ""] = [...tables].find(([, first]) => first === heading) ?? [];
  const cells = rows
    .trim()
    .split("\n")
    .map((row) => row.split(" | "));
  return new Map(cells.map(([name = "", ...others]) => [name.replace(/[|` ]/g, ""), others]));
}

interface Field {
  readonly default?: unknown;
  readonly enum?: readonly string[];
}

const { properties = {} } = z.toJSONSchema(profileSchema, { io: "input" });
const fields = Object.entries(properties) as [string, Field][];
const rows = tableOf("field");

test("the table of the wire profile has every field, and no other", () => {
  expect([...rows.keys()]).toEqual(fields.map(([name]) => name));
});

test.each(fields)("%s has its default and each of its values there", (name, field) => {
  const [usual = "", values = ""] = rows.get(name) ?? [];
  const { default: value, enum: allowed = [] } = field;
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  expect(usual.replaceAll("`", "")).toBe(value === undefined ? "none" : text);
  // A table of its own explains the styles of JSON.
  if (name === "jsonStyle") return;
  for (const one of allowed) expect(values).toContain(`\`${one}\``);
});

test("each form of the signed text and each style of JSON is explained", () => {
  expect([...tableOf("`signedForm`").keys()]).toEqual(signedForms);
  expect([...tableOf("`jsonStyle`").keys()]).toEqual(jsonStyles);
  for (const form of signedForms) expect(readings).toContain(`\n- \`${form}\`: `);
});
