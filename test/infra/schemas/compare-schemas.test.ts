import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findBreaks, findReleaseBreaks } from "../../../infra/schemas/compare-schemas.ts";
import { eventSchemas } from "../../../infra/schemas/event-schemas.ts";
import { readReleased, writeReleased } from "../../../infra/schemas/released-schemas.ts";
import { type Editable, permissions, refusals } from "./schema-changes.ts";

test("the current schemas break no consumer of the last release; if they do, see docs/versioning.md", () => {
  expect(readReleased().length).toBeGreaterThanOrEqual(8);
  expect(findReleaseBreaks(readReleased(), eventSchemas())).toEqual([]);
});

/** A schema of the whole event, and a copy that a test changes. */
function schemas(change: (schema: Editable) => void) {
  const [released] = eventSchemas().filter(({ $id }) => $id?.includes("payment.refund.success"));
  const current: Editable = structuredClone(released);
  change(current);
  return findBreaks(released!, current);
}

describe("the check refuses", () => {
  test.each(refusals)("%s", (_, rule, at, change) => {
    expect(schemas(change)).toContainEqual({ rule, at });
  });
});

describe("the check allows", () => {
  test.each(permissions)("%s", (_, change) => {
    expect(schemas(change)).toEqual([]);
  });
});

describe("a release", () => {
  const schema = { $id: "urn:paycast:schema:payment.order.success:1", type: "object" };

  test("may not lose a type of event", () => {
    expect(findReleaseBreaks([schema], [])).toEqual([
      { rule: "schema-removed", at: "", schema: schema.$id },
    ]);
  });

  test("may replace a schema by a later version of it, and not by an earlier or another one", () => {
    const ids = (id: string) => findReleaseBreaks([schema], [{ ...schema, $id: id }]).length;
    expect(ids("urn:paycast:schema:payment.order.success:2")).toBe(0);
    expect(ids("urn:paycast:schema:payment.order.success:10")).toBe(0);
    expect(ids("urn:paycast:schema:payment.order.success:0")).toBe(1);
    expect(ids("urn:paycast:schema:payment.order.failed:2")).toBe(1);
  });

  test("may add a type of event", () => {
    const added = { ...schema, $id: "urn:paycast:schema:payment.order.cancelled:1" };
    expect(findReleaseBreaks([schema], [schema, added])).toEqual([]);
  });

  test("keeps the schemas that it is compared with", () => {
    const folder = mkdtempSync(join(tmpdir(), "released-"));
    try {
      writeReleased(folder);
      expect(findReleaseBreaks(readReleased(folder), eventSchemas())).toEqual([]);
      expect(readReleased(folder)).toHaveLength(eventSchemas().length);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
