/** A number as it is written in a JSON text; `pointer` is a JSON pointer (RFC 6901). */
export interface WrittenNumber {
  readonly pointer: string;
  readonly written: string;
}

/** An open object or array: the current index in it, or the position of its latest name in the text. */
interface Container {
  readonly isArray: boolean;
  index: number;
  nameStart: number;
  nameEnd: number;
}

/**
 * The numbers that JSON.parse would change. Reads the text, because a parsed value has lost its digits. The text must
 * be valid JSON (parse it first). For other text the result is meaningless, but it takes linear time and does not
 * throw. Numbers nested deeper than `deepest` are skipped.
 */
export function* inexactNumbers(json: string, deepest = Infinity): Generator<WrittenNumber> {
  const containers: Container[] = [];
  let at = 0;
  while (at < json.length) {
    const char = json.charAt(at);
    const end = endOfToken(json, at, char);
    if (startsNumber(char)) {
      const written = json.slice(at, end);
      if (containers.length <= deepest && isRounded(written)) {
        yield { pointer: pointerTo(json, containers), written };
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

/** In valid JSON, when a value other than a string starts in an object, the latest string is its name. */
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

function isRounded(written: string): boolean {
  // A double keeps 15 digits exactly, and most numbers have no more.
  if (written.length <= 15 && !/[eE]/.test(written)) return false;
  const [left, right] = [significant(written), significant(String(Number(written)))];
  return left.digits !== right.digits || left.power !== right.power;
}

/** Longer than any id (§8) and any amount. It limits the work: `1e999999999` has a thousand million digits. */
const longestDecimal = 64;

/** A number without an exponent: "1.5E+2" is "150". Undefined if that would be too long. */
export function plainDecimal(written: string): string | undefined {
  const { digits, power } = significant(written);
  if (Math.max(digits.length, digits.length + power, -power) > longestDecimal) return undefined;
  const sign = written.startsWith("-") ? "-" : "";
  if (digits === "") return `${sign}0`;
  if (power >= 0) return `${sign}${digits}${"0".repeat(power)}`;
  const padded = digits.padStart(1 - power, "0");
  return `${sign}${padded.slice(0, power)}.${padded.slice(power)}`;
}

/** The digits of a number without leading and trailing zeros, and their power of ten. No digits for 0. */
function significant(written: string): { digits: string; power: number } {
  const [mantissa = "", exponent = "0"] = written.replace(/^-/, "").split(/[eE]/);
  const [integer = "", fraction = ""] = mantissa.split(".");
  const digits = `${integer}${fraction}`.replace(/^0+/, "");
  // Not /0+$/, which takes quadratic time on many zeros before another digit.
  let length = digits.length;
  while (digits[length - 1] === "0") length -= 1;
  if (length === 0) return { digits: "", power: 0 };
  const power = Number(exponent) - fraction.length + digits.length - length;
  return { digits: digits.slice(0, length), power };
}
