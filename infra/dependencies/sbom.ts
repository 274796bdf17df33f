import packageJson from "../../package.json" with { type: "json" };
import type { ShippedPart } from "../packages/construct/bundle-parts.ts";
import { bundledPackages } from "../packages/construct/bundled-packages.ts";
import { type Component, cyclonedx, libraryOf, purlOf, type SbomEntry } from "./cyclonedx.ts";
import {
  closureOf,
  type LockedPackage,
  lockedPackages,
  needsOf,
  productionNames,
} from "./lock-file.ts";

const { name, version, license } = packageJson;

const paycast: Component = {
  type: "application",
  "bom-ref": purlOf({ name, version }),
  name,
  version,
  licenses: [{ license: { id: license } }],
};

/** What the package `paycast` and the deployed functions contain: each bundle, with the packages that are in it. */
export function shippedSbom(parts: readonly ShippedPart[], now: Date): object {
  const entries = parts.map(partEntry);
  const subject = {
    component: paycast,
    needs: entries.map(({ component }) => component["bom-ref"]),
  };
  const inside = new Set(parts.flatMap(({ content }) => bundledPackages(content)).map(pathOf));
  const libraries = lockedPackages().filter(({ path }) => inside.has(path));
  return cyclonedx(subject, [...entries, ...libraryEntries(libraries)], now);
}

function partEntry({ name: part, content }: ShippedPart): SbomEntry {
  const component: Component = { type: "application", "bom-ref": part, name: part, version };
  return { component, needs: bundledPackages(content).map(purlOf) };
}

/** What a machine has on which somebody runs `npm ci --omit=dev`: all of it, also what no bundle contains. */
export function productionSbom(now: Date): object {
  const locked = lockedPackages();
  const direct = locked.filter(({ path }) =>
    productionNames.some((one) => path === `node_modules/${one}`),
  );
  const subject = { component: paycast, needs: direct.map(purlOf) };
  return cyclonedx(subject, libraryEntries([...closureOf(productionNames, locked)]), now);
}

/** One entry for each package and version, however often it is installed. Only packages of the list are named as needs. */
function libraryEntries(packages: readonly LockedPackage[]): SbomEntry[] {
  const all = new Map(packages.map((one) => [one.path, one]));
  const entries = new Map<string, SbomEntry>();
  for (const one of packages) {
    const component = libraryOf(one);
    const others = entries.get(component["bom-ref"])?.needs ?? [];
    const needs = [...others, ...needsOf(one, all).map(purlOf)];
    entries.set(component["bom-ref"], { component, needs });
  }
  return [...entries.values()];
}

const pathOf = ({ path }: { readonly path: string }) => path;
