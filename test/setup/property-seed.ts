import fc from "fast-check";
import { draws } from "./draws.ts";

/** Property tests draw the same values on every machine; another PROPERTY_SEED draws others. */
fc.configureGlobal({
  seed: Number(process.env["PROPERTY_SEED"] ?? 20_261_115),
  numRuns: draws(100),
});
