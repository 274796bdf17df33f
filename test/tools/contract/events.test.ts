import { existsSync, readdirSync, readFileSync } from "node:fs";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { orderEventSchemaUri, refundEventSchemaUri } from "../../../shared/events/event.ts";
import { eventTypes } from "../../../shared/facts/event-types.ts";
import { contractDocuments } from "../../../tools/contract/documents/documents.ts";
import { eventExamples } from "../../../tools/contract/documents/events/event-examples.ts";
import {
  eventSchemas,
  schemaFile,
} from "../../../tools/contract/documents/events/event-schemas.ts";
import { faultsOfEvent } from "../../builders/event-validator.ts";
import { lintDocument } from "./lint-document.ts";

const documents = contractDocuments();

test.each([...documents.keys()])(
  "%s is what the schemas say now; if not, run npm run docs",
  (path) => {
    expect(existsSync(path) && readFileSync(path, "utf8")).toBe(documents.get(path));
  },
);

describe("docs/schemas", () => {
  test("has a schema for each dataschema, whose $id it is, and one for each type of event", () => {
    const ids = eventSchemas().map(({ $id }) => $id);
    const types = eventTypes.map((type) => `urn:paycast:schema:${type}:1`);
    expect(ids).toEqual([orderEventSchemaUri, refundEventSchemaUri, ...types]);
    const published = Object.values(eventExamples()).map(({ dataschema }) => dataschema);
    for (const dataschema of published) expect(ids).toContain(dataschema);
  });

  test("has no other files", () => {
    const files = readdirSync("docs/schemas").filter((name) => name.endsWith(".json"));
    expect(files.sort()).toEqual(eventSchemas().map(schemaFile).sort());
  });

  test("describes every field", () => {
    for (const schema of eventSchemas()) {
      const { title: _title, $defs = {}, ...root } = schema;
      for (const [name, { properties = {} }] of Object.entries({ ...$defs, root })) {
        for (const [field, { description }] of Object.entries(properties)) {
          expect(description, `${schema.$id} ${name}.${field}`).toMatch(/\.$/);
        }
      }
    }
  });

  test("refuses no field, flag or origin that a later version may add", () => {
    const text = JSON.stringify(eventSchemas());
    expect(text).not.toContain("additionalProperties");
    expect(text).not.toContain('"enum":["late"');
    expect(text).not.toContain('"enum":["callback"');
  });
});

describe("docs/events.md", () => {
  const page = readFileSync("docs/events.md", "utf8");

  test("has a full example of every type, which validates", () => {
    const blocks = [...page.matchAll(/```json\n([\s\S]*?)\n```/g)].map(([, json = ""]) => json);
    expect(blocks.map((json) => JSON.parse(json).type)).toEqual([...eventTypes]);
    for (const json of blocks) expect(faultsOfEvent(json)).toEqual([]);
  });

  test("has no link that leads nowhere", () => {
    const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    );
    for (const [, target = ""] of page.matchAll(/\]\(([^)]+)\)/g)) {
      if (target.startsWith("https:")) continue;
      const isThere = target.startsWith("#")
        ? headings.includes(target.slice(1))
        : existsSync(`docs/${target.replace(/#.*/, "")}`);
      expect(isThere, target).toBe(true);
    }
  });
});

describe("docs/asyncapi.json", () => {
  const { channels, components } = JSON.parse(readFileSync("docs/asyncapi.json", "utf8"));

  test("has nothing that a linter of AsyncAPI objects to", () => {
    expect(lintDocument("docs/asyncapi.json")).toEqual([]);
  });

  test("has a channel for each subscriber of the config, with the types that it wants", () => {
    const wanted = Object.fromEntries(
      Object.entries(channels).map(([name, channel]) => [
        name,
        Object.keys(Object(channel).messages),
      ]),
    );
    expect(wanted).toEqual({
      fulfilment: ["payment.order.success", "payment.refund.failed", "payment.refund.success"],
      "order-history": [...eventTypes],
      analytics: eventTypes.filter((type) => type.startsWith("payment.order.")),
    });
    expect(channels.analytics.bindings.sqs.queue.fifoQueue).toBe(false);
  });

  test.each(eventTypes)(
    "has an example of %s that validates, and refuses another status",
    (type) => {
      // The dialect of AsyncAPI is a superset of the older draft.
      const ajv = new Ajv({
        strict: true,
        schemas: [{ $id: "doc", components }],
        keywords: ["components"],
      });
      formats.default(ajv);
      const validate = ajv.getSchema(`doc#/components/schemas/${type}`)!;
      const [{ payload }] = components.messages[type].examples;
      expect(validate(payload), JSON.stringify(validate.errors)).toBe(true);
      expect(faultsOfEvent(JSON.stringify(payload))).toEqual([]);
      expect(validate({ ...payload, data: { ...payload.data, status: "pending" } })).toBe(false);
    },
  );
});
