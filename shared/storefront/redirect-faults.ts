import { faultAt, type Path, valueAt } from "./fault-at.ts";
import type { Fault } from "./problem.ts";

const path: Path = ["redirectUrl"];

/** Programs interpret these characters differently, and the service redirects the consumer, not we. */
const ambiguous = /[\s\\\p{Cc}]/u;
const hasSlashesAndHost = /^https?:\/\/[^/]/i;

/** The consumer is sent only to origins that the config lists: an open redirect would help phishing. */
export function redirectFaults(body: unknown, allowed: readonly string[]): Fault[] {
  const text = valueAt(body, path);
  if (typeof text !== "string" || text === "") return [];
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return [faultAt(path, "must be an absolute address")];
  const isWeb = url.protocol === "https:" || url.protocol === "http:";
  if (ambiguous.test(text) || (isWeb && !hasSlashesAndHost.test(text))) {
    return [faultAt(path, "must be written in full: https://, a host, and no space or backslash")];
  }
  if (!isWeb && valueAt(body, ["channel"]) !== "APP") {
    return [
      faultAt(path, "must be an https address; only channel APP may use an app's own scheme"),
    ];
  }
  if (url.username !== "" || url.password !== "") {
    return [faultAt(path, "must not hold a user name or a password")];
  }
  if (allowed.includes(isWeb ? url.origin : url.protocol)) return [];
  return [faultAt(path, describeAllowed(allowed))];
}

function describeAllowed(allowed: readonly string[]): string {
  return allowed.length === 0
    ? "must be left out: the stack's config allows no redirectOrigins"
    : `must begin with one of ${allowed.join(", ")}, the redirectOrigins of the stack's config`;
}
