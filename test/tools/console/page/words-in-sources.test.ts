import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ownWords } from "../unexplained-words.ts";

/** The walk through the pages sees no rare state of them. So this looks at what the sources can say: literals, and text between tags. */
const said = /"[^"\n]*"|`[^`]*`|>[^<>{}=;()]*</g;
const sentencesOf = (text: string) =>
  (text.match(said) ?? [])
    .map((candidate) => candidate.replaceAll(/\$\{[^}]*\}/g, "").trim())
    .filter((candidate) => /[a-z] [a-z]/i.test(candidate));
const comment = /\/\*[\s\S]*?\*\/|\/\/ .*$/gm;

const sources = [
  "tools/console/page",
  "tools/console/routes",
  "tools/console/server",
  "tools/console/tour",
]
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  )
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(path, "utf8").replaceAll(comment, "") }));
const all = sources.map(({ text }) => text).join("\n");

test.each(Object.entries(ownWords))("where %s is on a page, a page explains it", (word, form) => {
  const isExplained = new RegExp(`(of|word)(=|: )"([a-z]+ )?${word}"`).test(all);
  const uses = sources.flatMap(({ path, text }) =>
    sentencesOf(text)
      .filter((candidate) => form.test(candidate))
      .map((candidate) => `${path}: ${candidate}`),
  );
  if (!isExplained) expect(uses).toEqual([]);
});

test("sentences are found in the sources", () => {
  expect(sentencesOf(all).length).toBeGreaterThan(300);
});
