import * as z from "zod";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";

/** The part of JSON Schema that the config, the events and the API need. */
export interface JsonSchema {
  readonly $schema?: string;
  readonly $id?: string;
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
  readonly const?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly examples?: readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly not?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | false;
  readonly required?: readonly string[];
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  /** Of a field of the config: what holds without it, in words. */
  readonly without?: string;
  /** Of a field of the config: where the documents say more. */
  readonly more?: string;
}

type FieldTexts = Readonly<Record<string, string>>;
type NamedSchemas = Readonly<Record<string, z.core.$ZodType>>;

/** What each field of each schema means: the compiler finds a field without a text, and a text without its field. */
export type Notes<Named extends NamedSchemas> = {
  readonly [Name in keyof Named]: { readonly [Field in NamedField<Named[Name]>]-?: string };
};

/** Without the index of a loose object, which would allow any name. */
type NamedField<Schema extends z.core.$ZodType> = keyof {
  [Field in keyof z.core.input<Schema> as string extends Field ? never : Field]: unknown;
};

/** zod's schemas as JSON Schemas that reference each other by name below a path, with a description of each field. */
export function describedSchemas(
  named: NamedSchemas,
  path: string,
  notes: Readonly<Record<string, FieldTexts>>,
): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io: "input",
    uri: (id) => path + id,
    override: ({ zodSchema, jsonSchema }) => {
      Object.assign(jsonSchema, z.globalRegistry.get(zodSchema));
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, made]) => [name, describe(name, made, notes[name])]),
  );
}

function describe(name: string, made: object, texts: FieldTexts = {}): JsonSchema {
  const { $schema: _schema, $id: _id, ...schema }: JsonSchema = made;
  const fields = Object.entries(schema.properties ?? {}).map(([field, property]) => [
    field,
    { description: textOf(`${name}.${field}`, texts[field]), ...property },
  ]);
  return { ...schema, properties: Object.fromEntries(fields) };
}

/** A document would silently omit a text that is missing. Throws `local-text-missing`. */
export function textOf(name: string, text: string | undefined): string {
  if (text !== undefined) return text;
  throw new PaycastError("local-text-missing", `${name} has no description.`);
}

/** The name at the end of a reference. */
export function nameIn(reference: string): string {
  return reference.replace(/^.*\//, "");
}

/** The values that are known, if there may be others. */
const openEnd = "(string & {})";

/** As TypeScript. `inner` writes an object with fields. */
export function typeOf(schema: JsonSchema, inner: (schema: JsonSchema) => string): string {
  const deeper = (inside: JsonSchema) => typeOf(inside, inner);
  const { $ref, anyOf, items, examples, additionalProperties: values } = schema;
  if ($ref !== undefined) return nameIn($ref);
  if (anyOf !== undefined) return [...new Set(anyOf.map(deeper))].join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return unionOf(schema.enum);
  if (items !== undefined) return `readonly ${deeper(items)}[]`;
  if (schema.properties !== undefined) return inner(schema);
  if (values) return `Readonly<Record<string, ${deeper(values)}>>`;
  if (examples !== undefined) return `${unionOf(examples)} | ${openEnd}`;
  return schema.type === "integer" ? "number" : (schema.type ?? "unknown");
}

function unionOf(values: readonly string[]): string {
  return values.map((value) => JSON.stringify(value)).join(" | ");
}
