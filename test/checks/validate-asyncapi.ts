import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

/**
 * Validates docs/asyncapi.json with the parser of AsyncAPI, and fails if it objects to anything. A test checks its
 * examples against their schemas. `.ci/run` calls it with the folder in which it has installed the parser.
 */
const [folder = ""] = process.argv.slice(2);
const { Parser } = createRequire(`${resolve(folder)}/`)("@asyncapi/parser");

const { document, diagnostics } = await new Parser().parse(
  readFileSync("docs/asyncapi.json", "utf8"),
);
for (const { code, path, message } of diagnostics) {
  console.error(`docs/asyncapi.json: ${code} at ${path.join("/")}: ${message}`);
}
const messages = document?.allMessages().length ?? 0;
console.log(
  `docs/asyncapi.json: ${document?.allChannels().length ?? 0} channels, ${messages} messages`,
);
process.exitCode = diagnostics.length === 0 && messages > 0 ? 0 : 1;
