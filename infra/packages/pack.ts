import { statSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { packEvents } from "./events/pack-events.ts";

/** `npm run pack`: the packages that other teams install, in `dist/`. */
const root = fileURLToPath(new URL("../..", import.meta.url));
const builders = [packEvents];

for (const pack of builders) {
  const tarball = await pack(fileURLToPath(new URL("../../dist", import.meta.url)));
  console.log(`${relative(root, tarball)}  ${(statSync(tarball).size / 1000).toFixed(1)} KB`);
}
