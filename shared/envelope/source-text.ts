/** The position of a member in the text of a JSON object. */
export interface Member {
  readonly name: string;
  /** Where the name's quote, the value and the text after the value start. */
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

/** The members of a JSON object in the order of its text, which must be valid JSON: nothing is checked here. */
export function membersOf(json: string): readonly Member[] {
  const members: Member[] = [];
  let at = json.indexOf("{") + 1;
  for (;;) {
    const start = json.indexOf('"', at);
    if (start === -1) return members;
    const nameEnd = endOfString(json, start);
    const name = nameOf(json.slice(start, nameEnd));
    const valueStart = skipSpace(json, json.indexOf(":", nameEnd) + 1);
    at = endOfValue(json, valueStart);
    const value = json.slice(valueStart, at).trimEnd();
    members.push({ name, start, valueStart, end: valueStart + value.length });
  }
}

/**
 * The exact text of each value of a JSON object, by name. If a name appears twice, the last value counts, as in
 * `JSON.parse`.
 */
export function memberSources(json: string): ReadonlyMap<string, string> {
  return new Map(
    membersOf(json).map(({ name, valueStart, end }) => [name, json.slice(valueStart, end)]),
  );
}

/** The same for a single name: less work than a map of all. */
export function sourceIn(
  json: string,
  members: readonly Member[],
  wanted: string,
): string | undefined {
  const member = members.findLast(({ name }) => name === wanted);
  return member && json.slice(member.valueStart, member.end);
}

/** Most names have no escapes, and their parsing would be the most expensive part. */
function nameOf(quoted: string): string {
  return quoted.includes("\\") ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
}

function skipSpace(json: string, start: number): number {
  let at = start;
  while (json.charCodeAt(at) <= 0x20) at += 1;
  return at;
}

/**
 * The index after a string's closing quote. Searches for quotes instead of checking each character, because a body may
 * be long.
 */
function endOfString(json: string, start: number): number {
  let quote = json.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(json, quote)) quote = json.indexOf('"', quote + 1);
  return quote === -1 ? json.length : quote + 1;
}

function isEscaped(json: string, at: number): boolean {
  let backslashes = 0;
  while (json[at - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}

/** The index of the comma or brace that ends a top-level member; nested values are skipped. */
function endOfValue(json: string, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const character = json[at];
    if (character === '"') at = endOfString(json, at) - 1;
    else if (character === "{" || character === "[") depth++;
    else if (depth === 0 && (character === "," || character === "}")) return at;
    else if (character === "}" || character === "]") depth--;
  }
  return json.length;
}
