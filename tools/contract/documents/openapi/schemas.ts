import { problemDescriptions, problemKinds } from "../../../../shared/storefront/problem-kinds.ts";
import { describedSchemas, type JsonSchema } from "../json-schema.ts";
import { table } from "../markdown-table.ts";
import { fieldNotes } from "./field-notes.ts";
import { namedSchemas, problemType } from "./named-schemas.ts";

/** Every kind of problem, as a table in Markdown. */
export function problemTable(): string {
  const rows = problemKinds.map((kind) => {
    const { status, when, whatToDo } = problemDescriptions[kind];
    return [`\`${problemType(kind)}\``, String(status), when, whatToDo];
  });
  return table(["`type`", "status", "when", "what to do"], rows);
}

export type SchemaName = keyof typeof namedSchemas;

export const reference = (name: SchemaName) => ({ $ref: `#/components/schemas/${name}` });

/** As JSON Schema, with a description of each field. */
export function componentSchemas(): Record<string, JsonSchema> {
  return describedSchemas(namedSchemas, "#/components/schemas/", fieldNotes);
}
