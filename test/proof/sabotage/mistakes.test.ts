import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { check } from "../chaos/check/check.ts";
import { restRule } from "../chaos/figures.ts";
import { seenWith } from "../chaos/synthetic.ts";
import { readMistakes, withMistake } from "./mistakes.ts";

const mistakes = readMistakes();

test.each(mistakes)("the mistake $name fits into the sources", (mistake) => {
  const source = readFileSync(mistake.file, "utf8");
  expect(withMistake(source, mistake)).not.toBe(source);
});

test("there are many mistakes, for each rule that the checker has", () => {
  const rules = check(seenWith({}).evidence).map(({ rule }) => rule);
  expect(mistakes.length).toBeGreaterThanOrEqual(24);
  const withMistakes = new Set(mistakes.map(({ rule }) => rule));
  expect([...withMistakes].sort()).toEqual([...rules, restRule].sort());
});
