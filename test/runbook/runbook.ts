import { readFileSync } from "node:fs";

/** The parts of a section, in their order, with the words that begin them. */
export const parts = {
  means: "**Means.**",
  look: "**Look.**",
  do: "**Do.**",
  over: "**Over when**",
} as const;

export type Part = keyof typeof parts;

const document = readFileSync(new URL("../../docs/runbook.md", import.meta.url), "utf8");

/** What stands before the first section. */
export const introduction = document.slice(0, document.indexOf("\n## "));

/** The text of each section by its name. */
export const sections: ReadonlyMap<string, string> = new Map(
  document
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const [name = "", ...lines] = text.split("\n");
      return [name, lines.join("\n")];
    }),
);

export function partOf(section: string, part: Part): string {
  const text = sections.get(section) ?? "";
  const names = Object.keys(parts) as Part[];
  const next = names[names.indexOf(part) + 1];
  const from = text.indexOf(parts[part]);
  if (from < 0) throw new Error(`${section} has no part ${parts[part]}`);
  return text.slice(from, next === undefined ? undefined : text.indexOf(parts[next]));
}

/** The blocks of shell commands in a text, without the indentation of a list. */
export function shellBlocks(text: string): readonly string[] {
  const blocks = text.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm);
  return [...blocks].map(([, indent = "", block = ""]) =>
    block.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  );
}

/** Each `npx paycast …` of a part in the order of the text, whether in a block or in a sentence. */
export function commandsOf(section: string, part: Part): readonly string[] {
  const found = partOf(section, part).matchAll(/^ *(npx paycast .+)$|`(npx paycast [^`]+)`/gm);
  return [...found].map(([, line, word]) => line ?? word ?? "");
}
