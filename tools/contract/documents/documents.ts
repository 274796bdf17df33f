import { readFileSync } from "node:fs";
import { loadConfig } from "../../../infra/config/load-config.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { kindWords } from "../../../shared/attention/kind-words.ts";
import { flagWords } from "../../../shared/facts/flag-words.ts";
import { words } from "../../../shared/glossary.ts";
import { problemDescriptions } from "../../../shared/storefront/problem-kinds.ts";
import { configTables } from "../generated-types/config-types.ts";
import { shapesSource, typesSource } from "../generated-types/consumer-source.ts";
import { makeAsyncapi } from "./events/asyncapi.ts";
import { eventSchemas, schemaFile } from "./events/event-schemas.ts";
import { eventsPage } from "./events/events-page.ts";
import { fieldNamesTable } from "./field-names.ts";
import { fillTables, table } from "./markdown-table.ts";
import { makeDocument } from "./openapi/document.ts";

/** Every generated file: its path in the repository, and its text. */
export function contractDocuments(): ReadonlyMap<string, string> {
  return new Map([
    ...eventSchemas().map(
      (schema) => [`docs/schemas/${schemaFile(schema)}`, json(schema)] as const,
    ),
    ["docs/openapi.json", json(makeDocument())],
    ["docs/asyncapi.json", json(makeAsyncapi(packageJson.version, loadConfig().subscribers))],
    ["docs/events.md", eventsPage()],
    withTables("docs/architecture.md", {
      words: table(["word", "meaning"], Object.entries(words)),
      attention: attentionTable(),
    }),
    withTables("docs/configuration.md", configTables()),
    withTables("docs/interface.md", { "field names": fieldNamesTable() }),
    withTables("docs/storefront.md", { problems: guideProblems() }),
    withTables("docs/subscribing.md", { flags: flagTable() }),
    ["shared/consumer/typed-events.ts", typesSource()],
    ["shared/consumer/event-shapes.json", shapesSource()],
  ]);
}

function withTables(path: string, tables: Readonly<Record<string, string>>): [string, string] {
  const text = readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
  return [path, fillTables(text, tables)];
}

function attentionTable(): string {
  const rows = Object.entries(kindWords).map(([kind, { means, todo }]) => [
    `\`${kind}\``,
    means,
    todo,
  ]);
  return table(["kind", "what happened", "what to do"], rows);
}

function flagTable(): string {
  const rows = Object.entries(flagWords).map(([flag, { means, todo }]) => [
    `\`${flag}\``,
    means,
    todo,
  ]);
  return table(["flag", "meaning", "what to do"], rows);
}

function guideProblems(): string {
  const rows = Object.entries(problemDescriptions).map(([code, { status, when, whatToDo }]) => {
    return [`\`${code}\``, String(status), when, whatToDo];
  });
  return table(["code", "HTTP", "when", "what to do"], rows);
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
