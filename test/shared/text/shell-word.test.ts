import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { shellWord } from "../../../shared/text/shell-word.ts";

const words = [
  "ORDER-1",
  "--yes",
  "",
  "a b",
  "it's",
  '$(touch x) `id` $HOME \\ " ; | & > < * ? ~ # !',
  "line\nbreak; rm -rf /",
  "\u202e1001\u202c!",
  "\u001b[2J\u0003'\\",
  "Ü€𝄞",
];

test.each(words)("bash reads %j as one word with the same characters", (word) => {
  const line = `printf '%s|' ${shellWord(word)}`;
  expect(execFileSync("bash", ["-c", line], { encoding: "utf8" })).toBe(`${word}|`);
});

test("what cannot be seen is written in visible characters, on one line", () => {
  for (const word of words) expect(shellWord(word)).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u);
});

test("a word of letters and digits needs no quotes", () => {
  expect(shellWord("0c1f:a/b.c-d_e")).toBe("0c1f:a/b.c-d_e");
});
