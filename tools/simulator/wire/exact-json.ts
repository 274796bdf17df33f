import * as z from "zod";

/**
 * JSON whose numbers keep their digits. The interface (§2.3) sends amounts as JSON numbers, and a double would round
 * some of them.
 */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const numberMark = "\u0000number:";

/** Throws a SyntaxError for anything that is not JSON. */
export function parseExactJson(text: string): unknown {
  JSON.parse(text);
  const marked = text.replace(stringOrNumber, (token) =>
    token.startsWith('"') ? token : JSON.stringify(numberMark + token),
  );
  return JSON.parse(marked, (_name, value: unknown) =>
    typeof value === "string" && value.startsWith(numberMark)
      ? new JsonNumber(value.slice(numberMark.length))
      : value,
  );
}

export type WritableJson =
  | JsonNumber
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly WritableJson[]
  | { readonly [name: string]: WritableJson };

export const exactJson: z.ZodType<WritableJson> = z.lazy(() =>
  z.union([
    z.instanceof(JsonNumber),
    z.string(),
    z.boolean(),
    z.null(),
    z.array(exactJson),
    z.record(z.string(), exactJson),
  ]),
);

/** The value of a JSON text. A text that is not JSON is a string. */
export function readJsonOrText(text: string): WritableJson {
  try {
    return exactJson.parse(parseExactJson(text));
  } catch {
    return text;
  }
}

/** The JSON styles that a service may use: what each one escapes, and whether it writes spaces. */
export const jsonStyles = [
  "plain",
  "php",
  "php-unicode",
  "ascii",
  "python",
  "python-unicode",
  "go",
  "gson",
] as const;
export type JsonStyle = (typeof jsonStyles)[number];

/** Writes the members of an object in their own order, with the numbers' own digits. */
export function writeExactJson(value: WritableJson, style: JsonStyle = "plain"): string {
  const gap = style.startsWith("python") ? " " : "";
  const write = (part: WritableJson) => writeExactJson(part, style);
  if (value instanceof JsonNumber) return value.text;
  if (typeof value === "string") return quote(value, style);
  if (Array.isArray(value)) return `[${value.map(write).join(`,${gap}`)}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${quote(name, style)}:${gap}${write(member)}`);
  return `{${members.join(`,${gap}`)}}`;
}

function quote(text: string, style: JsonStyle): string {
  const units = JSON.stringify(text).split("");
  return units.map((unit) => (isEscaped(unit, style) ? escaped(unit) : unit)).join("");
}

function isEscaped(unit: string, style: JsonStyle): boolean {
  switch (style) {
    case "plain":
    case "python-unicode":
      return false;
    case "php":
      return unit === "/" || unit >= "\u0080";
    case "php-unicode":
      return "/\u2028\u2029".includes(unit);
    case "ascii":
    case "python":
      return unit >= "\u007f";
    case "go":
      return "<>&\u2028\u2029".includes(unit);
    case "gson":
      return "<>&='\u2028\u2029".includes(unit);
  }
}

function escaped(unit: string): string {
  if (unit === "/") return "\\/";
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
