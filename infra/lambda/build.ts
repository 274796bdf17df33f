import { PaycastError } from "../../shared/errors/paycast-error.ts";
import { functionNames } from "../config/function-names.ts";
import { bundleFunctions } from "./bundle.ts";

/** `npm run build`: every function's bundle, with its size. */
try {
  for (const { name, bytes, unchanged } of await bundleFunctions(functionNames)) {
    const kilobytes = (bytes / 1000).toFixed(0).padStart(5);
    console.log(`${name.padEnd(18)}${kilobytes} KB${unchanged ? "  unchanged" : ""}`);
  }
} catch (error) {
  if (!(error instanceof PaycastError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
