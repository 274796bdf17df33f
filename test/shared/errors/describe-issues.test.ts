import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { describeIssues } from "../../../shared/errors/describe-issues.ts";

function describeFaults(schema: z.ZodMiniType, value: unknown): string {
  const result = schema.safeParse(value);
  if (result.success) throw new Error("It was accepted.");
  return describeIssues(result.error);
}

const fields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_item, index) => [`f${index}`, 1]));

describe("what is wrong with a value", () => {
  test("is reported by field, without the value", () => {
    const schema = z.object({ name: z.string(), kind: z.enum(["a", "b"]) });
    expect(describeFaults(schema, { name: 7, kind: "Canary" })).toBe(
      'name must be a string; kind must be one of "a", "b"',
    );
  });

  test("is cut after eight faults", () => {
    const faults = describeFaults(z.record(z.string(), z.string()), fields(20));
    expect(faults.split("; ")).toHaveLength(9);
    expect(faults).toMatch(/; and 12 more$/);
  });

  test("is cut after eight unknown fields", () => {
    expect(describeFaults(z.strictObject({}), fields(100_000))).toBe(
      "value has unknown fields: f0, f1, f2, f3, f4, f5, f6, f7, and 99992 more",
    );
  });

  test("repeats no field name that does not look like one", () => {
    const name = "x".repeat(41);
    expect(describeFaults(z.strictObject({}), { [name]: 1, "a b": 1 })).toBe(
      "value has unknown fields: (a field), (a field)",
    );
  });
});
