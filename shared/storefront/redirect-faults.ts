import * as z from "zod/mini";
import { isLoopback } from "../http/web-address.ts";
import { type Fault, faultAt, type Path, valueAt } from "./problem.ts";

/** Where a checkout may redirect the consumer. */
export const redirectRulesSchema = z.object({
  /** Web origins and app schemes. If absent: any https address, and no app's scheme. */
  origins: z.optional(z.array(z.string())),
  /** Whether http addresses on loopback are allowed too. */
  loopback: z.boolean(),
});

export type RedirectRules = z.output<typeof redirectRulesSchema>;

const path: Path = ["redirectUrl"];

/** Programs interpret these characters differently, and the redirect is made by the service, not by Paycast. */
const ambiguous = /[\s\\\p{Cc}]/u;
const hasSlashesAndHost = /^https?:\/\/[^/]/i;

/** A stranger must not choose where the consumer is redirected: an open redirect helps phishing. */
export function redirectFaults(body: unknown, rules: RedirectRules): Fault[] {
  const text = valueAt(body, path);
  if (typeof text !== "string" || text === "") return [];
  const fault = faultOf(text, valueAt(body, ["channel"]) === "APP", rules);
  return fault === undefined ? [] : [faultAt(path, fault)];
}

function faultOf(text: string, isApp: boolean, rules: RedirectRules): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return "must be an absolute address";
  if (ambiguous.test(text) || (isWeb(url) && !hasSlashesAndHost.test(text))) {
    return "must be written in full: https://, a host, and no space or backslash";
  }
  if (!isWeb(url) && !isApp) {
    return "must be an https address; only channel APP may use an app's own scheme";
  }
  if (url.username !== "" || url.password !== "") {
    return "must not hold a user name or a password";
  }
  return isAllowed(url, rules) ? undefined : describeAllowed(rules);
}

function isAllowed(url: URL, { origins, loopback }: RedirectRules): boolean {
  const { protocol, origin, hostname } = url;
  if (loopback && protocol === "http:" && isLoopback(hostname)) return true;
  if (origins === undefined) return protocol === "https:";
  // Other schemes are compared by protocol: the origin of a blob address is that of the page that created it.
  return origins.includes(isWeb(url) ? origin : protocol);
}

function isWeb({ protocol }: URL): boolean {
  return protocol === "https:" || protocol === "http:";
}

function describeAllowed({ origins }: RedirectRules): string {
  if (origins === undefined)
    return "must be an https address; the stack's config can list an app's own scheme in redirectOrigins";
  return origins.length === 0
    ? "must be left out: the stack's config allows no redirectOrigins"
    : `must begin with one of ${origins.join(", ")}, the redirectOrigins of the stack's config`;
}

/** Browsers and systems handle these schemes themselves, so they are never an app's own. */
const reserved = [
  "http:",
  "https:",
  "javascript:",
  "data:",
  "file:",
  "blob:",
  "vbscript:",
  "about:",
  "filesystem:",
  "view-source:",
  "ftp:",
  "ws:",
  "wss:",
  "intent:",
  "mailto:",
  "tel:",
  "sms:",
];

export function isAppScheme(protocol: string): boolean {
  return /^[a-z][a-z0-9+.-]*:$/.test(protocol) && !reserved.includes(protocol);
}
