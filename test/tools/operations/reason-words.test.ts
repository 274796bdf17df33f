import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { reasonText, reasonWords } from "../../../tools/operations/reason-words.ts";

/** Every code that stands in one of these unions of a source file. */
function codesOf(file: string, ...names: string[]): string[] {
  const source = readFileSync(file, "utf8");
  return names.flatMap((name) => {
    const union = new RegExp(`type ${name} =([^;]+);`).exec(source)?.[1] ?? "";
    const codes = [...union.matchAll(/\| "([a-z0-9-]+)"|= "([a-z0-9-]+)"/g)];
    expect(codes.length, name).toBeGreaterThan(1);
    return codes.map(([, code = ""]) => code);
  });
}

test.each([
  ...codesOf(
    "shared/errors/error-codes.ts",
    "QuarantineCode",
    "AmountCode",
    "KeyCode",
    "PassingCode",
    "GatewayCode",
  ),
  ...codesOf("shared/envelope/refusal.ts", "RefusalReason"),
])("%s has words for people", (reason) => {
  expect(reasonWords(reason)).toMatch(/^[A-Z].+ .+[^.]$/);
});

test("the name of an error, and of a property of every object, stays as it is", () => {
  expect(["TimeoutError", "constructor"].map(reasonText)).toEqual(["TimeoutError", "constructor"]);
  expect(reasonWords("constructor")).toBeUndefined();
});
