import { shape } from "../../generated-types/event-shapes.ts";
import { type JsonSchema, nameIn, textOf } from "../json-schema.ts";
import { table } from "../markdown-table.ts";
import { eventExamples } from "./event-examples.ts";
import { shapeNotes } from "./event-notes.ts";
import { schemaFile, type TypePromise, typePromises } from "./event-schemas.ts";
import type { PartName, ShapeName } from "./named-shapes.ts";

const introduction = `# Events

Every event type, every field, and a full example of each. \`npm run docs\` writes this page from the schemas.
[subscribing.md](subscribing.md) explains how to read events, [versioning.md](versioning.md) what may change. For programs
there are [JSON Schemas](schemas), an [AsyncAPI document](asyncapi.json), and for TypeScript and JavaScript the package
[paycast-events](packages/paycast-events.md). [interface.md](interface.md#names-in-events-and-responses) maps the fields
to those of the payment service.`;

/** `docs/events.md`. */
export function eventsPage(): string {
  return `${[
    introduction,
    "## Types",
    typesTable(),
    "## The envelope",
    "A [CloudEvents 1.0](https://github.com/cloudevents/spec) event in structured JSON, one per message.",
    fieldTable("Envelope"),
    "## The data of `payment.order.*`",
    shapeSection("OrderEventData"),
    ...(["OrderSnapshot", "PaymentDetails"] as const).map(shapeSection),
    "## The data of `payment.refund.*`",
    shapeSection("RefundEventData"),
    ...(["PaymentSnapshot", "Refund"] as const).map(shapeSection),
    "## Amounts",
    "Count money in `minor`. It is an integer as text, because a JSON number would round large ones.",
    ...(["Amount", "AmountWithoutCurrency"] as const).map(shapeSection),
    "## Examples",
    ...typePromises.map(exampleSection),
  ].join("\n\n")}\n`;
}

function typesTable(): string {
  const rows = typePromises.map((promise) => {
    const { type, meaning, shape: data, dataschema } = promise;
    const version = dataschema.split(":").at(-1);
    const file = schemaFile({ $id: `urn:paycast:schema:${type}:${version}` });
    const example = `[full event](#${anchor(type)})`;
    return [`\`${type}\``, meaning, link(data), `[whole event](schemas/${file})`, example];
  });
  return table(["type", "meaning", "`data`", "JSON Schema", "example"], rows);
}

function shapeSection(name: PartName): string {
  return [`### ${name}`, shapeNotes[name], fieldTable(name)].join("\n\n");
}

function fieldTable(name: ShapeName): string {
  const { properties = {}, required = [] } = shape(name);
  const rows = Object.entries(properties).map(([field, schema]) => {
    const presence = required.includes(field) ? "yes" : "";
    return [
      `\`${field}\``,
      kindOf(name, field, schema),
      presence,
      textOf(field, schema.description),
    ];
  });
  return table(["field", "type", "always", "meaning"], rows);
}

function kindOf(name: ShapeName, field: string, schema: JsonSchema): string {
  // The envelope has two schemas; this page describes both.
  if (name === "Envelope" && field === "type") return "[one of the types](#types)";
  if (name === "Envelope" && field === "dataschema") return "URI";
  if (name === "Envelope" && field === "data")
    return `${link("OrderEventData")} or ${link("RefundEventData")}`;
  return field === "flags" ? "list of [flags](subscribing.md#money-and-flags)" : kind(schema);
}

function kind(schema: JsonSchema): string {
  if (schema.not !== undefined) return "none";
  if (schema.$ref !== undefined) return link(nameIn(schema.$ref));
  if (schema.anyOf !== undefined) return schema.anyOf.map(kind).join(" or ");
  if (schema.items !== undefined) return `list of ${kind(schema.items)}`;
  if (schema.const !== undefined) return `\`${schema.const}\``;
  const values = schema.enum ?? schema.examples;
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(", ");
  return schema.format === "date-time" ? "time (RFC 3339)" : "text";
}

function exampleSection({ type, meaning }: TypePromise): string {
  const json = JSON.stringify(eventExamples()[type], null, 2);
  return `### ${type}\n\n${meaning}\n\n\`\`\`json\n${json}\n\`\`\``;
}

const link = (name: string) => `[${name}](#${anchor(name)})`;
/** As GitHub derives them from a heading. */
const anchor = (heading: string) => heading.toLowerCase().replaceAll(".", "");
