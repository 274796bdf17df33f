/** A pattern of a metric filter over JSON lines. It supports only what the template uses: anything else is an error. */
export type FilterPattern =
  | {
      readonly kind: "compare";
      readonly field: string;
      readonly isEqual: boolean;
      /** Without the asterisk. */
      readonly text: string;
      /** Whether further characters may follow. */
      readonly isPrefix: boolean;
    }
  | { readonly kind: "all" | "any"; readonly patterns: readonly FilterPattern[] };

/** The remaining tokens. */
interface Rest {
  readonly tokens: string[];
  readonly pattern: string;
}

/** Throws if the pattern contains anything that the local evaluation does not support. */
export function parseFilterPattern(pattern: string): FilterPattern {
  const inside = /^\{(.*)\}$/s.exec(pattern.trim())?.[1];
  if (inside === undefined) throw unknown(pattern, "a pattern that is not for JSON");
  const rest = { tokens: tokensOf(inside, pattern), pattern };
  const parsed = readAny(rest);
  if (rest.tokens.length > 0) throw unknown(pattern, rest.tokens[0]);
  return parsed;
}

function tokensOf(text: string, pattern: string): string[] {
  const token = /\s*(\$\.\w+(?![\w.[*'])|"[^"\\]*"|&&|\|\||!=|=|[()])/y;
  const tokens: string[] = [];
  while (token.lastIndex < text.trimEnd().length) {
    const { lastIndex } = token;
    const found = token.exec(text);
    if (found?.[1] === undefined) throw unknown(pattern, text.slice(lastIndex).trim());
    tokens.push(found[1]);
  }
  return tokens;
}

/** AWS documents the order: brackets, then `&&`, then `||`. */
function readAny(rest: Rest): FilterPattern {
  return readList(rest, "any", "||", readAll);
}

function readAll(rest: Rest): FilterPattern {
  return readList(rest, "all", "&&", readOperand);
}

function readList(
  rest: Rest,
  kind: "all" | "any",
  operator: string,
  read: (rest: Rest) => FilterPattern,
): FilterPattern {
  const first = read(rest);
  const patterns = [first];
  while (rest.tokens[0] === operator) {
    rest.tokens.shift();
    patterns.push(read(rest));
  }
  return patterns.length === 1 ? first : { kind, patterns };
}

function readOperand(rest: Rest): FilterPattern {
  if (rest.tokens[0] !== "(") return readComparison(rest);
  rest.tokens.shift();
  const inside = readAny(rest);
  const end = rest.tokens.shift();
  if (end !== ")") throw unknown(rest.pattern, end);
  return inside;
}

function readComparison({ tokens, pattern }: Rest): FilterPattern {
  const [field, operator, quoted] = tokens.splice(0, 3);
  if (field === undefined || !field.startsWith("$.")) throw unknown(pattern, field);
  if (operator !== "=" && operator !== "!=") throw unknown(pattern, operator);
  if (quoted === undefined || !quoted.startsWith('"')) throw unknown(pattern, quoted);
  const text = quoted.slice(1, -1);
  // An asterisk elsewhere has a documented meaning too, but the template does not use it.
  if (/\*./.test(text)) throw unknown(pattern, quoted);
  return {
    kind: "compare",
    field: field.slice("$.".length),
    isEqual: operator === "=",
    text: text.replace(/\*$/, ""),
    isPrefix: text.endsWith("*"),
  };
}

function unknown(pattern: string, part: string | undefined): Error {
  const what = part === undefined || part === "" ? "its end" : part;
  return new Error(`The local stack cannot evaluate the filter pattern ${pattern}: ${what}`);
}

/**
 * Whether the pattern matches the fields of a line. Texts are compared with case. A field that the line does not have
 * matches neither `=` nor `!=`.
 */
export function matchesPattern(
  pattern: FilterPattern,
  line: Readonly<Record<string, unknown>>,
): boolean {
  switch (pattern.kind) {
    case "all":
      return pattern.patterns.every((inner) => matchesPattern(inner, line));
    case "any":
      return pattern.patterns.some((inner) => matchesPattern(inner, line));
    case "compare": {
      const value = line[pattern.field];
      if (typeof value !== "string") return false;
      const isSame = pattern.isPrefix ? value.startsWith(pattern.text) : value === pattern.text;
      return isSame === pattern.isEqual;
    }
  }
}

/** The fields that a pattern reads. */
export function fieldsIn(pattern: FilterPattern): readonly string[] {
  return pattern.kind === "compare" ? [pattern.field] : pattern.patterns.flatMap(fieldsIn);
}
