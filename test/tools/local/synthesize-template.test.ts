import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { expect, test, vi } from "vitest";
import { parseConfig } from "../../../infra/config/config-schema.ts";
import { synthesizeTemplate, templateSources } from "../../../tools/local/synthesize-template.ts";
import { temporaryFolder } from "../../setup/temporary-folder.ts";

const folder = temporaryFolder("template");
const cacheFile = join(folder, "template.json");

const config = parseConfig({
  merchants: ["shop-1"],
  subscribers: [{ name: "fulfilment", types: ["*"] }],
});

test("the template is made once for an app and a config, and again when either changes", async () => {
  const printed = vi.spyOn(console, "error");
  const first = await synthesizeTemplate(config, folder);
  expect(first).toHaveProperty("Resources");
  // Nobody hears of its alarms and nobody is an operator: a newcomer need not be warned of it.
  expect(printed.mock.calls.join("")).not.toContain("WARNING");
  const { key } = JSON.parse(readFileSync(cacheFile, "utf8"));
  writeFileSync(cacheFile, JSON.stringify({ key, template: "of last time" }));
  expect(await synthesizeTemplate(config, folder)).toBe("of last time");
  const other = { ...config, merchants: ["shop-1", "shop-2"] };
  expect(await synthesizeTemplate(other, folder)).toHaveProperty("Resources");
  writeFileSync(cacheFile, "torn");
  expect(await synthesizeTemplate(config, folder)).toEqual(first);
});

test("processes that use the folder at the same time meet nothing but whole templates", async () => {
  const before = JSON.stringify({ key: "of another app", template: "the one before" });
  writeFileSync(cacheFile, before);
  const reader = openSync(cacheFile, "r");
  await synthesizeTemplate(config, folder);
  // Whoever was reading reads on: the new template is another file.
  expect(readFileSync(reader, "utf8")).toBe(before);
  closeSync(reader);
  expect(readdirSync(folder)).toEqual(["template.json"]);
});

test("every module that the template is made by counts as part of the app", () => {
  const names = templateSources().map((path) => relative(process.cwd(), path));
  const near = [
    "infra/paycast-stack.ts",
    "infra/storage/tables.ts",
    "infra/config/config-schema.ts",
  ];
  const far = [
    "infra/config/subscriber-config.ts",
    "shared/timing.ts",
    "shared/errors/paycast-error.ts",
  ];
  expect(names).toEqual(expect.arrayContaining([...near, ...far]));
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => name.startsWith("tools/contract/packages"))).toEqual([]);
});

test("functions in it are the very bundles that are built, not copies", async () => {
  const { Resources } = (await synthesizeTemplate(config, folder)) as {
    Resources: Record<string, { Type: string; Metadata: object }>;
  };
  const functions = Object.values(Resources).filter(({ Type }) => Type === "AWS::Lambda::Function");
  expect(functions.length).toBeGreaterThan(0);
  for (const { Metadata } of functions) {
    const path = String((Metadata as Record<string, unknown>)["aws:asset:path"]);
    expect(isAbsolute(path)).toBe(true);
    expect(path).toMatch(/\.build\/[a-z-]+$/);
  }
});
