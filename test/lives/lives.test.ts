import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { playLife } from "./play-life.ts";
import { readLives } from "./read-lives.ts";

const { head, lives } = readLives(readFileSync(new URL("lives.txt", import.meta.url), "utf8"));

/** To change what is said, or to add a life, edit the steps and run this test with `--update`. Then read every change. */
test("every life of the text goes as the text says", async () => {
  const played: string[] = [];
  for (const life of lives) played.push(await playLife(life));
  const text = [head, ...played].join("").trimEnd();
  await expect(`${text}\n`).toMatchFileSnapshot("lives.txt");
});

test("no life stands in the text twice", () => {
  const allSteps = lives.map(({ steps }) =>
    steps.flatMap(({ text, meanwhile }) => [text, ...meanwhile.map((other) => other.text)]).join(),
  );
  expect(new Set(allSteps).size).toBe(lives.length);
  expect(new Set(lives.map(({ title }) => title)).size).toBe(lives.length);
});
