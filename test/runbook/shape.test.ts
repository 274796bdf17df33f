import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { introduction, type Part, partOf, parts, sections, shellBlocks } from "./runbook.ts";

/** The words in capitals that the introduction explains. */
const explained = introduction.split("\n").filter((line) => line.startsWith("- `"));
const placeholders = explained.flatMap((line) => line.match(/(?<=`)[A-Z_]+(?=`)/g) ?? []);

const blocks = [["the introduction", introduction] as const, ...sections].flatMap(([name, text]) =>
  shellBlocks(text).map((block) => [name, block] as const),
);

test("the runbook has many sections and commands", () => {
  expect(sections.size).toBeGreaterThan(20);
  expect(blocks.length).toBeGreaterThan(25);
  expect(placeholders.length).toBeGreaterThan(4);
});

test.each([...sections.keys()])(
  "%s says what it means, where to look, what to do, and when it is over",
  (name) => {
    const text = sections.get(name) ?? "";
    const places = Object.values(parts).map((begin) => text.indexOf(`\n${begin}`));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    for (const part of Object.keys(parts) as Part[]) {
      const words = partOf(name, part).split(/\s+/);
      expect(words.length, `${name}, ${part}`).toBeGreaterThan(5);
    }
  },
);

test("where a deployment may be the cause, the section says how to go back", () => {
  const lines = [...sections.values()].join("\n").match(/^- .*after a deployment.*$/gim) ?? [];
  expect(lines.length).toBeGreaterThan(3);
  for (const line of lines) {
    expect(line).toContain("(changing.md#going-back-to-an-earlier-version)");
  }
});

test("each section that has commands is walked", () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".test.ts"));
  const walks = files.map((name) => readFileSync(`${import.meta.dirname}/${name}`, "utf8")).join();
  const withCommands = [...sections].filter(([, text]) => text.includes("npx paycast "));
  expect(withCommands.length).toBeGreaterThan(20);
  for (const [name] of withCommands) expect(walks, name).toMatch(new RegExp(`"${name}[":]`));
});

describe.each(blocks)("%s: %s", (_name, block) => {
  test("is what a shell understands", () => {
    const { status, stderr } = spawnSync("sh", ["-n"], { input: block, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test("has nothing to fill in but the words that the introduction explains", () => {
    const unquoted = block.replaceAll(/'[^']*'|"\$[^"]*"/g, "");
    expect(unquoted).not.toMatch(/[<>[\]…]|\.\.\./);
    const capitals = unquoted.replaceAll(/export \w+=\w+/g, "").match(/\b[A-Z][A-Z_]+\b/g) ?? [];
    for (const word of capitals) expect(placeholders).toContain(word);
  });

  test("runs nothing but the command, and AWS's where the command cannot help", () => {
    const lines = block.replaceAll("\\\n", " ").trim().split("\n");
    for (const line of lines) {
      expect(line).toMatch(
        /^(npx paycast |export |eval "\$\(npx paycast env\)"$|aws |echo '.+' \| npx paycast )/,
      );
    }
  });
});
