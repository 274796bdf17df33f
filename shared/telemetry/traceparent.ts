import { randomBytes } from "node:crypto";

/**
 * The W3C trace context of this invocation. Lambda gives X-Ray's header (Root=1-5f84c7a5-…;Parent=…;Sampled=1), whose
 * ids are the same numbers in another format.
 */
export function currentTraceparent(xrayHeader: string | undefined): string {
  const root = /Root=1-([0-9a-f]{8})-([0-9a-f]{24})/.exec(xrayHeader ?? "");
  const parent = /Parent=([0-9a-f]{16})/.exec(xrayHeader ?? "");
  const sampled = /Sampled=1/.test(xrayHeader ?? "") ? "01" : "00";
  const traceId = root ? `${root[1]}${root[2]}` : randomBytes(16).toString("hex");
  return `00-${traceId}-${parent?.[1] ?? randomBytes(8).toString("hex")}-${sampled}`;
}
