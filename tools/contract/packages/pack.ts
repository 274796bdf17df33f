import { statSync } from "node:fs";
import { join, relative } from "node:path";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { root } from "./bundles.ts";
import { packConstruct } from "./pack-construct.ts";
import { packEvents } from "./pack-events.ts";

/** `npm run pack`: the packages that other teams install, in `dist/`. */
try {
  for (const pack of [packEvents, packConstruct]) {
    const tarball = await pack(join(root, "dist"));
    console.log(`${relative(root, tarball)}  ${(statSync(tarball).size / 1000).toFixed(1)} KB`);
  }
} catch (error) {
  if (!(error instanceof PaycastError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
