import { eventNotes, shapeNotes } from "../documents/events/event-notes.ts";
import { namedShapes, type ShapeName } from "../documents/events/named-shapes.ts";
import { describedSchemas, type JsonSchema } from "../documents/json-schema.ts";

export const reference = (name: ShapeName): JsonSchema => ({ $ref: `#/$defs/${name}` });

/** Stricter rules than the zod schemas, by field name. The functions write no other values. */
const limits: Readonly<Record<string, JsonSchema>> = {
  id: { minLength: 1 },
  source: { minLength: 1 },
  time: { format: "date-time" },
  sequence: { pattern: "^[0-9]{10}$" },
  createdAt: { format: "date-time" },
  completedAt: { format: "date-time" },
  learnedAt: { format: "date-time" },
  value: { pattern: "^[0-9]+(\\.[0-9]+)?$" },
  minor: { pattern: "^[0-9]+$" },
  currency: { pattern: "^[A-Z]{3}$" },
};

/** Fields that may get new values within a version, so the schema accepts unlisted values. */
const openFields = new Set(["flags", "origin"]);

const descriptions = new Map(Object.entries(shapeNotes));
const described = makeShapes();

/** A shape of the events with a description of every field. Other shapes are referenced under `$defs`. */
export function shape(name: ShapeName): JsonSchema {
  const found = described[name];
  if (found === undefined) throw new Error(`zod made no schema for ${name}`);
  return found;
}

/** The shapes that a shape needs, by name: those it references, and those that they reference. */
export function shapesWithin(schema: JsonSchema): Record<string, JsonSchema> {
  const names = [...JSON.stringify(schema).matchAll(/"#\/\$defs\/(\w+)"/g)].map(
    ([, name = ""]) => name,
  );
  const shapes = names.filter(isShapeName).map((name) => [name, shape(name)] as const);
  const deeper = shapes.map(([, found]) => shapesWithin(found));
  return Object.assign({}, ...deeper, Object.fromEntries(shapes));
}

function isShapeName(name: string): name is ShapeName {
  return name in namedShapes;
}

function makeShapes(): Record<string, JsonSchema> {
  const made = Object.entries(describedSchemas(namedShapes, "#/$defs/", eventNotes));
  return Object.fromEntries(made.map(([name, schema]) => [name, limited(name, schema)]));
}

function limited(name: string, { properties = {}, ...schema }: JsonSchema): JsonSchema {
  const fields = Object.entries(properties).map(([field, property]) => [
    field,
    fieldSchema(field, property),
  ]);
  const description = descriptions.get(name);
  return {
    ...(description !== undefined && { title: name, description }),
    ...schema,
    properties: Object.fromEntries(fields),
  };
}

function fieldSchema(field: string, property: JsonSchema): JsonSchema {
  if (property.not !== undefined) return property;
  const schema = { ...property, ...limits[field] };
  if (!openFields.has(field)) return schema;
  return schema.items === undefined ? opened(schema) : { ...schema, items: opened(schema.items) };
}

function opened({ enum: values = [], ...schema }: JsonSchema): JsonSchema {
  return { ...schema, examples: values };
}
