import { expect, test } from "vitest";
import { parseTime } from "../../../../tools/operations/described/fields.ts";

const now = Date.parse("2026-11-15T10:00:00.000Z");
const read = (text: string, end: "since" | "until" = "since") =>
  new Date(parseTime(text, end, now) ?? Number.NaN).toISOString();

test.each([
  ["2026-11-14T09:30:00Z", "2026-11-14T09:30:00.000Z"],
  ["2026-11-14T09:30:00.250+02:00", "2026-11-14T07:30:00.250Z"],
  ["2026-11-14", "2026-11-14T00:00:00.000Z"],
  ["90m", "2026-11-15T08:30:00.000Z"],
  ["3h", "2026-11-15T07:00:00.000Z"],
  ["2d", "2026-11-13T10:00:00.000Z"],
])("%s is %s", (text, time) => {
  expect(read(text)).toBe(time);
});

test("a range until a date ends with its last moment", () => {
  expect(read("2026-11-14", "until")).toBe("2026-11-14T23:59:59.999Z");
});

test.each([
  [""],
  ["yesterday"],
  ["3"],
  ["3w"],
  ["-3h"],
  ["2026-02-30"],
  ["2026-02-30T00:00:00Z"],
  ["2026-11-14T25:00:00Z"],
  ["2026-11-14T09:30:00"],
  ["1969-12-31"],
  ["999999d"],
])("%j is not a time", (text) => {
  expect(parseTime(text, "since", now)).toBeUndefined();
});
