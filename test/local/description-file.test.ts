import { statSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { descriptionFile, writeDescription } from "../../local/describe-stack.ts";
import type { LocalDescription } from "../../operations/target/local-description.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";

test("only its owner can read the file with the console's token, also after a crash left a part of it", () => {
  const directory = temporaryFolder("description");
  const file = descriptionFile(directory);
  writeFileSync(`${file}.new`, "{", { mode: 0o644 });
  writeDescription(directory, { api: "http://127.0.0.1:1" } as LocalDescription);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
