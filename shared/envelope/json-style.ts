/**
 * The spellings of JSON for signed text that is not copied from the request. JSON has many spellings for one value, and
 * a signature covers exactly one of them. Each style is what a common serializer writes.
 */
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

interface Spelling {
  /** Characters that are escaped although JSON does not require it. They occur only inside strings. */
  readonly escaped?: RegExp;
  /** After each comma and colon. */
  readonly space?: " ";
}

const spellings: Readonly<Record<JsonStyle, Spelling>> = {
  /** JavaScript, Jackson, fastjson. */
  plain: {},
  /** `json_encode`, and with JSON_UNESCAPED_UNICODE. */
  php: { escaped: /[/\u0080-\uffff]/g },
  "php-unicode": { escaped: /[/\u2028\u2029]/g },
  /** Python's `json.dumps` with `separators=(",", ":")`; PHP with JSON_UNESCAPED_SLASHES. */
  ascii: { escaped: /[\u007f-\uffff]/g },
  /** `json.dumps`, and with `ensure_ascii=False`. */
  python: { escaped: /[\u007f-\uffff]/g, space: " " },
  "python-unicode": { space: " " },
  /** `json.Marshal`. */
  go: { escaped: /[<>&\u2028\u2029]/g },
  gson: { escaped: /[<>&='\u2028\u2029]/g },
};

export function writeJson(value: string | object, style: JsonStyle): string {
  const { escaped, space } = spellings[style];
  const json = JSON.stringify(value);
  const spaced = space === undefined ? json : json.replace(stringsAndSeparators, addSpace);
  return escaped === undefined ? spaced : spaced.replace(escaped, escapeUnit);
}

/** The separators between the members of an object. */
export function separatorsOf(style: JsonStyle): { readonly comma: string; readonly colon: string } {
  const { space = "" } = spellings[style];
  return { comma: `,${space}`, colon: `:${space}` };
}

const stringsAndSeparators = /"(?:[^"\\]|\\.)*"|[,:]/g;

function addSpace(token: string): string {
  return token.startsWith('"') ? token : `${token} `;
}

function escapeUnit(unit: string): string {
  return unit === "/" ? "\\/" : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
