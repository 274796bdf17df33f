import Big from "big.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  inexactNumbers,
  plainDecimal,
  type WrittenNumber,
} from "../../../shared/money/exact-numbers.ts";
import { draws } from "../../setup/draws.ts";

function firstIn(json: string): WrittenNumber | undefined {
  const [first] = inexactNumbers(json);
  return first;
}

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
  unit: fc.constantFrom(...'aé😀"\\/~{[,:\n\u2028', "1e5"),
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

function isRounded(written: string): boolean {
  const parsed: number = JSON.parse(written);
  return !(Number.isFinite(parsed) && Big(parsed).eq(Big(written)));
}

function firstExpected(node: Tree, pointer = ""): WrittenNumber | undefined {
  if ("number" in node) {
    return isRounded(node.number) ? { pointer, written: node.number } : undefined;
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

describe("the numbers that JSON.parse changes", () => {
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
    "1e3",
    "1.5E+2",
    "-1e-2",
    "0e999999999",
    "1e22",
    '"9007199254740993"',
    '"1e3"',
    '{"1e3":"\\"1e3","\\\\":1}',
    "[]",
    "{}",
    "null",
  ])("are not in %s", (json) => {
    JSON.parse(json);
    expect(firstIn(json)).toBeUndefined();
  });

  test.each([
    ["9007199254740993", ""],
    ["-9007199254740993", ""],
    ["90071992547409.91", ""],
    ["0.30000000000000001", ""],
    ["0.1000000000000000000000000000001", ""],
    ["9".repeat(400), ""],
    [`0.${"0".repeat(400)}1`, ""],
    ["9007199254740.993E+3", ""],
    ["1e999", ""],
    ["1e-999", ""],
    ["1e999999999999999999999999", ""],
    ['{"paymentAmount":12.300000000000000001}', "/paymentAmount"],
    ['{"a":"1e999","b":[1,{"c":2},{"d":"x","e":[0,1e999]}]}', "/b/2/e/1"],
    ['{"a":{"b":[1]},"c":1e999}', "/c"],
    ['{"a/b":{"m~n":{"\\"q\\u0041\\\\":1e999}}}', '/a~1b/m~0n/"qA\\'],
    ["[1,1e3,\n\t1e999 ,9007199254740993]", "/2"],
    ['{"":1e999}', "/"],
  ])("in %s begin at %j", (json, pointer) => {
    JSON.parse(json);
    expect(firstIn(json)?.pointer).toBe(pointer);
  });

  test("are reported as they are written, with their sign", () => {
    expect(firstIn("-9007199254740993")?.written).toBe("-9007199254740993");
  });

  test("are skipped where they are nested too deep", () => {
    const pointers = [...inexactNumbers("[1e999,[1e999]]", 1)].map(({ pointer }) => pointer);
    expect(pointers).toEqual(["/0"]);
  });

  test("are those for which big.js sees a change", () => {
    fc.assert(
      fc.property(fc.oneof(plainNumber, exponentNumber, exactNumber), (token) => {
        expect(firstIn(token) !== undefined).toBe(isRounded(token));
      }),
      { numRuns: draws(2000) },
    );
  });

  test("are found wherever they stand", () => {
    const mostlyExact = fc.oneof(
      { weight: 8, arbitrary: exactNumber },
      { weight: 1, arbitrary: plainNumber },
      { weight: 1, arbitrary: exponentNumber },
    );
    fc.assert(
      fc.property(tree(mostlyExact), fc.constantFrom("", " ", "\n\t"), (node, space) => {
        const json = render(node, space);
        JSON.parse(json);
        expect(firstIn(json)).toEqual(firstExpected(node));
      }),
      { numRuns: draws(1000) },
    );
  });

  test("are not in what JSON.stringify writes", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(firstIn(JSON.stringify(value))).toBeUndefined();
      }),
    );
  });

  test("are found in large texts too", () => {
    const size = 200_000;
    expect(firstIn(`0.${"0".repeat(size)}1`)?.pointer).toBe("");
    expect(firstIn(`1${"0".repeat(size)}1`)?.pointer).toBe("");
    expect(firstIn(`["${"\\\\".repeat(size)}",1e999]`)?.pointer).toBe("/1");
    expect(firstIn(`["${'\\"'.repeat(size)}",1e999]`)?.pointer).toBe("/1");
    expect(firstIn(`${"[".repeat(size)}1e999${"]".repeat(size)}`)?.pointer).toHaveLength(2 * size);
    expect(firstIn(`[${"1.5,".repeat(size)}1]`)).toBeUndefined();
  });

  test("are looked for without an error, whatever the text", () => {
    const fragment = fc.constantFrom(...'"\\{}[],:-.x1', "1e3");
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: fragment })), (text) => {
        firstIn(text);
      }),
      { numRuns: draws(1000) },
    );
  });
});

describe("a number without its exponent", () => {
  test.each([
    ["1E+3", "1000"],
    ["1.25e2", "125"],
    ["-12.50e-1", "-1.25"],
    ["5e-3", "0.005"],
    ["90071992547409.93", "90071992547409.93"],
    ["0e999999999", "0"],
    ["-0", "-0"],
    ["100e-2", "1"],
    ["1e63", `1${"0".repeat(63)}`],
  ])("%s is %s", (written, decimal) => {
    expect(plainDecimal(written)).toBe(decimal);
  });

  test("is what big.js says", () => {
    fc.assert(
      fc.property(fc.oneof(plainNumber, exponentNumber), (written) => {
        const decimal = plainDecimal(written);
        if (decimal !== undefined) expect(Big(decimal).eq(Big(written))).toBe(true);
        expect(decimal).not.toMatch(/e/i);
      }),
      { numRuns: draws(1000) },
    );
  });

  test.each(["1e64", "1e999999999", "1e-999999999", `1e${"9".repeat(1000)}`, "7".repeat(65)])(
    "does not exist if it would be too long: %s",
    (written) => expect(plainDecimal(written)).toBeUndefined(),
  );
});
