import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { functionNames } from "../../../infra/config/function-names.ts";
import packageJson from "../../../package.json" with { type: "json" };
import {
  bundledPackages,
  noticesFor,
} from "../../../tools/contract/dependencies/bundled-packages.ts";
import { mayBeInstalled, shippedLicences } from "../../../tools/contract/dependencies/licences.ts";
import { shippedBill } from "../../../tools/contract/dependencies/shipped-bill.ts";
import { dependencyDocuments, reasons } from "../../../tools/contract/dependencies/tables.ts";
import { root, type ShippedPart, shippedParts } from "../../../tools/contract/packages/bundles.ts";
import { folderInside } from "../../setup/temporary-folder.ts";

const direct: Record<string, string> = {
  ...packageJson.dependencies,
  ...packageJson.devDependencies,
  ...packageJson.optionalDependencies,
};
const notices = readFileSync("THIRD-PARTY-NOTICES.txt", "utf8");
const sections = notices.split(`\n${"-".repeat(80)}\n\n`).slice(1);
let parts: ShippedPart[];
beforeAll(async () => {
  parts = await shippedParts();
});

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

test.each(["docs/dependencies.md", "THIRD-PARTY-NOTICES.txt"])(
  "%s is what the bundles and licences say now; if not, run npm run docs",
  (path) => {
    expect(readFileSync(path, "utf8")).toBe(dependencyDocuments(parts).get(path));
  },
);

test("each direct dependency has a reason", () => {
  expect(Object.keys(reasons).sort()).toEqual(Object.keys(direct).sort());
});

test("the licence of everything that is shipped may be passed on", () => {
  const packages = packagesOf(...parts);
  expect(packages.length).toBeGreaterThan(20);
  for (const { name, licence } of packages) expect(shippedLicences, name).toContain(licence);
});

test.each([
  ["MIT", true],
  ["(MIT OR GPL-3.0-only)", true],
  ["GPL-3.0-only OR MIT AND ISC", true],
  ["MIT AND GPL-3.0-only", false],
  ["(MIT AND ISC)", true],
  ["GPL-3.0-only AND (ISC OR MIT OR 0BSD)", false],
  ["MIT-Modern-Variant", false],
  ["MIT*", false],
  ["", false],
  [undefined, false],
  [["MIT", "GPL-3.0-only"], false],
])("a package under %j may be installed: %j", (licence, expected) => {
  expect(mayBeInstalled(licence)).toBe(expected);
});

describe("the shipped bill of materials", () => {
  const component = { type: "application", "bom-ref": "paycast@1", name: "paycast", version: "1" };
  /** As cyclonedx-npm writes it, with a package that no bundle holds. */
  const installed = (left: string[] = []) => ({
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    metadata: { component },
    components: [{ name: "esbuild", version: "1.0.0" }, ...packagesOf(...parts)]
      .filter(({ name }) => !left.includes(name))
      .map(({ name, version }) => {
        const [short = "", group] = name.split("/").reverse();
        const reference = { "bom-ref": `paycast|${name}@${version}` };
        return { type: "library", ...(group && { group }), name: short, version, ...reference };
      }),
  });

  test("names each bundle with exactly the packages that are in it", () => {
    const { components, dependencies, ...head } = shippedBill(installed(), parts);
    expect(head).toMatchObject({ bomFormat: "CycloneDX", serialNumber: /^urn:uuid:/ });
    expect(dependencies).toContainEqual({
      ref: "paycast@1",
      dependsOn: parts.map(({ name }) => name),
    });
    const preact = `paycast|preact@${packageJson.dependencies.preact}`;
    expect(dependencies).toContainEqual({ ref: "console", dependsOn: [preact] });
    const count = new Set(packagesOf(...parts).map(({ name, version }) => name + version)).size;
    expect(components).toHaveLength(parts.length + count);
    expect(components.map(({ name }) => name)).not.toContain("esbuild");
  });

  test("is refused if a bundle holds a package that is not installed", () => {
    expect(() => shippedBill(installed(["zod"]), parts)).toThrow(/^zod .* is in a bundle/);
  });
});

function packagesOf(...some: readonly ShippedPart[]) {
  return bundledPackages(some.flatMap(({ content }) => content));
}

describe("of a bundled package", () => {
  const folder = folderInside("notices");

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

describe("package.json", () => {
  const lock: { packages: Record<string, { hasInstallScript?: boolean }> } = JSON.parse(
    readFileSync("package-lock.json", "utf8"),
  );

  test("has exact versions only, so that an update is always a change that somebody made", () => {
    for (const [name, version] of Object.entries(direct)) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });

  test("brings each package of the AWS SDK once, so that no part of it is bundled twice", () => {
    const names = Object.keys(lock.packages).map((path) => path.split("node_modules/").at(-1)!);
    const parts = names.filter((name) => /^@(aws|aws-sdk|smithy)\//.test(name));
    expect(parts.length).toBeGreaterThan(20);
    expect(parts.toSorted()).toEqual([...new Set(parts)].toSorted());
  });

  test("lets no package run a script when it is installed", () => {
    const wanting = Object.entries(lock.packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => path.replace("node_modules/", ""));
    expect(wanting).toEqual(Object.keys(packageJson.allowScripts));
    expect(Object.values(packageJson.allowScripts)).not.toContain(true);
  });

  test("has the versions that the examples have", () => {
    for (const example of readdirSync("examples", { withFileTypes: true })) {
      const path = `examples/${example.name}/package.json`;
      if (
        !example.isDirectory() ||
        !readdirSync(`examples/${example.name}`).includes("package.json")
      )
        continue;
      const manifest = JSON.parse(readFileSync(path, "utf8"));
      const used = Object.entries<string>({
        ...manifest.dependencies,
        ...manifest.devDependencies,
      });
      for (const [name, version] of used) {
        if (!version.startsWith("file:")) expect(version, `${path} ${name}`).toBe(direct[name]);
      }
    }
  });
});
