/** A string, with the colon that makes it a name, or the start or end of an object or list. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"(?<colon>\s*:)?|[{}[\]]/g;

/**
 * A name that appears twice in one object of a JSON text. JSON.parse would keep only the last value. The text must be
 * valid JSON (parse it first).
 */
export function findRepeatedName(json: string): string | undefined {
  const open: Set<string>[] = [];
  for (const { 0: token, groups } of json.matchAll(tokens)) {
    if (token === "{" || token === "[") open.push(new Set());
    if (token === "}" || token === "]") open.pop();
    const colon = groups?.["colon"];
    if (colon === undefined) continue;
    // Parsed, because one name can be spelled in several ways: "a" and "\u0061".
    const name = String(JSON.parse(token.slice(0, -colon.length)));
    if (open.at(-1)?.has(name)) return name;
    open.at(-1)?.add(name);
  }
  return undefined;
}
