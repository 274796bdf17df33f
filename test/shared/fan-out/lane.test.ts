import { expect, test } from "vitest";
import { laneEntry, waitsForEarlier } from "../../../shared/fan-out/lane.ts";

test("an event waits for an earlier one of the same subscriber, and for nothing else", () => {
  const behind = [laneEntry("books", 3)];
  expect(waitsForEarlier(behind, "books", 4)).toBe(true);
  expect(waitsForEarlier(behind, "books", 3)).toBe(false);
  expect(waitsForEarlier(behind, "books", 2)).toBe(false);
  expect(waitsForEarlier(behind, "stock", 4)).toBe(false);
  expect(waitsForEarlier([], "books", 4)).toBe(false);
});

test("sequences are compared as numbers", () => {
  expect(waitsForEarlier([laneEntry("books", 9)], "books", 10)).toBe(true);
  expect(waitsForEarlier([laneEntry("books", 10)], "books", 9)).toBe(false);
});

test("a name that begins with another's is another", () => {
  expect(waitsForEarlier([laneEntry("books-2", 1)], "books", 2)).toBe(false);
  expect(waitsForEarlier([laneEntry("books", 1)], "books-2", 2)).toBe(false);
});
