import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { beforeAll, describe, expect, test } from "vitest";
import { functionNames } from "../../../infra/config/function-names.ts";
import { productionSbom, shippedSbom } from "../../../infra/dependencies/sbom.ts";
import { shippedParts } from "../../../infra/dependencies/shipped-parts.ts";
import type { ShippedPart } from "../../../infra/packages/construct/bundle-parts.ts";
import { bundledPackages } from "../../../infra/packages/construct/bundled-packages.ts";
import packageJson from "../../../package.json" with { type: "json" };

interface Sbom {
  readonly metadata: { readonly component: { readonly "bom-ref": string } };
  readonly components: readonly {
    readonly type: string;
    readonly name: string;
    readonly version: string;
    readonly scope?: string;
    readonly "bom-ref": string;
    readonly hashes?: readonly { readonly content: string }[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: string[] }[];
}

/** The fields of CycloneDX 1.6 that we write, as its specification limits them. */
const license = {
  oneOf: [
    {
      required: ["license"],
      properties: { license: { required: ["id"], properties: { id: { pattern: "^[\\w.-]+$" } } } },
      additionalProperties: false,
    },
    { required: ["expression"], properties: { expression: {} }, additionalProperties: false },
  ],
};
const component = {
  type: "object",
  required: ["type", "name", "version", "bom-ref"],
  properties: {
    type: { enum: ["application", "library"] },
    "bom-ref": { type: "string", minLength: 1 },
    name: { type: "string", minLength: 1 },
    version: { type: "string", minLength: 1 },
    scope: { enum: ["required", "optional", "excluded"] },
    purl: { pattern: "^pkg:npm/(%40[\\w.-]+/)?[\\w.-]+@\\d+\\.\\d+\\.\\d+$" },
    licenses: { type: "array", items: license },
    hashes: {
      type: "array",
      items: { properties: { alg: { const: "SHA-512" }, content: { pattern: "^[0-9a-f]{128}$" } } },
    },
  },
  additionalProperties: false,
};
const schema = {
  type: "object",
  required: ["$schema", "bomFormat", "specVersion", "serialNumber", "version", "metadata"],
  properties: {
    $schema: { const: "http://cyclonedx.org/schema/bom-1.6.schema.json" },
    bomFormat: { const: "CycloneDX" },
    specVersion: { const: "1.6" },
    serialNumber: {
      pattern: "^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
    },
    version: { type: "integer", minimum: 1 },
    metadata: {
      required: ["timestamp", "component"],
      properties: { timestamp: { format: "date-time" }, component },
      additionalProperties: false,
    },
    components: { type: "array", items: component, uniqueItems: true },
    dependencies: {
      type: "array",
      items: {
        required: ["ref"],
        properties: { ref: {}, dependsOn: { type: "array", uniqueItems: true } },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
};
const ajv = new Ajv({ strict: false });
formats.default(ajv);
const validate = ajv.compile(schema);

const paycast = `pkg:npm/paycast@${packageJson.version}`;
const now = new Date("2026-11-15T12:00:00Z");
const lock = JSON.parse(readFileSync("package-lock.json", "utf8")).packages;
let parts: ShippedPart[];
let shipped: Sbom;
let production: Sbom;
beforeAll(async () => {
  parts = await shippedParts();
  shipped = shippedSbom(parts, now) as Sbom;
  production = productionSbom(now) as Sbom;
}, 120_000);

const needsOf = (sbom: Sbom, ref: string) =>
  sbom.dependencies.find((one) => one.ref === ref)!.dependsOn;

describe.each(["shipped", "production"])("the %s bill of materials", (kind) => {
  const sbom = () => (kind === "shipped" ? shipped : production);

  test("is a CycloneDX document", () => {
    expect(validate(sbom()), JSON.stringify(validate.errors)).toBe(true);
    expect(sbom().metadata).toMatchObject({
      timestamp: "2026-11-15T12:00:00.000Z",
      component: { name: "paycast", version: packageJson.version },
    });
  });

  test("has one entry for each reference, and no reference that leads nowhere", () => {
    const refs = [sbom().metadata.component, ...sbom().components].map((one) => one["bom-ref"]);
    expect(new Set(refs).size).toBe(refs.length);
    expect(sbom().dependencies.map(({ ref }) => ref)).toEqual(refs);
    for (const { dependsOn } of sbom().dependencies) {
      for (const ref of dependsOn) expect(refs).toContain(ref);
    }
  });

  test("has the hash that npm checks when it installs a package", () => {
    const zod = sbom().components.find(({ name }) => name === "zod")!;
    const bytes = Buffer.from(zod.hashes![0]!.content, "hex").toString("base64");
    expect(`sha512-${bytes}`).toBe(lock["node_modules/zod"].integrity);
  });
});

describe("the shipped bill of materials", () => {
  test("names each bundle with exactly the packages that are in it", () => {
    const names = [
      "construct",
      "cli",
      "console",
      ...functionNames.map((one) => `functions/${one}`),
    ];
    expect([...needsOf(shipped, paycast)].sort()).toEqual([...names].sort());
    for (const { name, content } of parts) {
      const packages = bundledPackages(content).map((one) => `${one.name}@${one.version}`);
      const listed = needsOf(shipped, name).map((ref) =>
        ref.replace("pkg:npm/", "").replace("%40", "@"),
      );
      expect(listed.sort(), name).toEqual(packages.sort());
    }
    expect(needsOf(shipped, "console")).toEqual([
      `pkg:npm/preact@${packageJson.dependencies.preact}`,
    ]);
  });

  test("has no package that is only installed", () => {
    const names = shipped.components.map(({ name }) => name);
    for (const name of ["aws-cdk-lib", "esbuild", "tsx", "vitest"])
      expect(names).not.toContain(name);
  });
});

describe("the production bill of materials", () => {
  test("has every package that npm ci --omit=dev installs, on any platform, and no other", () => {
    const installed = Object.entries<{ dev?: boolean; version: string }>(lock)
      .filter(([path, { dev }]) => path !== "" && !dev)
      .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")}@${version}`);
    const listed = production.components.map(({ name, version }) => `${name}@${version}`);
    expect(listed.sort()).toEqual([...new Set(installed)].sort());
  });

  test("marks what is installed on one platform only", () => {
    const scopeOf = (name: string) => production.components.find((one) => one.name === name)!.scope;
    expect(scopeOf("@dynoxide/linux-x64")).toBe("optional");
    expect(scopeOf("@esbuild/darwin-arm64")).toBe("optional");
    expect(scopeOf("esbuild")).toBe("required");
  });

  test("tells which package needs which, also of packages inside another package's tarball", () => {
    const needs = (name: string) =>
      needsOf(production, production.components.find((one) => one.name === name)!["bom-ref"]);
    expect(needs("aws-cdk-lib").join()).toContain("pkg:npm/minimatch@");
    expect(needs("minimatch").join()).toContain("pkg:npm/brace-expansion@");
    expect(needsOf(production, paycast).length).toBe(
      Object.keys({ ...packageJson.dependencies, ...packageJson.optionalDependencies }).length,
    );
  });
});
