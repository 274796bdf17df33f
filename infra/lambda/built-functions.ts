import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CodeOf } from "./paycast-function.ts";

/** The output folder of `npm run build`. In the npm package it is beside this module. */
const folder = fileURLToPath(new URL("../../.build", import.meta.url));

/** The functions as built or, in the npm package, as shipped. */
export const builtFunctions: CodeOf = (name) => join(folder, name);
