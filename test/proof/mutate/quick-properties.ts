import fc from "fast-check";

/** Shrunk values are not needed here, and the first runs of a property detect most of what all would detect. */
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  endOnFailure: true,
  interruptAfterTimeLimit: 300,
});
