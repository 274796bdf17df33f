import { readFileSync } from "node:fs";
import { flagWords } from "../../shared/facts/flag-words.ts";
import { words } from "../../shared/words.ts";
import { loadConfig } from "../config/load-config.ts";
import { makeAsyncapi } from "./asyncapi.ts";
import { shapesSource, typesSource } from "./consumer-source.ts";
import { eventSchemas, schemaFile } from "./event-schemas.ts";
import { eventsPage } from "./events-page.ts";
import { fillTables, table } from "./markdown-table.ts";

/** Every file that follows from the schemas of the events, or from the words that are explained once: its path in the repository, and its text. */
export function eventDocuments(): ReadonlyMap<string, string> {
  return new Map([
    ...eventSchemas().map(
      (schema) => [`docs/schemas/${schemaFile(schema)}`, json(schema)] as const,
    ),
    ["docs/asyncapi.json", json(makeAsyncapi(packageVersion(), loadConfig().subscribers))],
    ["docs/events.md", eventsPage()],
    withTable("docs/architecture.md", "words", table(["word", "meaning"], Object.entries(words))),
    withTable("docs/subscribing.md", "flags", flagTable()),
    ["shared/consumer/event-types.ts", typesSource()],
    ["shared/consumer/event-shapes.ts", shapesSource()],
  ]);
}

function withTable(path: string, name: string, made: string): [string, string] {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  return [path, fillTables(text, { [name]: made })];
}

function flagTable(): string {
  const rows = Object.entries(flagWords).map(([flag, { means, todo }]) => [
    ...[`\`${flag}\``, means, todo],
  ]);
  return table(["flag", "meaning", "what to do"], rows);
}

function packageVersion(): string {
  const { version } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  return String(version);
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
