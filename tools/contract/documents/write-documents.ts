import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { root } from "../packages/bundles.ts";

/** `npm run docs`. Tests fail if a file differs from what this writes. */
try {
  // Some parts are made while their module loads.
  const { contractDocuments } = await import("./documents.ts");
  for (const [path, text] of contractDocuments()) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
} catch (error) {
  if (!(error instanceof PaycastError)) throw error;
  console.error(
    `${error.message} If the place is not clear, the compiler names it: npx tsc --noEmit`,
  );
  process.exitCode = 1;
}
