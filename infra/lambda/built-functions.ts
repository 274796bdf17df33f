import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CodeOf } from "./paycast-function.ts";

/** Where `npm run build` puts the functions. In the package that is packed they are beside this module. */
const folder = fileURLToPath(new URL("../../.build", import.meta.url));

/** The functions as they were built; in the package, as they are shipped. */
export const builtFunctions: CodeOf = (name) => join(folder, name);
