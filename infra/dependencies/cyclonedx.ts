import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";

/** A component of a CycloneDX 1.6 document. */
export interface Component {
  readonly type: "application" | "library";
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly scope?: "required" | "optional";
  readonly purl?: string;
  readonly licenses?: readonly object[];
  readonly hashes?: readonly object[];
}

/** A component, and the references of the components that it contains or needs. */
export interface SbomEntry {
  readonly component: Component;
  readonly needs: readonly string[];
}

/** A CycloneDX 1.6 document about the subject. */
export function cyclonedx(subject: SbomEntry, entries: readonly SbomEntry[], now: Date): object {
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${randomUUID()}`,
    version: 1,
    metadata: { timestamp: now.toISOString(), component: subject.component },
    components: entries.map(({ component }) => component),
    dependencies: [subject, ...entries].map(({ component, needs }) => ({
      ref: component["bom-ref"],
      dependsOn: [...new Set(needs)].sort(),
    })),
  };
}

interface NpmPackage {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** As in package-lock.json: "sha512-" and base64. */
  readonly integrity: string | undefined;
  readonly isOptional: boolean;
}

export function libraryOf({
  name,
  version,
  licence,
  integrity,
  isOptional,
}: NpmPackage): Component {
  const purl = purlOf({ name, version });
  const scope = isOptional ? "optional" : "required";
  const license = /[ (]/.test(licence) ? { expression: licence } : { license: { id: licence } };
  const rest = { scope, purl, licenses: [license], hashes: hashesOf(integrity) } as const;
  return { type: "library", "bom-ref": purl, name, version, ...rest };
}

/** The package's address in the form that vulnerability databases use. */
export function purlOf({ name, version }: Pick<NpmPackage, "name" | "version">): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** A package inside the tarball of another one has no integrity of its own. */
function hashesOf(integrity: string | undefined): object[] {
  if (!integrity?.startsWith("sha512-")) return [];
  const content = Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex");
  return [{ alg: "SHA-512", content }];
}
