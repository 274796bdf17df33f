import { readdirSync, readFileSync } from "node:fs";

/** The fields that can hold a canary, taken from the schemas and from the code, so that a new one is covered at once. */

interface Schema {
  readonly $ref?: string;
  readonly properties?: Record<string, Schema>;
  readonly items?: Schema;
  readonly anyOf?: Schema[];
}

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const openapi: { components: { schemas: Record<string, Schema> } } = JSON.parse(
  read("docs/openapi.json"),
);

function schemaOf(name: string): Schema {
  const schema = openapi.components.schemas[name];
  if (schema === undefined) throw new Error(`docs/openapi.json has no schema ${name}`);
  return schema;
}

/** The fields of the callback envelope (§2.10). */
export const envelopeFields = Object.keys(schemaOf("CallbackEnvelope").properties ?? {});

export type Path = readonly (string | number)[];

/** Every field of the body of POST /orders, containers included. */
export const orderPaths: readonly Path[] = pathsIn(schemaOf("NewOrder"), []);

function pathsIn(schema: Schema, path: Path): Path[] {
  if (schema.$ref) return pathsIn(schemaOf(schema.$ref.split("/").at(-1)!), path);
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    [...path, name],
    ...pathsIn(property, [...path, name]),
  ]);
  const items = schema.items ? pathsIn(schema.items, [...path, 0]) : [];
  // An optional field may be null.
  return [...inner, ...items, ...(schema.anyOf ?? []).flatMap((one) => pathsIn(one, path))];
}

/** The fields of result objects that the code reads by name (§2.9, §2.11, §2.12). */
export const resultFields: readonly string[] = namesIn("shared/facts", [
  /\b(?:idIn|identifier|required|amountField)\(\w+, "(\w+)"/g,
  /\b(?:fields|result)\["(\w+)"\]/g,
  /readDetails\(fields, "(\w+)"/g,
  /\b(?:callback|query): \["(\w+)", "(\w+)"\]/g,
]);

/** All that the patterns find in the sources of a folder. */
function namesIn(folder: string, patterns: readonly RegExp[]): string[] {
  const files = readdirSync(new URL(`${folder}/`, root)).filter((name) => name.endsWith(".ts"));
  const source = files.map((name) => read(`${folder}/${name}`)).join("\n");
  const found = patterns.flatMap((pattern) => [...source.matchAll(pattern)]);
  return [...new Set(found.flatMap(([, ...names]) => names))];
}

/** The members of a union of texts in shared/errors/error-codes.ts. */
export function codesOf(typeName: string): string[] {
  const source = read("shared/errors/error-codes.ts");
  const [, union = ""] = new RegExp(`type ${typeName} =([^;]+);`).exec(source) ?? [];
  return [...union.matchAll(/\| "([\w-]+)"/g)].map(([, code]) => code!);
}
