import * as z from "zod";
import { describeIssues } from "../shared/describe-issues.ts";
import { PaycastError } from "../shared/paycast-error.ts";
import { smokeName } from "../shared/smoke-merchant.ts";
import { callbacksSchema, capturesTooLong, longestCaptureDays } from "./callback-config.ts";
import { concurrencySchema, reservesStorefront } from "./concurrency-config.ts";
import { subscribersSchema, unknownMerchants } from "./subscriber-config.ts";

/** Each merchant has two secrets, its own alarm, and an entry in the environment of four functions. */
const maximumMerchants = 20;

const merchantId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,18}$/, "must be 1 to 18 letters, digits, dashes or underscores")
  .refine(
    (id) => id !== smokeName,
    `must not be ${smokeName}: this is the merchant of smoke tests`,
  );

const absolutePath = z.string().regex(/^\/[^\s?#]*$/, "must be a path that begins with a slash");

const gatewaySchema = z.strictObject({
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

const storefrontSchema = z
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

const domainSchema = z.strictObject({
  name: z
    .string()
    .regex(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/, "must be a host name in lower case"),
  certificateArn: z
    .string()
    .regex(
      /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/.+$/,
      "must be an ACM certificate ARN",
    ),
  hostedZone: z
    .string()
    .regex(/^Z[A-Z0-9]+$/, "must be the id of a Route 53 hosted zone")
    .optional(),
});

const alarmsSchema = z.strictObject({
  topicArn: z
    .string()
    .regex(
      /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]+$/,
      "must be the ARN of a standard SNS topic",
    ),
});

const configSchema = z
  .strictObject({
    merchants: z
      .array(merchantId)
      .min(1)
      .max(maximumMerchants)
      .refine((ids) => new Set(ids).size === ids.length, "must not name a merchant twice"),
    subscribers: subscribersSchema,
    /** Adds a merchant and a subscriber for smoke tests, whose events no other subscriber gets. */
    smoke: z.boolean().default(false),
    callbacks: callbacksSchema.prefault({}),
    /** Without it the stack only receives callbacks: there is no service to create orders at. */
    gateway: gatewaySchema.optional(),
    storefront: storefrontSchema.optional(),
    domain: domainSchema.optional(),
    alarms: alarmsSchema.optional(),
    concurrency: concurrencySchema.prefault({}),
  })
  .check(({ value: { merchants, subscribers }, issues }) => {
    issues.push(...unknownMerchants(subscribers, merchants));
  })
  .refine(({ gateway, storefront }) => gateway !== undefined || storefront === undefined, {
    path: ["gateway"],
    message: "must be given together with storefront, which calls it",
  })
  .refine(({ gateway, concurrency }) => gateway !== undefined || !reservesStorefront(concurrency), {
    path: ["gateway"],
    message:
      "must be given together with concurrency.createOrder and .queryOrder: without it these functions do not exist",
  })
  .transform(({ storefront = storefrontSchema.parse({}), ...rest }) => ({ ...rest, storefront }));

export type Config = z.output<typeof configSchema>;
export type ConfigInput = z.input<typeof configSchema>;

/** What a config is checked against: the region of the deployment, if known, and the clock. */
export interface ConfigSurroundings {
  readonly region?: string | undefined;
  readonly nowMilliseconds?: number;
}

/** Reads a stack's config. Throws `config-invalid` with a message that names every wrong field and what is allowed there. */
export function parseConfig(input: unknown, surroundings: ConfigSurroundings = {}): Config {
  const result = configSchema.safeParse(input);
  if (!result.success) {
    throw new PaycastError("config-invalid", describeIssues(result.error, "the config"));
  }
  const { region, nowMilliseconds = Date.now() } = surroundings;
  const faults = [
    ...(region === undefined ? [] : otherRegions(result.data, region)),
    ...longCapture(result.data, nowMilliseconds),
  ];
  if (faults.length > 0) throw new PaycastError("config-invalid", faults.join("; "));
  return result.data;
}

/** A topic and a certificate work only in their own region; a deployment would fail late. */
function otherRegions(config: Config, region: string): string[] {
  const arns = [
    ["domain.certificateArn", config.domain?.certificateArn],
    ["alarms.topicArn", config.alarms?.topicArn],
  ];
  return arns
    .filter(([, arn]) => arn !== undefined && arn.split(":")[3] !== region)
    .map(([field]) => `${field} must be in ${region}, where the stack is deployed`);
}

function longCapture({ callbacks: { captureUntil } }: Config, nowMilliseconds: number): string[] {
  if (captureUntil === undefined || !capturesTooLong(captureUntil, nowMilliseconds)) return [];
  return [`callbacks.captureUntil must be at most ${longestCaptureDays} days ahead`];
}

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
