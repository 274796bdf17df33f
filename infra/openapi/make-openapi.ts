import { writeFileSync } from "node:fs";
import { makeDocument } from "./document.ts";

/** Writes `docs/openapi.json`. A test fails if the file differs from what this writes. */
writeFileSync(
  new URL("../../docs/openapi.json", import.meta.url),
  `${JSON.stringify(makeDocument(), null, 2)}\n`,
);
