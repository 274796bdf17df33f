import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./measured.ts";
import { proofDocuments } from "./proof-document.ts";

test.each([...proofDocuments()])(
  "%s has the figures of docs/proof (npm run proof -- write)",
  (path, text) => {
    expect(readFileSync(join(root, path), "utf8")).toBe(text);
  },
);
