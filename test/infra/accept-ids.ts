import { writeFileSync } from "node:fs";
import { acceptedFile, statefulResources } from "./stateful-resources.ts";

/** Accepts the ids as they are now: part of a release, or of a change whose cost the CHANGELOG tells. */
writeFileSync(acceptedFile, `${JSON.stringify(statefulResources(), null, 2)}\n`);
