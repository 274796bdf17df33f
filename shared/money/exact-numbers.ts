/** A number in a JSON text that is not safe to use; `pointer` is a JSON pointer (RFC 6901). */
export interface InexactNumber {
  readonly pointer: string;
  /** `rounded`: JSON.parse would change it. `exponent`: written like 1e3, which an amount must not be. */
  readonly reason: "rounded" | "exponent";
}

/** An open object or array: the current index in it, or where its latest name is in the text. */
interface Container {
  readonly isArray: boolean;
  index: number;
  nameStart: number;
  nameEnd: number;
}

/**
 * Finds the first number that JSON.parse would not keep exactly, or that is in exponent notation. It reads the text,
 * because a parsed value has lost its digits. The text must be valid JSON (parse it first). For other text the result
 * is undefined, but it takes linear time and does not throw.
 */
export function findInexactNumber(json: string): InexactNumber | undefined {
  for (const inexact of inexactNumbers(json)) return inexact;
  return undefined;
}

/** Like `findInexactNumber`, but gives all of them. Numbers nested deeper than `deepest` are skipped. */
export function* inexactNumbers(json: string, deepest = Infinity): Generator<InexactNumber> {
  const containers: Container[] = [];
  let at = 0;
  while (at < json.length) {
    const char = json.charAt(at);
    const end = endOfToken(json, at, char);
    if (startsNumber(char)) {
      const reason = faultOf(json.slice(at, end));
      if (reason !== undefined && containers.length <= deepest) {
        yield { pointer: pointerTo(json, containers), reason };
      }
    } else {
      track(containers, char, at, end);
    }
    at = end;
  }
}

function startsNumber(char: string): boolean {
  return char === "-" || (char >= "0" && char <= "9");
}

function endOfToken(json: string, start: number, char: string): number {
  if (char === '"') return endOfString(json, start);
  return startsNumber(char) ? endOfNumber(json, start) : start + 1;
}

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

function endOfNumber(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && "0123456789.eE+-".includes(json.charAt(at))) at += 1;
  return at;
}

/** In valid JSON, when a value that is not a string begins in an object, the latest string is the value's name. */
function track(containers: Container[], char: string, start: number, end: number): void {
  const innermost = containers.at(-1);
  if (char === "{" || char === "[") {
    containers.push({ isArray: char === "[", index: 0, nameStart: 0, nameEnd: 0 });
  } else if (char === "}" || char === "]") {
    containers.pop();
  } else if (char === "," && innermost !== undefined) {
    innermost.index += 1;
  } else if (char === '"' && innermost !== undefined) {
    innermost.nameStart = start;
    innermost.nameEnd = end;
  }
}

function pointerTo(json: string, containers: readonly Container[]): string {
  return containers
    .map((container) => (container.isArray ? String(container.index) : nameIn(json, container)))
    .map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}

function nameIn(json: string, container: Container): string {
  const quoted = json.slice(container.nameStart, container.nameEnd);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}

function faultOf(token: string): InexactNumber["reason"] | undefined {
  if (/[eE]/.test(token)) return "exponent";
  // A double keeps 15 digits exactly, and most numbers have no more.
  if (token.length <= 15) return undefined;
  return normalize(token) === normalize(String(Number(token))) ? undefined : "rounded";
}

/** One spelling for each decimal, without its sign: "12.50" and "0.125e+2" both give "125e-1". */
function normalize(decimal: string): string {
  const [mantissa = "", exponent = "0"] = decimal.replace(/^-/, "").split("e");
  const [integer = "", fraction = ""] = mantissa.split(".");
  const digits = `${integer}${fraction}`.replace(/^0+/, "");
  // Not /0+$/: that takes quadratic time on many zeros that are followed by another digit.
  let length = digits.length;
  while (digits[length - 1] === "0") length -= 1;
  if (length === 0) return "0";
  const power = Number(exponent) - fraction.length + digits.length - length;
  return `${digits.slice(0, length)}e${power}`;
}
