import * as z from "zod";

const absolutePath = z.string().regex(/^\/[^\s?#]*$/, "must be a path that begins with a slash");

export const gatewaySchema = z.strictObject({
  baseUrl: z
    .string()
    .transform((text) => text.replace(/\/$/, ""))
    .refine(isOrigin, "must be an https address without a path, or http on loopback"),
  /** The service is also reached under a prefix such as /cgi (§4.2). */
  pathPrefix: z
    .string()
    .regex(/^(\/[^\s?#/]+)*$/, 'must be empty or like "/cgi"')
    .default(""),
  paths: z
    .strictObject({
      create: absolutePath.default("/payment/api/v1/payment-order"),
      query: absolutePath.default("/payment/api/v1/payment-order/query"),
    })
    .prefault({}),
  shortOrderNumbers: z.boolean().default(false),
});

const webOrigin = z
  .string()
  .refine(isOrigin, "must be an https origin without a path, or http on loopback");

const redirectOrigin = z
  .string()
  .refine(
    (text) => isOrigin(text) || isAppScheme(text),
    'must be an https origin without a path, http on loopback, or an app\'s own scheme like "myshop:"',
  );

export const storefrontSchema = z
  .strictObject({
    access: z.enum(["iam", "jwt", "open"]).default("iam"),
    issuer: z.string().refine(isHttps, "must be an https address").optional(),
    audience: z.array(z.string().min(1)).min(1).optional(),
    cors: z.strictObject({ origins: z.array(webOrigin).min(1) }).optional(),
    redirectOrigins: z.array(redirectOrigin).default([]),
  })
  .check(({ value, issues }) => {
    for (const field of ["issuer", "audience"] as const) {
      const given = value[field] !== undefined;
      if (given === (value.access === "jwt")) continue;
      const message = 'must be given when access is "jwt", and only then';
      issues.push({ code: "custom", input: value, path: [field], message });
    }
  });

function isOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.origin !== text) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

function isHttps(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === "https:";
}

/** A scheme that browsers run or read themselves is never an app's own scheme. */
function isAppScheme(text: string): boolean {
  const reserved = [
    "http:",
    "https:",
    "javascript:",
    "data:",
    "file:",
    "blob:",
    "vbscript:",
    "about:",
  ];
  return /^[a-z][a-z0-9+.-]*:$/.test(text) && !reserved.includes(text);
}
