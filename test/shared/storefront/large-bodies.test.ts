import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { orderBody } from "./order-body.ts";

/** A body with this text in the place of one value. */
function bodyWith(place: "top" | "order" | "goods" | "good" | "orderNo", text: string): string {
  const mark = "MARK";
  const bodies = {
    top: orderBody({ extra: mark }),
    order: orderBody({ order: mark }),
    goods: orderBody({}, { goods: mark }),
    good: orderBody({}, { goods: [mark] }),
    orderNo: orderBody({}, { orderNo: mark }),
  };
  return JSON.stringify(bodies[place]).replace(`"${mark}"`, () => text);
}

const list = (length: number, element: string) => `[${Array(length).fill(element).join(",")}]`;
const nestedLists = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const nestedObjects = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
const manyFields = (count: number) =>
  `{${Array.from({ length: count }, (_item, index) => `"${index.toString(36)}":1`).join(",")}}`;

const bodies: Record<string, [body: string, pointer: string]> = {
  "125,000 goods": [bodyWith("goods", list(125_000, "1")), "/order/goods"],
  "80,000 goods without a field": [bodyWith("goods", list(80_000, "{}")), "/order/goods"],
  "goods in 100,000 lists": [bodyWith("goods", nestedLists(100_000)), "/order/goods/0"],
  "a good in 100,000 lists": [bodyWith("good", nestedLists(100_000)), "/order/goods/0"],
  "a good of 30,000 unknown fields": [bodyWith("good", manyFields(30_000)), "/order/goods/0/0"],
  "30,000 unknown fields": [manyFields(30_000), "/0"],
  "an order in 100,000 lists": [bodyWith("order", nestedLists(100_000)), "/order"],
  "an orderNo in 40,000 objects": [bodyWith("orderNo", nestedObjects(40_000)), "/order/orderNo"],
  "an unknown field in 40,000 objects": [bodyWith("top", nestedObjects(40_000)), "/extra"],
  "100,000 lists and nothing else": [nestedLists(100_000), ""],
  "inexact numbers in lists in lists": [
    `${"[".repeat(60_000)}${"1e1,".repeat(30_000)}1${"]".repeat(60_000)}`,
    "",
  ],
  "inexact numbers under a long name": [
    `{"${"k".repeat(150_000)}":${list(25_000, "1e1")}}`,
    `/${"k".repeat(150_000)}`,
  ],
};

type Answer = { statusCode: number; body: string };

/** The answers to all bodies, read on the main thread of another process with the stack that Lambda has on arm64. */
function readAll(): Record<string, Answer> {
  const script = fileURLToPath(new URL("./read-on-main-thread.ts", import.meta.url));
  const output = execFileSync(process.execPath, ["--stack-size=864", "--import", "tsx", script], {
    input: JSON.stringify(Object.values(bodies).map(([body]) => body)),
    maxBuffer: 64 * 1024 * 1024,
    encoding: "utf8",
  });
  const answers: Answer[] = JSON.parse(output);
  return Object.fromEntries(Object.keys(bodies).map((name, index) => [name, answers[index]!]));
}

describe("a body that is large or deep is refused like any other, with the stack of a function:", () => {
  let answers: Record<string, Answer>;
  beforeAll(() => {
    answers = readAll();
  });

  test.each(Object.keys(bodies))("%s", (name) => {
    const answer = answers[name]!;
    expect(answer.statusCode).toBe(400);
    const pointers = JSON.parse(answer.body).errors.map(
      (fault: { pointer: string }) => fault.pointer,
    );
    expect(pointers).toContain(bodies[name]![1]);
    expect(answer.body.length).toBeLessThan(1_000_000);
  });
});
