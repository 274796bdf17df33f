import * as z from "zod";
import type { Described, Operation, OperationGroup } from "./description.ts";

/** A field of an operation's input, as a command line or a form has it. */
export interface InputField {
  readonly name: string;
  /** Without the dashes: "orderNo" is "order-no". */
  readonly option: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "array";
  readonly description: string;
  /** The value's name in a help text. */
  readonly placeholder: string;
  /** The command line names a file, and the field gets what it holds. */
  readonly isKeyFile: boolean;
  /** The same for any text; "-" is standard input. */
  readonly isInputFile: boolean;
  readonly isRequired: boolean;
  /** Few people need it. */
  readonly isRare: boolean;
  /** It gets the ids of rows of a table: one, the chosen ones, or a flag for all. */
  readonly fromRows?: "one" | "chosen" | "all" | undefined;
  /** The values to choose from. */
  readonly enum?: readonly string[] | undefined;
  /** What it is if it is not given. */
  readonly default?: unknown;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
}

const schemaOfFields = z.object({
  properties: z.record(
    z.string(),
    z.object({
      type: z.enum(["string", "integer", "number", "boolean", "array"]),
      description: z.string(),
      placeholder: z.string().default("VALUE"),
      isKeyFile: z.boolean().default(false),
      isInputFile: z.boolean().default(false),
      isRare: z.boolean().default(false),
      fromRows: z.enum(["one", "chosen", "all"]).optional(),
      enum: z.array(z.string()).optional(),
      default: z.unknown().optional(),
      minimum: z.number().optional(),
      maximum: z.number().optional(),
    }),
  ),
  required: z.array(z.string()).default([]),
});

export function fieldsOf({ input }: Pick<Described, "input">): readonly InputField[] {
  const schema = z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
  const { properties, required } = schemaOfFields.parse({ properties: {}, ...schema });
  return Object.entries(properties).map(([name, field]) => ({
    name,
    ...field,
    isRequired: required.includes(name),
    option: name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  }));
}

/** What a help text says about an option. */
export function optionDescription({ type, description }: InputField): string {
  return type === "array" ? `${description}; may be repeated` : description;
}

/** An operation as plain values, for a page that makes a form or a command line of it. */
export interface OperationForm {
  /** The name of its command. */
  readonly command: string;
  readonly verb?: string | undefined;
  readonly kind: Operation["kind"];
  readonly fields: readonly InputField[];
  /** The fields that a command line takes without an option. */
  readonly words: readonly string[];
}

export function formsOf({ name, operations }: OperationGroup): readonly OperationForm[] {
  return operations.map((operation) => ({
    command: name,
    verb: operation.verb,
    kind: operation.kind,
    fields: fieldsOf(operation),
    words: operation.words ?? [],
  }));
}
