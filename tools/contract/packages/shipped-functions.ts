import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CodeOf } from "../../../infra/lambda/paycast-function.ts";

/** The package's folder of functions, beside the folder of this module. */
const folder = fileURLToPath(new URL("../functions", import.meta.url));

/** Replaces the functions that the repository builds, in the package. */
export const builtFunctions: CodeOf = (name) => join(folder, name);
