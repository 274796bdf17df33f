import { readFileSync, writeFileSync } from "node:fs";
import { untoldReplacements } from "./replacements.ts";
import { acceptedFile, statefulResources } from "./stateful-resources.ts";

/** Accepts the ids as they are now: part of a release, or of a change whose cost the CHANGELOG tells. */
const actual = statefulResources();
const changelog = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
const untold = untoldReplacements(
  JSON.parse(readFileSync(acceptedFile, "utf8")),
  actual,
  changelog,
);
if (untold.length > 0) {
  console.error(
    `The CHANGELOG does not say what users must do about ${untold.join(", ")}: name each under "What a deployment replaces".`,
  );
  process.exitCode = 1;
} else {
  writeFileSync(acceptedFile, `${JSON.stringify(actual, null, 2)}\n`);
}
