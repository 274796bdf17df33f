import Big from "big.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findInexactNumber, type InexactNumber } from "../../../shared/money/exact-numbers.ts";

/** A JSON value whose numbers are the text they are written as. */
type Tree =
  | { number: string }
  | { scalar: string }
  | { items: Tree[] }
  | { members: [string, Tree][] };

const digits = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength });
const plainNumber = fc
  .tuple(fc.boolean(), digits(25), fc.option(digits(25), { nil: undefined }))
  .map(([negative, whole, fraction]) => {
    const integer = whole.replace(/^0+(?=.)/, "");
    return `${negative ? "-" : ""}${integer}${fraction === undefined ? "" : `.${fraction}`}`;
  });
const exponentNumber = fc
  .tuple(plainNumber, fc.constantFrom("e", "E", "e+", "E-"), fc.nat(30))
  .map(([mantissa, e, power]) => `${mantissa}${e}${power}`);
const exactNumber = fc.oneof(
  fc.integer().map(String),
  fc.maxSafeInteger().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => Big(value).toFixed()),
);
const awkwardText = fc.string({
  unit: fc.constantFrom(
    "a",
    "é",
    "😀",
    '"',
    "\\",
    "/",
    "~",
    "{",
    "[",
    ",",
    ":",
    "1e5",
    "\n",
    "\u2028",
  ),
  maxLength: 6,
});

function tree(number: fc.Arbitrary<string>): fc.Arbitrary<Tree> {
  return fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      number.map((text) => ({ number: text })),
      awkwardText.map((text) => ({ scalar: JSON.stringify(text) })),
      fc.constantFrom("true", "false", "null").map((scalar) => ({ scalar })),
      fc.array(tie("tree"), { maxLength: 4 }).map((items) => ({ items })),
      fc
        .uniqueArray(fc.tuple(awkwardText, tie("tree")), {
          maxLength: 4,
          selector: ([name]) => name,
        })
        .map((members) => ({ members })),
    ),
  })).tree;
}

function render(node: Tree, space: string): string {
  if ("number" in node) return node.number;
  if ("scalar" in node) return node.scalar;
  const join = (parts: string[]) => parts.join(`${space},${space}`);
  if ("items" in node) {
    return `[${space}${join(node.items.map((item) => render(item, space)))}${space}]`;
  }
  const members = node.members.map(
    ([name, value]) => `${JSON.stringify(name)}${space}:${space}${render(value, space)}`,
  );
  return `{${space}${join(members)}${space}}`;
}

function expectedFault(token: string): InexactNumber["reason"] | undefined {
  if (/e/i.test(token)) return "exponent";
  const parsed: number = JSON.parse(token);
  return Number.isFinite(parsed) && Big(parsed).eq(Big(token)) ? undefined : "rounded";
}

function firstExpected(node: Tree, pointer = ""): InexactNumber | undefined {
  if ("number" in node) {
    const reason = expectedFault(node.number);
    return reason === undefined ? undefined : { pointer, reason };
  }
  if ("scalar" in node) return undefined;
  const children: [string, Tree][] =
    "items" in node ? node.items.map((item, index) => [String(index), item]) : node.members;
  for (const [name, child] of children) {
    const step = name.replaceAll("~", "~0").replaceAll("/", "~1");
    const found = firstExpected(child, `${pointer}/${step}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

describe("findInexactNumber", () => {
  test.each([
    "0",
    "-0",
    "0.00",
    "0.1",
    "12.30",
    "12.3000000000000000000000000000",
    "9007199254740991",
    "9007199254740992",
    "0.0000001",
    "1000000000000000000000",
    "-90071992547409.92",
    "0.30000000000000004",
    '"9007199254740993"',
    '"1e3"',
    '{"1e3":"\\"1e3","\\\\":1}',
    "[]",
    "{}",
    "null",
  ])("finds nothing in %s", (json) => {
    JSON.parse(json);
    expect(findInexactNumber(json)).toBeUndefined();
  });

  test.each([
    ["9007199254740993", "", "rounded"],
    ["-9007199254740993", "", "rounded"],
    ["90071992547409.91", "", "rounded"],
    ["0.30000000000000001", "", "rounded"],
    ["0.1000000000000000000000000000001", "", "rounded"],
    ["9".repeat(400), "", "rounded"],
    [`0.${"0".repeat(400)}1`, "", "rounded"],
    ["1e3", "", "exponent"],
    ["1.5E+2", "", "exponent"],
    ["-1e-2", "", "exponent"],
    ["1e999", "", "exponent"],
    ['{"paymentAmount":12.300000000000000001}', "/paymentAmount", "rounded"],
    ['{"a":"1e3","b":[1,{"c":2},{"d":"x","e":[0,1e3]}]}', "/b/2/e/1", "exponent"],
    ['{"a":{"b":[1]},"c":1e3}', "/c", "exponent"],
    ['{"a/b":{"m~n":{"\\"q\\u0041\\\\":1e3}}}', '/a~1b/m~0n/"qA\\', "exponent"],
    ["[1,2,\n\t1e3 ,9007199254740993]", "/2", "exponent"],
    ['{"":1e3}', "/", "exponent"],
  ])("in %s finds the number at %j, %s", (json, pointer, reason) => {
    JSON.parse(json);
    expect(findInexactNumber(json)).toEqual({ pointer, reason });
  });

  test("finds a number on its own exactly when big.js sees JSON.parse change it", () => {
    fc.assert(
      fc.property(fc.oneof(plainNumber, exponentNumber, exactNumber), (token) => {
        expect(findInexactNumber(token)?.reason).toBe(expectedFault(token));
      }),
      { numRuns: 2000 },
    );
  });

  test("finds the first such number wherever it stands", () => {
    const mostlyExact = fc.oneof(
      { weight: 8, arbitrary: exactNumber },
      { weight: 1, arbitrary: plainNumber },
      { weight: 1, arbitrary: exponentNumber },
    );
    fc.assert(
      fc.property(tree(mostlyExact), fc.constantFrom("", " ", "\n\t"), (node, space) => {
        const json = render(node, space);
        JSON.parse(json);
        expect(findInexactNumber(json)).toEqual(firstExpected(node));
      }),
      { numRuns: 1000 },
    );
  });

  test("finds nothing in what JSON.stringify writes without an exponent", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const found = findInexactNumber(JSON.stringify(value));
        expect(found?.reason).not.toBe("rounded");
      }),
    );
  });

  test("gets to the end of large texts", () => {
    const size = 200_000;
    expect(findInexactNumber(`0.${"0".repeat(size)}1`)?.reason).toBe("rounded");
    expect(findInexactNumber(`1${"0".repeat(size)}1`)?.reason).toBe("rounded");
    expect(findInexactNumber(`["${"\\\\".repeat(size)}",1e3]`)?.pointer).toBe("/1");
    expect(findInexactNumber(`["${'\\"'.repeat(size)}",1e3]`)?.pointer).toBe("/1");
    expect(findInexactNumber(`${"[".repeat(size)}1e3${"]".repeat(size)}`)?.pointer).toHaveLength(
      2 * size,
    );
    expect(findInexactNumber(`[${"1.5,".repeat(size)}1]`)).toBeUndefined();
  });

  test("never throws, whatever the text", () => {
    const fragment = fc.constantFrom(
      '"',
      "\\",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "1e3",
      "-",
      ".",
      "x",
      "1",
    );
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: fragment })), (text) => {
        findInexactNumber(text);
      }),
      { numRuns: 1000 },
    );
  });
});
