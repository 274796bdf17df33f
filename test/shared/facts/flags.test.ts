import { expect, test } from "vitest";
import { knownFlags, raisedFlags, unionOfFlags } from "../../../shared/facts/flags.ts";

test("flags are listed once and in their own order", () => {
  expect(raisedFlags({ conflict: true, late: true, mismatch: false })).toEqual([
    "late",
    "conflict",
  ]);
  expect(unionOfFlags(["conflict"], ["late", "conflict"])).toEqual(["late", "conflict"]);
});

test("a flag of a newer version stays with a stored item, and is in no event", () => {
  const stored = ["of-a-newer-version", "mismatch", "late"];
  expect(unionOfFlags(stored)).toEqual(["late", "mismatch", "of-a-newer-version"]);
  expect(knownFlags(stored)).toEqual(["late", "mismatch"]);
});
