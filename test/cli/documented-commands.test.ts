import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { commands } from "../../cli/commands.ts";
import { operatingDocument } from "../../cli/write-operating.ts";
import { markdownFiles } from "../checks/markdown.ts";
import { runHere } from "./run-paycast.ts";

/** Every `npx paycast …` in a document, in a block of code or in the text, without its output. */
function commandLines(document: string): string[] {
  const text = readFileSync(document, "utf8").replaceAll("\\\n", " ");
  const found = text.matchAll(/npx paycast( [^`\n|")]*)?/g);
  return [...new Set([...found].map(([line]) => line.trim()))];
}

const lines = markdownFiles().flatMap((document) =>
  commandLines(document).map((line) => [document, line] as const),
);

describe("a command in the documents", () => {
  test("there are many of them", () => {
    expect(lines.length).toBeGreaterThan(30);
  });

  test.each(lines)("%s: %s has a command and options that exist", async (_, line) => {
    const [name = "", ...words] = line.split(/\s+/).slice(2);
    if (name === "" || name === "COMMAND") return;
    expect(commands.map((command) => command.name).concat("--help", "--version", "help")).toContain(
      name,
    );
    if (name.startsWith("--") || name === "help") return;
    const { out } = await runHere([name, "--help"]);
    for (const option of words.filter((word) => word.startsWith("--"))) {
      expect(out, `${name} has ${option}`).toMatch(new RegExp(`${option.split("=")[0]}\\b`));
    }
  });

  test("docs/operating.md has every command as its description tells it (npm run docs)", async () => {
    expect(readFileSync("docs/operating.md", "utf8")).toBe(await operatingDocument());
  });
});
