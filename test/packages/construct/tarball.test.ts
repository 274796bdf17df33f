import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { functionNames } from "../../../infra/config/function-names.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { temporaryFolder } from "../../setup/temporary-folder.ts";
import {
  examplesIn,
  exportsWithoutExample,
  withoutComments,
} from "../../tools/contract/doc-examples.ts";
import { root, usePackage } from "./installed-package.ts";

const packed = usePackage();
const folder = temporaryFolder("unpacked");
beforeAll(() => {
  execFileSync("tar", ["xzf", packed.tarball(), "--strip-components=1", "-C", folder]);
});

const read = (name: string) => readFileSync(join(folder, name), "utf8");
const files = () =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();

const declarations = [
  "alarm-rules",
  "index",
  "paycast",
  "paycast-alarm",
  "paycast-config",
  "paycast-props",
];

/** The line of a package in the notices: its name and version. */
const titleOf = (name: string) => new RegExp(`^${name} \\d`, "m");

describe("the tarball", () => {
  test("holds the construct, its types, the functions, the command, its page and the documents, and nothing else", () => {
    const isCommandPart = (name: string) => /^cli\/part-[A-Z0-9]{8}\.js$/.test(name);
    const isDocument = (name: string) => /^docs\/([\w-]+\/){0,2}[\w.-]+\.(md|json|svg)$/.test(name);
    const rest = files().filter((name) => !isCommandPart(name) && !isDocument(name));
    expect(rest).toEqual(
      [
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "SECURITY.md",
        "THIRD-PARTY-NOTICES.txt",
        "package.json",
        "cli/paycast.js",
        "console/index.html",
        "console/page.css",
        "console/page.js",
        "construct/index.cjs",
        "construct/index.js",
        ...declarations.flatMap((name) => [`construct/${name}.d.cts`, `construct/${name}.d.ts`]),
        ...functionNames.map((name) => `functions/${name}/index.mjs`),
      ].sort(),
    );
  });

  test("names no path of the machine that packed it", () => {
    const home = homedir();
    for (const name of files()) {
      const text = read(name);
      for (const path of [root, tmpdir(), ...(home === "/" ? [] : [`${home}/`])]) {
        expect(text.includes(path), `${name} names ${path}`).toBe(false);
      }
    }
  });

  test("holds no private key and no key of AWS", () => {
    for (const name of files()) {
      // Documents show the first line of a PEM, code looks for it: a key has lines of base64 after it.
      expect(read(name), name).not.toMatch(/PRIVATE KEY-----\\?\s*(\\n)?[A-Za-z0-9+/]{60}/);
      expect(read(name), name).not.toMatch(/\b(AKIA|ASIA)[A-Z0-9]{16}\b/);
    }
  });

  test("has types that need the CDK and nothing else", () => {
    for (const name of files().filter((file) => /\.d\.c?ts$/.test(file))) {
      const imports = [...withoutComments(read(name)).matchAll(/from "([^".][^"]*)"/g)].map(
        ([, from]) => from,
      );
      for (const from of imports) expect(from).toMatch(/^(aws-cdk-lib|constructs)(\/|$)/);
    }
  });

  test("has a doc comment on each prop, for editors", () => {
    const text = read("construct/paycast-config.d.ts");
    const props = [...text.matchAll(/^ *readonly (\w+)\??:/gm)];
    expect(props.length).toBeGreaterThan(35);
    for (const { index, 1: name } of props) {
      const before = text.slice(0, index).trimEnd();
      if (name !== "origins") expect(before.endsWith("*/"), name).toBe(true);
    }
  });

  test("has an example on the construct, its method and its alarms, for editors", () => {
    const declarations = ["paycast", "paycast-alarm"].map((name) => read(`construct/${name}.d.ts`));
    expect(declarations.flatMap(exportsWithoutExample)).toEqual([]);
    expect(declarations.flatMap(examplesIn)).toHaveLength(3);
  });

  test("needs no package but the CDK, of which an app has one", () => {
    const manifest = JSON.parse(read("package.json"));
    expect(manifest).not.toHaveProperty("dependencies");
    expect(manifest).not.toHaveProperty("scripts");
    expect(Object.keys(manifest.peerDependencies)).toEqual(["aws-cdk-lib", "constructs"]);
    expect(manifest).toMatchObject({ name: "paycast", version: packageJson.version });
    expect(manifest).not.toHaveProperty("private");
  });

  test("has the licence text of every package that a deployed function contains", () => {
    const notices = read("THIRD-PARTY-NOTICES.txt");
    for (const name of functionNames) {
      const map = JSON.parse(readFileSync(join(root, ".build/maps", `${name}.mjs.map`), "utf8"));
      const mapped: string[] = map.sources.flatMap(
        (source: string) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? [],
      );
      expect(mapped.length).toBeGreaterThan(50);
      for (const bundled of new Set(mapped)) expect(notices).toMatch(titleOf(bundled));
    }
    for (const bundled of ["preact", "bowser", "@aws-sdk/client-sts"]) {
      expect(notices).toMatch(titleOf(bundled));
    }
    expect(notices).toContain("Permission is hereby granted, free of charge");
    expect(notices).toContain("Grant of Copyright License");
  });

  test("has no second copy of the code for ESM: the module only names the exports of the other", () => {
    expect(read("construct/index.js")).toMatch(/^export \{ [\w, ]+ \} from "\.\/index\.cjs";\n$/);
  });

  test("has documents whose links lead somewhere", () => {
    const dead = files()
      .filter((name) => name.endsWith(".md"))
      .flatMap((name) =>
        [...read(name).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
          .map(([, link = ""]) => join(dirname(name), link))
          .filter((link) => !files().some((file) => file === link || file.startsWith(`${link}/`)))
          .map((link) => `${name}: ${link}`),
      );
    expect(dead).toEqual([]);
  });

  test("is small", () => {
    // Six functions, most of it their AWS clients: five of them read a secret, four the tables.
    expect(statSync(packed.tarball()).size).toBeLessThan(1_250_000);
  });
});
