import { readdirSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { places, reasons } from "../../../infra/dependencies/direct-dependencies.ts";
import { dependencyDocuments } from "../../../infra/dependencies/documents.ts";
import { shippedParts } from "../../../infra/dependencies/shipped-parts.ts";
import { fillTables } from "../../../infra/schemas/markdown-table.ts";
import packageJson from "../../../package.json" with { type: "json" };

const { dependencies, devDependencies, optionalDependencies } = packageJson;
const direct: Record<string, string> = {
  ...dependencies,
  ...devDependencies,
  ...optionalDependencies,
};

describe("docs/dependencies.md and THIRD-PARTY-NOTICES.txt", () => {
  let documents: ReadonlyMap<string, string>;
  beforeAll(async () => {
    documents = dependencyDocuments(await shippedParts());
  }, 120_000);

  test.each(["docs/dependencies.md", "THIRD-PARTY-NOTICES.txt"])(
    "%s is what the bundles and licences say now; if not, run npm run docs",
    (path) => {
      expect(readFileSync(path, "utf8")).toBe(documents.get(path));
    },
  );

  test("say of each direct dependency why it is there and where it runs", () => {
    expect(Object.keys(reasons).sort()).toEqual(Object.keys(direct).sort());
    const [, table = ""] = documents.get("docs/dependencies.md")!.split("made table: direct -->");
    const rows = table.split("<!-- end -->")[0]!.match(/^\| `.*$/gm)!;
    expect(rows.length).toBe(Object.keys(direct).length);
    for (const row of rows) expect(row).toMatch(/^\| `\S+` \| [^|]+ \| [^|]+ \| [^|]+ \|$/);
  });

  test("name no package that is gone", () => {
    for (const name of Object.values(places).flat()) expect(direct).toHaveProperty([name]);
  });
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

describe("package.json", () => {
  test("has exact versions only, so that an update is always a change that somebody made", () => {
    for (const [name, version] of Object.entries(direct)) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });

  test("has one version of all AWS clients, so that no part of the SDK is there twice", () => {
    const clients = Object.entries(direct).filter(([name]) => name.startsWith("@aws-sdk/"));
    expect(clients.length).toBeGreaterThan(5);
    expect(new Set(clients.map(([, version]) => version)).size).toBe(1);
  });

  test("lets no package run a script when it is installed", () => {
    const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
    const wanting = Object.entries<{ hasInstallScript?: boolean }>(lock.packages)
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
