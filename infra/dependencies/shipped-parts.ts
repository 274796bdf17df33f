import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleParts, type ShippedPart } from "../packages/construct/bundle-parts.ts";

/** What `npm run pack` would ship now. The bundles themselves are thrown away. */
export async function shippedParts(): Promise<ShippedPart[]> {
  const folder = mkdtempSync(join(tmpdir(), "paycast-parts-"));
  try {
    return await bundleParts(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
