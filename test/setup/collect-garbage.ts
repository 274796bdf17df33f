import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Collects what nothing refers to any more, as a busy process does at a time of its own. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("This Node.js cannot collect on request.");
  // What was created in this turn of the event loop stays until the next one.
  await setImmediate();
  collect();
}
