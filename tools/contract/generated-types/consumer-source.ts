import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { eventNotes } from "../documents/events/event-notes.ts";
import { promisedData, type TypePromise, typePromises } from "../documents/events/event-schemas.ts";
import type { ShapeName } from "../documents/events/named-shapes.ts";
import { type JsonSchema, typeOf } from "../documents/json-schema.ts";
import { reference, shape } from "./event-shapes.ts";

const shapeNames: readonly ShapeName[] = [
  ...(["Amount", "AmountWithoutCurrency", "PaymentDetails", "Refund"] as const),
  ...(["OrderSnapshot", "PaymentSnapshot", "OrderEventData", "RefundEventData"] as const),
];

/** Every event has these; the rest of the envelope depends on the type. */
const typedFields = ["type", "dataschema", "data"];
const flagNote = "The flags of this version. A newer Paycast may send others: ignore unknown ones.";
const header = "/* Written by `npm run docs` from the schemas in shared/events. */\n";

/** `shared/consumer/typed-events.ts`: the types of the package, with the descriptions as comments. */
export function typesSource(): string {
  const flags = shape("OrderSnapshot").properties?.["flags"]?.items?.examples ?? [];
  return formatted("typed-events.ts", [
    header,
    `${comment(flagNote)}export type Flag = ${[...flags.map(quoted), "(string & {})"].join(" | ")};\n`,
    ...shapeNames.map((name) => interfaceOf(name, shape(name))),
    interfaceOf("Envelope", envelope()),
    ...typePromises.map(eventInterface),
    unionOf("OrderEvent", "A fact about the payment of an order.", "OrderEventData"),
    unionOf("RefundEvent", "A fact about a refund.", "RefundEventData"),
    "/** An event of a type that this version knows. `type` distinguishes them. */",
    "export type KnownEvent = OrderEvent | RefundEvent;\n",
    'export type KnownType = KnownEvent["type"];',
  ]);
}

/** `shared/consumer/event-shapes.json`: what the parser checks. */
export function shapesSource(): string {
  const shapes = shapeNames.map((name) => [reference(name).$ref, shape(name)]);
  const content = {
    shapes: { "#/$defs/Envelope": envelope(), ...Object.fromEntries(shapes) },
    types: Object.fromEntries(typePromises.map((promise) => [promise.type, typeShape(promise)])),
  };
  return formatted("event-shapes.json", [JSON.stringify(content, withoutNotes)]);
}

const notes = new Set(["title", "description", "format", "examples"]);

/** Leaves out what only informs. A field of an event may have such a name: its schema is an object. */
function withoutNotes(key: string, value: unknown): unknown {
  const isNote = notes.has(key) && (typeof value === "string" || Array.isArray(value));
  return isNote ? undefined : value;
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
  // Without the fields that are never present, so that `"currency" in amount` distinguishes the two amounts.
  const present = Object.entries(properties).filter(([, { not }]) => not === undefined);
  const fields = present.map(([field, schema]) => {
    const mark = required.includes(field) ? "" : "?";
    const type = field === "flags" ? "readonly Flag[]" : typeOf(schema, ({ title }) => `${title}`);
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
  return type.replace(/(^|\.)(.)/g, (_match, _before, letter: string) => letter.toUpperCase());
}

function unionOf(name: string, note: string, shapeName: ShapeName): string {
  const members = typePromises.filter(({ shape: own }) => own === shapeName);
  return `${comment(note)} export type ${name} = ${members.map(({ type }) => interfaceName(type)).join(" | ")};\n`;
}

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
