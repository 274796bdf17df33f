import type { Fault } from "../integration/fault-proxy.ts";

/** AWS refuses, and its message repeats the whole request. */
export function echo(type = "ValidationException"): Fault {
  return { kind: "refuse", error: { status: 400, type, echoes: true } };
}
