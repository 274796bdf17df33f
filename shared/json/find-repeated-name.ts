/** A string, with the colon that makes it a name, or what separates and encloses values. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"(?<colon>\s*:)?|[{}[\],]/g;

/** An open object or list, and the name or index of the value that is being read. */
interface Container {
  readonly names: Set<string>;
  step: string | number;
}

/** A deeper name is found, too, but its path ends here: long paths of many names would fill the memory. */
const longestPath = 8;

/**
 * The path of each name that appears again in one object of a JSON text. JSON.parse would keep only the last value. The
 * text must be valid JSON (parse it first).
 */
export function* repeatedNames(json: string): Generator<readonly (string | number)[]> {
  const open: Container[] = [];
  for (const { 0: token, groups } of json.matchAll(tokens)) {
    const inside = open.at(-1);
    const colon = groups?.["colon"];
    if (token === "{" || token === "[") {
      open.push({ names: new Set(), step: token === "[" ? 0 : "" });
    } else if (token === "}" || token === "]") {
      open.pop();
    } else if (token === "," && typeof inside?.step === "number") {
      inside.step += 1;
    } else if (colon !== undefined && inside !== undefined) {
      // Parsed, because one name can be spelled in several ways: "a" and "\u0061".
      const name = String(JSON.parse(token.slice(0, -colon.length)));
      inside.step = name;
      if (inside.names.has(name)) yield open.slice(0, longestPath).map(({ step }) => step);
      inside.names.add(name);
    }
  }
}

/** The first name of these. */
export function findRepeatedName(json: string): string | undefined {
  for (const path of repeatedNames(json)) return String(path.at(-1));
  return undefined;
}
