import { randomUUID } from "node:crypto";
import * as z from "zod";
import { PaycastError } from "../../../shared/paycast-error.ts";
import type { ShippedPart } from "../packages/bundles.ts";
import { bundledPackages } from "./bundled-packages.ts";

/** What this reads of a CycloneDX document. A package may be installed twice, in two versions. */
const billSchema = z.looseObject({
  metadata: z.looseObject({
    component: z.looseObject({ "bom-ref": z.string(), version: z.string() }),
  }),
  components: z.array(
    z.looseObject({ "bom-ref": z.string(), name: z.string(), version: z.string() }),
  ),
});

type Bill = z.infer<typeof billSchema>;

/**
 * What the package `paycast` and the deployed functions contain: each bundle, and the packages of which something is in
 * it. Their entries are taken from the bill of what is installed. Throws `bundle-failed` if that does not know one.
 */
export function shippedBill(installed: unknown, parts: readonly ShippedPart[]): Bill {
  const { metadata, components, ...head } = billSchema.parse(installed);
  const { "bom-ref": paycast, version } = metadata.component;
  const needs = parts.map(({ name, content }) => ({
    ref: name,
    dependsOn: referencesTo(content, components),
  }));
  const shipped = new Set(needs.flatMap(({ dependsOn }) => dependsOn));
  const bundles = parts.map(({ name }) => ({
    type: "application",
    "bom-ref": name,
    name,
    version,
  }));
  return {
    ...head,
    serialNumber: `urn:uuid:${randomUUID()}`,
    metadata,
    components: [...bundles, ...components.filter((one) => shipped.has(one["bom-ref"]))],
    dependencies: [{ ref: paycast, dependsOn: parts.map(({ name }) => name) }, ...needs],
  };
}

function referencesTo(content: readonly string[], components: Bill["components"]): string[] {
  const references = bundledPackages(content).map(({ name, version }) => {
    const found = components.find((one) => fullName(one) === name && one.version === version);
    if (found !== undefined) return found["bom-ref"];
    const message = `${name} ${version} is in a bundle, but not in the bill of what is installed`;
    throw new PaycastError("bundle-failed", message);
  });
  return [...new Set(references)].sort();
}

/** CycloneDX has the scope of a package beside its name. */
function fullName({ group, name }: Bill["components"][number]): string {
  return typeof group === "string" ? `${group}/${name}` : name;
}
