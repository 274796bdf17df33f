import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { functionNames } from "../../../infra/config/function-names.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { fillTables, table } from "../documents/markdown-table.ts";
import { root, type ShippedPart } from "../packages/bundles.ts";
import { type BundledPackage, bundledPackages, noticesFor } from "./bundled-packages.ts";
import { installedLicences, shippedLicences } from "./licences.ts";

const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ license: z.unknown() })),
});

const page = "docs/dependencies.md";

/** Every file that follows from the dependencies: its path in the repository, and its text. */
export function dependencyDocuments(parts: readonly ShippedPart[]): ReadonlyMap<string, string> {
  const text = readFileSync(join(root, page), "utf8");
  const packages = bundledPackages(parts.flatMap(({ content }) => content));
  const tables = {
    direct: directTable(),
    shipped: shippedTable(packages, parts),
    licences: licenceTable(),
  };
  return new Map([
    [page, fillTables(text, tables)],
    ["THIRD-PARTY-NOTICES.txt", noticesFor(packages)],
  ]);
}

/** What people call a part of the package. */
const partNames: Readonly<Record<string, string>> = {
  cli: "the command",
  console: "the console's page",
  construct: "the construct",
};

type Holders = ReadonlyMap<string, readonly string[]>;

/** The parts that hold something of a package, by the package's name. */
function holdersIn(parts: readonly ShippedPart[]): Holders {
  const holders = new Map<string, string[]>();
  for (const { name: part, content } of parts) {
    for (const { name } of bundledPackages(content)) {
      holders.set(name, [...(holders.get(name) ?? []), part]);
    }
  }
  return holders;
}

/** Each package of package.json: its licence, and why it is there. */
function directTable(): string {
  const { dependencies, devDependencies, optionalDependencies } = packageJson;
  const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  // Not from node_modules, where optional packages for other platforms are missing.
  const lock = lockSchema.parse(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")));
  const rows = names.sort().map((name) => {
    const { license } = lock.packages[`node_modules/${name}`] ?? {};
    return [code(name), String(license), reasons[name] ?? "unknown"];
  });
  return table(["package", "licence", "why"], rows);
}

/** Each package that contributes to what is shipped, with the parts that hold it. */
function shippedTable(packages: readonly BundledPackage[], parts: readonly ShippedPart[]): string {
  const licences = new Map(packages.map(({ name, licence }) => [name, licence]));
  const holders = holdersIn(parts);
  const rows = [...licences]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, licence]) => [code(name), licence, shippedIn(holders.get(name) ?? []).join(", ")]);
  return table(["package", "licence", "is in"], rows);
}

function shippedIn(holders: readonly string[]): string[] {
  const functions = functionNames.filter((name) => holders.includes(`functions/${name}`));
  const rest = holders.flatMap((part) => partNames[part] ?? []).sort();
  if (functions.length === 0) return rest;
  const all = functions.length === functionNames.length;
  return [all ? "all functions" : functions.map(code).join(", "), ...rest];
}

/** The licences that are allowed, and for what. */
function licenceTable(): string {
  const rows = [...installedLicences]
    .sort()
    .map((licence) => [code(licence), shippedLicences.includes(licence) ? "yes" : "no", "yes"]);
  return table(["licence", "may be shipped", "may be installed"], rows);
}

const code = (text: string) => `\`${text}\``;

/** Why each package of package.json is there. A test fails if one is missing here, or no longer in package.json. */
export const reasons: Readonly<Record<string, string>> = {
  "@aws-sdk/client-cloudformation": "finds a deployed stack and its outputs",
  "@aws-sdk/client-cloudwatch": "reads alarms and metrics of a deployed stack",
  "@aws-sdk/client-cloudwatch-logs": "reads log lines, and writes the audit line of a change",
  "@aws-sdk/client-dynamodb": "records, orders and payments",
  "@aws-sdk/client-lambda": "checks the functions of a deployed stack",
  "@aws-sdk/client-secrets-manager": "the merchants' keys",
  "@aws-sdk/client-sqs": "inbox, subscribers' queues, dead letters",
  "@aws-sdk/client-sts": "tells who makes a change, for the audit line",
  "@biomejs/biome": "formats and lints",
  "@dynoxide/linux-x64":
    "the DynamoDB emulator; optional, since it is a program for one platform. Others fetch theirs at the first start",
  "@redocly/cli": "checks the OpenAPI and the AsyncAPI document",
  "@smithy/signature-v4": "the example shop signs its calls for an API with IAM",
  "@types/aws-lambda": "types of Lambda's events",
  "@types/big.js": "types of big.js",
  "@types/node": "types of Node",
  ajv: "holds events and documents against their JSON Schemas",
  "ajv-formats": "dates and URIs in those schemas",
  "alipay-sdk": "a callback verified by another SDK, to compare speed",
  "aws-cdk": "the `cdk` command, for `npx cdk deploy`",
  "aws-cdk-lib": "the stack; an app that uses the package brings its own",
  "axe-core": "finds what people with disabilities could not use in the pages",
  "big.js": "a second opinion about exact amounts",
  "cdk-nag": "reviews the template against AWS's rules of security",
  cloudevents: "reads our events as another team's code would",
  constructs: "the base of aws-cdk-lib",
  esbuild: "bundles the functions, the page and the packages",
  "fast-check": "property tests",
  knip: "finds unused code and packages",
  "playwright-core": "drives a browser",
  preact: "draws the console",
  tsx: "runs the TypeScript sources without a build",
  typescript: "checks types, and writes the packages' declarations",
  vite: "vitest is made of it",
  vitest: "runs the tests",
  "wechatpay-node-v3": "a callback verified by another SDK, to compare speed",
  zod: "checks everything that comes in",
};
