import { readFileSync } from "node:fs";
import { loadConfig } from "../config/load-config.ts";
import { makeAsyncapi } from "./asyncapi.ts";
import { shapesSource, typesSource } from "./consumer-source.ts";
import { eventSchemas, schemaFile } from "./event-schemas.ts";
import { eventsPage } from "./events-page.ts";

/** Every file that follows from the schemas of the events: its path in the repository, and its text. */
export function eventDocuments(): ReadonlyMap<string, string> {
  return new Map([
    ...eventSchemas().map(
      (schema) => [`docs/schemas/${schemaFile(schema)}`, json(schema)] as const,
    ),
    ["docs/asyncapi.json", json(makeAsyncapi(packageVersion(), loadConfig().subscribers))],
    ["docs/events.md", eventsPage()],
    ["shared/consumer/event-types.ts", typesSource()],
    ["shared/consumer/event-shapes.ts", shapesSource()],
  ]);
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
