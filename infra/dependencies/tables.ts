import packageJson from "../../package.json" with { type: "json" };
import { functionNames } from "../config/function-names.ts";
import type { ShippedPart } from "../packages/construct/bundle-parts.ts";
import { bundledPackages } from "../packages/construct/bundled-packages.ts";
import { table } from "../schemas/markdown-table.ts";
import { places, reasons } from "./direct-dependencies.ts";
import { installedLicences, shippedLicences } from "./licences.ts";
import { lockedPackages } from "./lock-file.ts";

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

/** Each package of package.json: its licence, where it runs, and why it is there. */
export function directTable(parts: readonly ShippedPart[]): string {
  const { dependencies, devDependencies, optionalDependencies } = packageJson;
  const names = Object.keys({
    ...dependencies,
    ...devDependencies,
    ...optionalDependencies,
  }).sort();
  const licences = new Map(lockedPackages().map(({ path, licence }) => [path, licence]));
  const holders = holdersIn(parts);
  const rows = names.map((name) => {
    const licence = licences.get(`node_modules/${name}`) ?? "unknown";
    return [code(name), licence, runsIn(name, holders), reasons[name] ?? "unknown"];
  });
  return table(["package", "licence", "runs in", "why"], rows);
}

function runsIn(name: string, holders: Holders): string {
  const shipped = shippedIn(holders.get(name) ?? []);
  const rest = Object.entries(places).flatMap(([place, names]) =>
    names.includes(name) ? place : [],
  );
  return [...shipped, ...rest].join(", ");
}

/** Each package of which something is shipped, with the parts that hold it. */
export function shippedTable(parts: readonly ShippedPart[]): string {
  const packages = bundledPackages(parts.flatMap(({ content }) => content));
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
export function licenceTable(): string {
  const rows = [...installedLicences]
    .sort()
    .map((licence) => [code(licence), shippedLicences.includes(licence) ? "yes" : "no", "yes"]);
  return table(["licence", "may be shipped", "may be installed"], rows);
}

const code = (text: string) => `\`${text}\``;
