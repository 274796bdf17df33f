import fc from "fast-check";

/** Property tests draw the same values on every machine; another PROPERTY_SEED draws others. */
fc.configureGlobal({ seed: Number(process.env["PROPERTY_SEED"] ?? 20_261_115) });
