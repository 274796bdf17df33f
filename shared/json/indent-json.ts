import { parseJson } from "./parse-json.ts";

/** Deeper levels are indented no further: the spaces of 20,000 levels would not fit into a string. */
const deepest = 100;

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Indents a JSON text and changes nothing else. Parsing and writing it again would round numbers and drop repeated
 * names, and these may be the reason for the quarantine. Undefined if it is not JSON.
 */
export function indentJson(text: string): string | undefined {
  if (parseJson(text) === undefined) return undefined;
  let depth = 0;
  let previous = "";
  let out = "";
  for (const [token] of text.matchAll(tokens)) {
    const isClosing = token === "}" || token === "]";
    const isAfterOpening = previous === "{" || previous === "[";
    if (isClosing) depth -= 1;
    if (isClosing !== isAfterOpening || previous === ",")
      out += `\n${"  ".repeat(Math.min(depth, deepest))}`;
    out += token === ":" ? ": " : token;
    if (token === "{" || token === "[") depth += 1;
    previous = token;
  }
  return out;
}
