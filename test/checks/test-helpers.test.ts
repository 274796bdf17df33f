import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { projectFiles } from "./project-files.ts";

const isHelper = (path: string) => /^test\/.*(?<!\.test)\.ts$/.test(path);

/** Test files of a worker share their modules: only the first file would get a hook of a module that is being loaded. */
test("a helper adds hooks when a test file calls it, not when it is loaded", () => {
  const helpers = projectFiles().filter(
    (path) => isHelper(path) && !path.startsWith("test/setup/"),
  );
  const adding = helpers.filter((path) =>
    /^(before|after)(All|Each)\(/m.test(readFileSync(path, "utf8")),
  );
  expect(helpers.length).toBeGreaterThan(50);
  expect(adding).toEqual([]);
});
