import { unknownCitations } from "./find-citations.ts";

/** Part of `npm run check`. */
const unknown = unknownCitations();
for (const line of unknown) console.error(line);
process.exitCode = unknown.length === 0 ? 0 : 1;
