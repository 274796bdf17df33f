import fc from "fast-check";
import { expect, test } from "vitest";
import { decodePathPart, encodePathPart } from "../../../tools/console/path-part.ts";

const edges = ["", ".", "..", "~.", "~~..", "~", "...", "a/b", "%2E%2E", "订单", "\n", "..\u202e"];

test("every text survives the way through an address, also as a browser reads it", () => {
  const survives = (text: string) => {
    const { pathname } = new URL(`/orders/${encodePathPart(text)}`, "http://console");
    const [, folder, part = "", ...more] = pathname.split("/");
    expect([folder, decodePathPart(part), more]).toEqual(["orders", text, []]);
  };
  for (const text of edges) survives(text);
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), survives));
});

test("a part that is not escaped properly is no text", () => {
  expect(decodePathPart("%E0%A4%A")).toBeUndefined();
});
