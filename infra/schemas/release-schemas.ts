import { findReleaseBreaks } from "./compare-schemas.ts";
import { eventSchemas } from "./event-schemas.ts";
import { readReleased, writeReleased } from "./released-schemas.ts";

/** `npm run release-schemas`: part of a release. Refuses what would break a consumer of the last one. */
const breaks = findReleaseBreaks(readReleased(), eventSchemas());
for (const { schema, rule, at } of breaks) console.error(`${schema}: ${rule} at ${at}`);
if (breaks.length === 0) writeReleased();
else process.exitCode = 1;
