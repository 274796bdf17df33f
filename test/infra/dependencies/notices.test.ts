import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { functionNames } from "../../../infra/config/function-names.ts";
import { shippedParts } from "../../../infra/dependencies/shipped-parts.ts";
import type { ShippedPart } from "../../../infra/packages/construct/bundle-parts.ts";
import { bundledPackages } from "../../../infra/packages/construct/bundled-packages.ts";
import { noticesFor } from "../../../infra/packages/construct/notices.ts";
import { root } from "../../../infra/packages/construct/package-files.ts";

const notices = readFileSync("THIRD-PARTY-NOTICES.txt", "utf8");
const sections = notices.split(`\n${"-".repeat(80)}\n\n`).slice(1);
let parts: ShippedPart[];
beforeAll(async () => {
  parts = await shippedParts();
}, 120_000);

describe("the notices", () => {
  test("have each package once, with its version and a text that grants its licence", () => {
    const grants = {
      MIT: "Permission is hereby granted, free of charge",
      "Apache-2.0": "Grant of Copyright License",
    };
    for (const { name, version, licence } of packagesOf(...parts)) {
      const title = `${name} ${version} (${licence})`;
      const [section = "", another] = sections.filter((one) => one.split("\n").includes(title));
      const words = section.replace(/\s+/g, " ");
      expect(words, title).toContain(grants[licence as keyof typeof grants]);
      expect(another, title).toBeUndefined();
    }
    const titles = sections.flatMap((one) => one.split("\n\n")[0]!.split("\n"));
    expect(titles.length).toBe(packagesOf(...parts).length);
  });

  test("have every package that a source map of a deployed function names", () => {
    for (const name of functionNames) {
      const map = JSON.parse(readFileSync(join(root, ".build/maps", `${name}.mjs.map`), "utf8"));
      const mapped = map.sources.flatMap(
        (source: string) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? [],
      );
      expect(mapped.length).toBeGreaterThan(50);
      const part = parts.find((one) => one.name === `functions/${name}`)!;
      const listed = packagesOf(part).map((one) => one.name);
      expect(listed.sort(), name).toEqual([...new Set(mapped)].sort());
      for (const one of listed) expect(notices).toContain(`\n${one} `);
    }
  });

  test("are about the functions, the command, the console's page and the construct", () => {
    const names = functionNames.map((name) => `functions/${name}`);
    expect(parts.map(({ name }) => name)).toEqual(["construct", "cli", "console", ...names]);
    for (const part of parts) expect(packagesOf(part).length, part.name).toBeGreaterThan(0);
  });
});

function packagesOf(...some: readonly ShippedPart[]) {
  return bundledPackages(some.flatMap(({ content }) => content));
}

describe("of a bundled package", () => {
  mkdirSync(join(root, ".build"), { recursive: true });
  const folder = mkdtempSync(join(root, ".build", "notices-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  function install(name: string, manifest: object, files: Record<string, string>): string {
    const path = join(folder, "node_modules", name);
    mkdirSync(path, { recursive: true });
    const content = JSON.stringify({ name, version: "1.0.0", license: "MIT", ...manifest });
    writeFileSync(join(path, "package.json"), content);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
    return relative(root, join(path, "index.js"));
  }

  const noticesOf = (...files: string[]) => noticesFor(bundledPackages(files));

  test("every licence text and its NOTICE file are there", () => {
    const both = { "LICENSE-MIT": "the MIT text\n", "LICENCE-APACHE": "the Apache text\n" };
    const file = install("dual", { license: "MIT OR Apache-2.0" }, { ...both, NOTICE: "by Dual" });
    const text = noticesOf(file);
    for (const part of ["the MIT text", "the Apache text", "by Dual"]) expect(text).toContain(part);
    expect(text).toContain("dual 1.0.0 (MIT OR Apache-2.0)\n");
  });

  test("two packages with one text, but for its spaces, share it", () => {
    const one = install("one", {}, { LICENSE: "the same\n  text" });
    const two = install("@scope/two", {}, { "license.md": "the same text\n" });
    expect(noticesOf(one, two).match(/the same/g)).toHaveLength(1);
    expect(noticesOf(one, two)).toContain("@scope/two 1.0.0 (MIT)\none 1.0.0 (MIT)\n");
  });

  test("without a licence file, the text of another package of its repository is taken", () => {
    const repository = { type: "git", url: "https://git.example/many.git" };
    const bare = install("bare", { repository }, {});
    const sister = install("sister", { repository }, { LICENSE: "the text of many" });
    expect(noticesOf(bare, sister)).toContain("bare 1.0.0 (MIT)\nsister 1.0.0 (MIT)\n\nthe text");
  });

  test("without a licence file anywhere, packing is refused", () => {
    const other = install("other", {}, { LICENSE: "text of another owner" });
    const alone = install("alone", { repository: "https://git.example/alone" }, {});
    const nowhere = install("nowhere", {}, {});
    expect(() => noticesOf(other, alone)).toThrow(/alone 1\.0\.0 \(MIT\) has no licence file/);
    expect(() => noticesOf(other, nowhere)).toThrow(/nowhere 1\.0\.0 \(MIT\) has no licence file/);
  });
});
