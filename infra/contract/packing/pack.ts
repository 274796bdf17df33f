import { statSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { packConstruct } from "./pack-construct.ts";
import { packEvents } from "./pack-events.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = fileURLToPath(new URL("../../../dist", import.meta.url));

/** `npm run pack`: the packages that other teams install, in `dist/`. */
try {
  for (const pack of [packEvents, packConstruct]) {
    const tarball = await pack(folder);
    console.log(`${relative(root, tarball)}  ${(statSync(tarball).size / 1000).toFixed(1)} KB`);
  }
} catch (error) {
  if (!(error instanceof PaycastError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
