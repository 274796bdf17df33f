import type { JsonSchema } from "./event-shapes.ts";

/** A change of a released schema that would break somebody. docs/versioning.md explains each rule. */
export interface Break {
  readonly rule:
    | "schema-removed"
    | "field-removed"
    | "field-made-optional"
    | "field-made-required"
    | "new-field-required"
    | "known-value-removed"
    | "constraint-changed";
  /** JSON pointer in the released schema, references followed. */
  readonly at: string;
}

/** What only informs, and what the comparison reads itself. */
const texts = ["$comment", "title", "description", "examples", "deprecated"];
const notConstraints = ["$id", "$defs", "$ref", ...texts];
const compared = ["properties", "required", "items", "anyOf"];

/**
 * Two kinds of readers must be able to read with a schema: a consumer with the released one reads what is sent now, and
 * a consumer with the new one reads older events that are replayed. So within a version almost nothing may change: new
 * optional fields and new values of open lists are all.
 */
export function findBreaks(released: JsonSchema, current: JsonSchema): Break[] {
  return compare({ schema: released, root: released }, { schema: current, root: current }, "");
}

/** All schemas of a release against all current ones. A released schema may end only if its name has a later version. */
export function findReleaseBreaks(
  released: readonly JsonSchema[],
  current: readonly JsonSchema[],
): (Break & { readonly schema: string })[] {
  return released.flatMap((before) => {
    const schema = before.$id ?? "";
    const after = current.find(({ $id }) => $id === schema);
    if (after !== undefined) return findBreaks(before, after).map((one) => ({ ...one, schema }));
    const isSucceeded = current.some(({ $id = "" }) => isLaterVersion($id, schema));
    return isSucceeded ? [] : [{ rule: "schema-removed" as const, at: "", schema }];
  });
}

function isLaterVersion(id: string, than: string): boolean {
  const [name, version] = splitVersion(id);
  const [otherName, otherVersion] = splitVersion(than);
  return name === otherName && version > otherVersion;
}

/** `urn:paycast:schema:payment-order-event:1` is version 1 of everything before it. */
function splitVersion(id: string): [name: string, version: number] {
  const end = id.lastIndexOf(":");
  return [id.slice(0, end), Number(id.slice(end + 1))];
}

/** A schema, and the document in which its references lead. */
interface Place {
  readonly schema: JsonSchema;
  readonly root: JsonSchema;
}

function compare(before: Place, after: Place, at: string): Break[] {
  const old = followed(before);
  const now = followed(after);
  return [
    ...constraintBreaks(old, now, at),
    ...valueBreaks(old, now, at),
    ...fieldBreaks({ ...before, schema: old }, { ...after, schema: now }, at),
    ...partBreaks({ ...before, schema: old }, { ...after, schema: now }, at),
  ];
}

/** With what it references in its place: that a shape gets a name of its own changes nothing. */
function followed({ schema, root }: Place): JsonSchema {
  if (schema.$ref === undefined) return schema;
  const target = root.$defs?.[schema.$ref.replace("#/$defs/", "")];
  if (target === undefined) throw new Error(`${schema.$ref} leads nowhere`);
  const { $ref: _, ...own } = schema;
  const referenced = followed({ schema: target, root });
  return {
    ...referenced,
    ...own,
    properties: { ...referenced.properties, ...narrowed(referenced, own) },
    required: [...(referenced.required ?? []), ...(own.required ?? [])],
  };
}

/** A field that is described in both places has the constraints of both. */
function narrowed({ properties: all = {} }: JsonSchema, { properties = {} }: JsonSchema) {
  const fields = Object.entries(properties).map(([field, own]) => [
    field,
    { ...all[field], ...own },
  ]);
  return Object.fromEntries(fields);
}

function constraintBreaks(old: JsonSchema, now: JsonSchema, at: string): Break[] {
  return constraintsOf(old) === constraintsOf(now) ? [] : [{ rule: "constraint-changed", at }];
}

function constraintsOf(schema: JsonSchema): string {
  const left = Object.entries(schema).filter(
    ([key]) => !notConstraints.includes(key) && !compared.includes(key),
  );
  const sorted = left.map(([key, value]) => [key, Array.isArray(value) ? value.toSorted() : value]);
  return JSON.stringify(sorted.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1)));
}

/** An open list names the values that are known. A consumer may wait for one of them. */
function valueBreaks(old: JsonSchema, now: JsonSchema, at: string): Break[] {
  const lost = (old.examples ?? []).filter((value) => !now.examples?.includes(value));
  return lost.length === 0 ? [] : [{ rule: "known-value-removed", at }];
}

function fieldBreaks(before: Place, after: Place, at: string): Break[] {
  const { properties: old = {}, required: oldRequired = [] } = before.schema;
  const { properties: now = {}, required: nowRequired = [] } = after.schema;
  const kept = Object.entries(old).flatMap(([field, schema]): Break[] => {
    const place = `${at}/${field}`;
    const later = now[field];
    if (later === undefined) return [{ rule: "field-removed", at: place }];
    const inside = compare({ ...before, schema }, { ...after, schema: later }, place);
    if (oldRequired.includes(field) === nowRequired.includes(field)) return inside;
    const isOptional = oldRequired.includes(field);
    return [
      { rule: isOptional ? "field-made-optional" : "field-made-required", at: place },
      ...inside,
    ];
  });
  const added = nowRequired.filter((field) => !(field in old));
  return [
    ...kept,
    ...added.map((field) => ({ rule: "new-field-required", at: `${at}/${field}` }) as const),
  ];
}

/** The items of a list, and the alternatives of a choice in their order. */
function partBreaks(before: Place, after: Place, at: string): Break[] {
  const old = partsOf(before.schema);
  const now = partsOf(after.schema);
  const namesOf = (parts: typeof old) => parts.map(([name]) => name).join();
  if (namesOf(old) !== namesOf(now)) return [{ rule: "constraint-changed", at }];
  return old.flatMap(([name, schema], index) => {
    const [, later = {}] = now[index] ?? [];
    return compare({ ...before, schema }, { ...after, schema: later }, `${at}/${name}`);
  });
}

function partsOf({ items, anyOf = [] }: JsonSchema): [name: string, schema: JsonSchema][] {
  const choices = anyOf.map((one, index): [string, JsonSchema] => [`choice ${index + 1}`, one]);
  return items === undefined ? choices : [["items", items], ...choices];
}
