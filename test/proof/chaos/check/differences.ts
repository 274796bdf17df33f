import type { Expectation } from "./expect.ts";

/** Every field in which what was found differs from what was expected, with its path. A field that is undefined is absent. */
export function differences(expected: unknown, found: unknown, path = ""): string[] {
  if (isExpectation(expected)) {
    return expected(found) ? [] : [`${path} is ${wordsOf(found)}, not ${expected.wants}`];
  }
  if (!isObject(expected) || !isObject(found)) {
    return expected === found ? [] : [`${path} is ${wordsOf(found)}, not ${wordsOf(expected)}`];
  }
  const fields = {
    expected: new Map(Object.entries(expected)),
    found: new Map(Object.entries(found)),
  };
  const names = new Set([...fields.expected.keys(), ...fields.found.keys()]);
  return [...names].flatMap((name) => {
    const at = path === "" ? name : `${path}.${name}`;
    return differences(fields.expected.get(name), fields.found.get(name), at);
  });
}

function isExpectation(value: unknown): value is Expectation {
  return typeof value === "function";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function wordsOf(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}
