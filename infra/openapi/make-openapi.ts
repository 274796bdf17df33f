import { writeFileSync } from "node:fs";
import { makeDocument } from "./document.ts";

/** Writes `docs/openapi.json` anew; a test fails while it is not what this would write. */
writeFileSync(
  new URL("../openapi.json", import.meta.url),
  `${JSON.stringify(makeDocument(), null, 2)}\n`,
);
