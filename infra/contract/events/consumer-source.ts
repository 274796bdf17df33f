import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { eventNotes } from "./event-notes.ts";
import { promisedData, type TypePromise, typePromises } from "./event-schemas.ts";
import { type JsonSchema, type ShapeName, shape } from "./event-shapes.ts";

const shapeNames: readonly ShapeName[] = [
  ...(["Amount", "AmountWithoutCurrency", "PaymentDetails", "Refund"] as const),
  ...(["OrderSnapshot", "PaymentSnapshot", "OrderEventData", "RefundEventData"] as const),
];

/** Every event has these; the rest of the envelope depends on the type. */
const typedFields = ["type", "dataschema", "data"];
const flagNote =
  "The flags of this version. A newer Paycast may send others: ignore what you do not know.";
const header = "/* Written by `npm run docs` from the schemas in shared/events. */\n";

/** `shared/consumer/event-types.ts`: the types of the package, with the descriptions as comments. */
export function typesSource(): string {
  const flags = shape("OrderSnapshot").properties?.["flags"]?.items?.examples ?? [];
  return formatted("event-types.ts", [
    header,
    `${comment(flagNote)}export type Flag = ${[...flags.map(quoted), "(string & {})"].join(" | ")};\n`,
    ...shapeNames.map((name) => interfaceOf(name, shape(name))),
    interfaceOf("Envelope", envelope()),
    ...typePromises.map(eventInterface),
    unionOf("OrderEvent", "A fact about the payment of an order.", "OrderEventData"),
    unionOf("RefundEvent", "A fact about a refund.", "RefundEventData"),
    "/** An event of a type that this version knows. `type` tells them apart. */",
    "export type KnownEvent = OrderEvent | RefundEvent;\n",
    'export type KnownType = KnownEvent["type"];',
  ]);
}

/** `shared/consumer/event-shapes.ts`: what the parser checks, without descriptions. */
export function shapesSource(): string {
  const shapes = shapeNames.map((name) => [name, bare(shape(name))]);
  const types = typePromises.map((promise) => [promise.type, bare(typeShape(promise))]);
  const all = { Envelope: bare(envelope()), ...Object.fromEntries(shapes) };
  return formatted("event-shapes.ts", [
    header,
    'import type { Shape } from "./find-fault.ts";\n',
    `export const shapes: Readonly<Record<string, Shape>> = ${JSON.stringify(all)};\n`,
    "/** What holds for the events of each type, in addition to the envelope. */",
    `export const typeShapes: Readonly<Record<string, Shape>> = ${JSON.stringify(Object.fromEntries(types))};`,
  ]);
}

function typeShape(promise: TypePromise): JsonSchema {
  const dataschema = { const: promise.dataschema };
  return { properties: { dataschema, data: promisedData(promise) }, required: ["data"] };
}

function envelope(): JsonSchema {
  const { properties = {}, required = [], ...rest } = shape("Envelope");
  const kept = Object.entries(properties).filter(([field]) => !typedFields.includes(field));
  return {
    ...rest,
    properties: Object.fromEntries(kept),
    required: required.filter((field) => !typedFields.includes(field)),
  };
}

function interfaceOf(name: string, { description, properties = {}, required = [] }: JsonSchema) {
  // Without the fields that are never there, so that `"currency" in amount` tells the two amounts apart.
  const present = Object.entries(properties).filter(([, { not }]) => not === undefined);
  const fields = present.map(([field, schema]) => {
    const mark = required.includes(field) ? "" : "?";
    const type = field === "flags" ? "readonly Flag[]" : typeOf(schema);
    return `${comment(schema.description)} readonly ${field}${mark}: ${type};`;
  });
  return `${comment(description ?? "The fields that every event has.")} export interface ${name} {\n${fields.join("\n")} }\n`;
}

function eventInterface(promise: TypePromise): string {
  const amount = promise.shape === "OrderEventData" ? "Amount" : "Amount | AmountWithoutCurrency";
  const money = promise.movesMoney ? `readonly amount: ${amount};` : "";
  const notes = eventNotes["Envelope"] ?? {};
  return `${comment(promise.meaning)} export interface ${interfaceName(promise.type)} extends Envelope {
    ${comment(notes["type"])} readonly type: "${promise.type}";
    ${comment(notes["dataschema"])} readonly dataschema: "${promise.dataschema}";
    ${comment(notes["data"])} readonly data: ${promise.shape} & { readonly status: "${promise.status}"; ${money} };
  }\n`;
}

/** `payment.order.success` is `PaymentOrderSuccess`. */
function interfaceName(type: string): string {
  return type.replace(/(^|\.)(.)/g, (_, __, letter: string) => letter.toUpperCase());
}

function unionOf(name: string, note: string, shapeName: ShapeName): string {
  const members = typePromises.filter(({ shape: own }) => own === shapeName);
  return `${comment(note)} export type ${name} = ${members.map(({ type }) => interfaceName(type)).join(" | ")};\n`;
}

function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" | ");
  if (schema.const !== undefined) return quoted(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(quoted).join(" | ");
  if (schema.items !== undefined) return `readonly ${typeOf(schema.items)}[]`;
  if (schema.examples === undefined) return "string";
  return [...schema.examples.map(quoted), "(string & {})"].join(" | ");
}

/** Without what only informs. */
function bare(schema: JsonSchema): object {
  const { $ref, const: only, enum: values, type, pattern, minLength, required } = schema;
  const { not, anyOf, items, properties } = schema;
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [name, bare(field)]);
  return {
    ...($ref !== undefined && { shape: nameOf($ref) }),
    ...(only === undefined && values === undefined && type !== undefined && { type }),
    ...{ const: only, enum: values, pattern, minLength, required },
    ...(not !== undefined && { not: bare(not) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(bare) }),
    ...(items !== undefined && { items: bare(items) }),
    ...(properties !== undefined && { properties: Object.fromEntries(fields) }),
  };
}

const nameOf = (ref: string) => ref.replace("#/$defs/", "");
const quoted = (text: string) => JSON.stringify(text);
const comment = (text = "") => `/** ${text} */\n`;

function formatted(file: string, lines: readonly string[]): string {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const args = ["node_modules/@biomejs/biome/bin/biome", "format", `--stdin-file-path=${file}`];
  return execFileSync(process.execPath, args, {
    cwd: root,
    input: lines.join("\n"),
    encoding: "utf8",
  });
}
