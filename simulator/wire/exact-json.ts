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

export function writeExactJson(value: WritableJson): string {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeExactJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${writeExactJson(member)}`);
  return `{${members.join(",")}}`;
}
