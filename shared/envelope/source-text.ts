/**
 * The exact text of each value of a JSON object, by name. If a name comes twice, the last value counts, as in
 * `JSON.parse`. The text must be valid JSON: nothing is checked here.
 */
export function memberSources(json: string): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  let at = json.indexOf("{") + 1;
  for (;;) {
    const nameStart = json.indexOf('"', at);
    if (nameStart === -1) return sources;
    const nameEnd = endOfString(json, nameStart);
    const valueStart = json.indexOf(":", nameEnd) + 1;
    const valueEnd = endOfValue(json, valueStart);
    const name: unknown = JSON.parse(json.slice(nameStart, nameEnd));
    sources.set(String(name), json.slice(valueStart, valueEnd).trim());
    at = valueEnd;
  }
}

/** The index after a string's closing quote. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at + 1;
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
