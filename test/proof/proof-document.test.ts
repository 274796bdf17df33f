import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./measured.ts";
import { proofDocument } from "./proof-document.ts";

test("docs/proof.md has the figures of docs/proof (npm run proof)", () => {
  expect(readFileSync(join(root, "docs/proof.md"), "utf8")).toBe(proofDocument());
});
