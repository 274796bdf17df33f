import fc from "fast-check";

/** Nobody reads a shrunk value here, and the first runs of a property notice what most of them would notice. */
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  endOnFailure: true,
  interruptAfterTimeLimit: 300,
});
