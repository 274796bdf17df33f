import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { commands } from "../../../tools/cli/commands.ts";
import { operatingDocument } from "../../../tools/cli/write-operating.ts";
import { markdownFiles } from "../../checks/markdown.ts";
import { runCommand, runHere, runPaycast } from "./run-paycast.ts";

describe("the command paycast", () => {
  test("npx finds it in the project, with nothing built", async () => {
    const root = fileURLToPath(new URL("../../..", import.meta.url));
    const args = ["exec", "--no", "--prefix", root, "--", "paycast", "--help"];
    const { code, out } = await runCommand("npm", args);
    expect({ code, line: out.split("\n")[0] }).toEqual({
      code: 0,
      line: "Usage: npx paycast COMMAND [options]",
    });
  });

  test.each([["--help"], ["-h"], ["help"]])("%s lists every command", async (word) => {
    const { code, out, err } = await runHere([word]);
    for (const { name, summary } of commands) {
      expect(out).toMatch(new RegExp(`^ {2}${name} +${summary.slice(0, 8)}`, "m"));
    }
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  test("a command's help has its options, examples and exit codes", async () => {
    const { code, out, err } = await runHere(["detect-profile", "--json", "--help"]);
    for (const part of ["--callback FILE", "--private-key FILE", "Examples", "Exit codes: 0"]) {
      expect(out).toContain(part);
    }
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  test("help COMMAND is the command's help", async () => {
    const { code, out } = await runHere(["help", "keys"]);
    expect({ code, out }).toEqual({ code: 0, out: (await runHere(["keys", "--help"])).out });
  });

  test("tells its version", async () => {
    expect(await runHere(["--version"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  const known = commands.map(({ name }) => name).join(", ");
  test.each([
    [[], `paycast: Name a command: ${known}.`],
    [["bananas"], `paycast: There is no command "bananas". Commands: ${known}.`],
    [
      ["detect-profil"],
      'paycast: There is no command "detect-profil". Did you mean detect-profile?',
    ],
    [["kesy"], 'paycast: There is no command "kesy". Did you mean keys?'],
    [["att"], 'paycast: There is no command "att". Did you mean attention?'],
    [["help", "chekc"], 'paycast: There is no command "chekc". Did you mean check?'],
    [["--verbose"], `paycast: There is no option "--verbose". Commands: ${known}.`],
    [["MIIEvQ+/=="], `paycast: There is no command of that name. Commands: ${known}.`],
  ])("%j is wrong usage, and the way to the help is named", async (args, message) => {
    expect(await runHere(args)).toEqual({
      code: 2,
      out: "",
      err: `${message}\nHelp: npx paycast --help\n`,
    });
  });
});

test("a fault of paycast itself is distinguished by its exit code", async () => {
  const out = () => {
    throw new TypeError("out of order");
  };
  const { code, err } = await runHere(["--help"], { out });
  expect(err).toMatch(/^paycast: this is a bug in paycast[\s\S]+out of order/);
  expect(code).toBe(3);
});

test("an error that quotes AWS or a sender cannot drive the terminal", async () => {
  const out = () => {
    throw new PaycastError("not-found", "no\u001b[2J\u0007order");
  };
  const { err } = await runHere(["--help"], { out });
  expect(err).toBe("paycast: no\ufffd[2J\ufffdorder\n");
});

describe("the arguments of detect-profile", () => {
  test.each([
    ["--bogus=c2VjcmV0", "There is no option --bogus.\n"],
    ["--privat-key=c2VjcmV0", "There is no option --privat-key. Did you mean --private-key?\n"],
    ["--calback x", "There is no option --calback. Did you mean --callback?\n"],
    ["c2VjcmV0", "One argument belongs to no option."],
    ["--aes-key", "--aes-key needs a value."],
    ["--json=c2VjcmV0", "--json takes no value."],
    ["--json", "Give one captured envelope: --callback FILE or --request FILE."],
    ["--callback a --request b", "Give one captured envelope: --callback FILE or --request FILE."],
    ["--callback a --public-key b", "Give the AES key with --aes-key FILE."],
    ["--request a --aes-key b --public-key c --private-key d", "not both."],
    ["--request a --aes-key b", "Give the merchant's key with --private-key FILE or --public-key"],
    ["--callback a --aes-key b --private-key c", "Give the service's public key with --public-key"],
  ])("%s is wrong usage, and nothing that may be a key is repeated", async (line, message) => {
    const { code, err } = await runHere(["detect-profile", ...line.split(" ")]);
    expect(err).toContain(message);
    expect(err).toContain("Help: npx paycast detect-profile --help\n");
    expect(err).not.toContain("c2VjcmV0");
    expect(code).toBe(2);
  });

  test("with --json an error is JSON on standard output too", async () => {
    const { code, out, err } = await runPaycast("detect-profile", "--json");
    const message = "Give one captured envelope: --callback FILE or --request FILE.";
    expect(JSON.parse(out)).toEqual({ error: { code: "wrong-usage", message } });
    expect(err).toContain(message);
    expect(code).toBe(2);
  });
});

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

  test.each(lines)("%s: %s has a command and options that exist", async (_case, line) => {
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

  test("docs/operating.md has a section for each command, and for no other", () => {
    const marks = readFileSync("docs/operating.md", "utf8").matchAll(
      /^## (\S+)\n\n<!-- help: (\S+) -->$/gm,
    );
    const names = commands.map(({ name }) => name);
    expect([...marks].map(([, heading, mark]) => [heading, mark])).toEqual(
      names.map((name) => [name, name]),
    );
  });
});
