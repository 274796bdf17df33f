import * as z from "zod";
import { configSchema } from "../../../infra/config/config-schema.ts";
import { environmentSchema } from "../../../infra/config/environment-config.ts";
import { type JsonSchema, nameIn, textOf, typeOf } from "../documents/json-schema.ts";
import { table } from "../documents/markdown-table.ts";

/** A custom check has no JSON Schema. A transformed value has the schema of its input. */
const options = { io: "input", unrepresentable: "any" } as const;
const made: object = z.toJSONSchema(configSchema, options);
const { $defs: shapes = {}, ...config }: JsonSchema = made;

/** Types that JSON Schema cannot express. */
const written: Readonly<Record<string, string>> = {
  RemovalChoice: 'RemovalPolicy.RETAIN | RemovalPolicy.DESTROY | "retain" | "destroy"',
};

/** The declarations of infra/config/paycast-config.ts in the package, which does not contain the schema. */
export function configTypes(): string {
  const main =
    "What Paycast runs with: the content of a config file, and the main part of the props.";
  return [
    'import type { RemovalPolicy } from "aws-cdk-lib";',
    declaration("PaycastConfig", { ...config, description: main }),
    ...Object.entries(shapes).map(([name, shape]) => declaration(name, shape)),
  ].join("\n");
}

function declaration(name: string, shape: JsonSchema): string {
  const { description, properties } = shape;
  const note = description === undefined ? "" : `/** ${description} */\n`;
  if (properties === undefined)
    return `${note}export type ${name} = ${written[name] ?? typed(shape)};`;
  return `${note}export interface ${name} ${typed(shape)}`;
}

function typed(field: JsonSchema): string {
  return typeOf(field, (shape) => `{\n${fieldsOf(shape).join("\n")}\n}`);
}

function fieldsOf({ properties = {}, required = [] }: JsonSchema): string[] {
  return Object.entries(properties).map(([name, field]) => {
    const isRequired = required.includes(name);
    const without = withoutIt(field);
    const note = without === undefined ? "" : `\n * @default ${without}`;
    const comment = `/**\n * ${textOf(name, field.description)}${note}\n */`;
    return `${comment}\nreadonly ${name}${isRequired ? "" : "?"}: ${typed(field)}${isRequired ? "" : " | undefined"};`;
  });
}

/** A description of the default, or the default as a config writes it. */
function withoutIt({ without, default: value }: JsonSchema): string | undefined {
  if (without !== undefined) return without;
  const isEmpty = typeof value === "object" || value === undefined;
  return isEmpty ? undefined : JSON.stringify(value);
}

/** The tables of docs/configuration.md, by the names of their marks. */
export function configTables(): Readonly<Record<string, string>> {
  const environment: object = z.toJSONSchema(environmentSchema, options);
  const { PaycastSubscriber: subscriber = {}, PaycastConcurrency: concurrency = {} } = shapes;
  return {
    config: tableOf(config),
    environment: tableOf(environment),
    subscriber: tableOf(subscriber),
    concurrency: tableOf(concurrency, "concurrency."),
  };
}

function tableOf(shape: JsonSchema, prefix = ""): string {
  return table(["field", "default", "meaning"], rowsOf(shape, prefix));
}

/** Fields that another part of the page describes: in a table of their own, or with the same fields one level up. */
const describedElsewhere = ["concurrency", "alarms.morning"];

/** A field with inner fields has rows for these too. */
function rowsOf({ properties = {}, required = [] }: JsonSchema, prefix: string): string[][] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const inner = innerOf(field);
    const isElsewhere = describedElsewhere.includes(path);
    const without = required.includes(name) ? "required" : defaultCell(field);
    const meaning = textOf(path, field.description);
    const row = [
      `\`${path}\``,
      without === "none" && isElsewhere ? "see there" : without,
      field.more === undefined ? meaning : `${meaning} [More](${field.more}).`,
    ];
    if (inner === undefined || isElsewhere) return [row];
    const within = rowsOf(inner, field.additionalProperties ? `${path}.MERCHANT.` : `${path}.`);
    // If the default is an empty object, the inner fields describe it.
    return field.default === undefined ? [row, ...within] : within;
  });
}

function defaultCell(field: JsonSchema): string {
  const without = withoutIt(field);
  if (without === undefined) return "none";
  return field.without === undefined ? `\`${without.replaceAll('"', "")}\`` : without;
}

function innerOf(field: JsonSchema): JsonSchema | undefined {
  if (field.additionalProperties) return innerOf(field.additionalProperties);
  const shape = field.$ref === undefined ? field : shapes[nameIn(field.$ref)];
  return shape?.properties === undefined ? undefined : shape;
}
