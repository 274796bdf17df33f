import * as z from "zod";
import type { Operation } from "../../operations/described/description.ts";

/** A field of an operation's input as the command line knows it. */
export interface Field {
  readonly name: string;
  /** Without the dashes: "orderNo" is "order-no". */
  readonly option: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "array";
  readonly description: string;
  /** What stands for the value in a help text. */
  readonly placeholder: string;
  /** The command line names a file, and the field gets what it holds. */
  readonly isKeyFile: boolean;
  readonly isRequired: boolean;
}

const schemaOfFields = z.object({
  properties: z.record(
    z.string(),
    z.object({
      type: z.enum(["string", "integer", "number", "boolean", "array"]),
      description: z.string(),
      placeholder: z.string().default("VALUE"),
      isKeyFile: z.boolean().default(false),
    }),
  ),
  required: z.array(z.string()).default([]),
});

/** The fields that a command line takes without an option, in their order. */
export function wordFields(operation: Operation): readonly Field[] {
  const fields = fieldsOf(operation);
  return (operation.words ?? []).flatMap((word) => fields.filter(({ name }) => name === word));
}

export function optionFields(operation: Operation): readonly Field[] {
  return fieldsOf(operation).filter(({ name }) => operation.words?.includes(name) !== true);
}

function fieldsOf({ input }: Operation): readonly Field[] {
  const schema = z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
  const { properties, required } = schemaOfFields.parse({ properties: {}, ...schema });
  return Object.entries(properties).map(([name, field]) => ({
    ...{ name, ...field, isRequired: required.includes(name) },
    option: name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  }));
}
