import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { readArguments } from "../../../../tools/cli/frame/read-arguments.ts";
import { commandLine } from "../../../../tools/operations/described/command-line.ts";
import { formsOf } from "../../../../tools/operations/described/input-fields.ts";
import { tea } from "./tea-operations.ts";

const [list, show, pour] = formsOf(tea);
const [, , pouring] = tea.operations;

/** The words that bash makes of the line, after `npx paycast tea pour`. */
function wordsIn(line: string): string[] {
  const script = `npx() { printf '%s\\0' "$@"; }; ${line}`;
  const text = execFileSync("bash", ["-c", script], { encoding: "utf8" });
  return text.split("\0").slice(3, -1);
}

test("a command has its words first, then its options, then the stack", () => {
  const line = pour && commandLine(pour, { ids: ["abcd", "beef"], into: "a cup" }, "Paycast");
  expect(line).toBe("npx paycast tea pour abcd beef --into 'a cup' --stack Paycast");
});

test("what is not given is left out, and a flag has no value", () => {
  expect(show && commandLine(show, { id: "abcd", raw: true }, undefined)).toBe(
    "npx paycast tea show abcd --raw",
  );
  expect(list && commandLine(list, { kind: undefined, limit: 7, madeSince: "" }, undefined)).toBe(
    "npx paycast tea list --limit 7",
  );
});

test.each(["--all", "-x; rm", "$(id)", "'\u202e\n", "--stack=Other", "cup"])(
  "the command line reads %j as the value that it is, wherever it stands",
  async (text) => {
    const input = { ids: ["abcd", `${text}----`], into: text };
    if (pour === undefined || pouring === undefined) throw new Error("there is no tea");
    const read = await readArguments(pouring, wordsIn(commandLine(pour, input, "Paycast")));
    expect(read).toMatchObject({ asked: input, frame: { stack: "Paycast" } });
  },
);
