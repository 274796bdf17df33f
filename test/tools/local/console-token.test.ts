import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { keptToken } from "../../../tools/local/console-token.ts";
import { descriptionFile, writeDescription } from "../../../tools/local/describe-stack.ts";
import type { LocalDescription } from "../../../tools/operations/local-stack/local-description.ts";
import { temporaryFolder } from "../../setup/temporary-folder.ts";

let directory: string;
let file: string;
beforeEach(() => {
  directory = join(temporaryFolder("token"), "home");
  file = join(directory, "console-token");
});

test("the next start finds the token of the first, and only its owner can read it", () => {
  const token = keptToken(directory);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(keptToken(directory)).toBe(token);
  expect(readFileSync(file, "utf8")).toBe(token);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a token that others could read is replaced", () => {
  const token = keptToken(directory);
  chmodSync(file, 0o640);
  expect(keptToken(directory)).not.toBe(token);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test.each(["", "short", `${"x".repeat(43)}\n`])("a file that holds %j is replaced", (text) => {
  keptToken(directory);
  writeFileSync(file, text);
  expect(keptToken(directory)).toMatch(/^[\w-]{43}$/);
});

test("only its owner can read the file with the console's token, also after a crash left a part of it", () => {
  const directory = temporaryFolder("description");
  const file = descriptionFile(directory);
  writeFileSync(`${file}.${process.pid}.new`, "{", { mode: 0o644 });
  writeDescription(directory, { api: "http://127.0.0.1:1" } as LocalDescription);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
