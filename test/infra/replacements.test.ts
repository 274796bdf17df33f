import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { toldReplacements, untoldReplacements } from "./replacements.ts";

const changelog = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
const orders = { Orders1: { Type: "AWS::DynamoDB::Table" } };
const renamed = { Orders2: { Type: "AWS::DynamoDB::Table" } };
const entry = (told: string) =>
  `# Changelog\n\n## 0.2.0\n\n- More.\n\n### What a deployment replaces\n\n${told}\n\n## 0.1.0\n`;

test("each version of the CHANGELOG tells what a deployment replaces", () => {
  const told = toldReplacements(changelog);
  expect(told.length).toBeGreaterThan(0);
  for (const one of told) expect(one).toMatch(/^Nothing\.$|^- `\w+`/);
});

test("an id may go only if the newest version names it", () => {
  expect(untoldReplacements(orders, renamed, entry("Nothing."))).toEqual(["Orders1"]);
  expect(untoldReplacements(orders, renamed, entry("- `Orders1`: copy it first."))).toEqual([]);
  expect(untoldReplacements(orders, { ...orders, ...renamed }, entry("Nothing."))).toEqual([]);
});

test("a property that cannot change in place counts as a replacement", () => {
  const keyed = { Orders1: { Type: "AWS::DynamoDB::Table", TableName: "orders" } };
  expect(untoldReplacements(orders, keyed, entry("Nothing."))).toEqual(["Orders1"]);
});
