import * as z from "zod";
import { serviceCodePattern } from "../../shared/gateway/gateway-error.ts";
import { isLoopback } from "../../shared/http/web-address.ts";
import { isAppScheme } from "../../shared/storefront/redirect-faults.ts";
import { certificateArn } from "./arn-config.ts";

/** The functions that call the service have the list in their environment, which holds 4 KB. */
const mostCallerCodes = 30;

const serviceCode = z
  .string()
  .regex(serviceCodePattern, "must be 1 to 40 letters, digits, dots, dashes or underscores");

const absolutePath = z.string().regex(/^\/[^\s?#]*$/, "must be a path that begins with a slash");

export const gatewaySchema = z
  .strictObject({
    baseUrl: z
      .string()
      .transform((text) => text.replace(/\/$/, ""))
      .refine(isOrigin, "must be an https address without a path, or http on loopback")
      .describe("The payment service's origin: https, or http on loopback."),
    pathPrefix: z
      .string()
      .regex(/^(\/[^\s?#/]+)*$/, 'must be empty or like "/cgi"')
      .default("")
      .meta({ description: "A prefix of both paths, such as `/cgi` (§4.2).", without: "empty" }),
    paths: z
      .strictObject({
        create: absolutePath
          .default("/payment/api/v1/payment-order")
          .describe("Path of the create call."),
        query: absolutePath
          .default("/payment/api/v1/payment-order/query")
          .describe("Path of the query call. The interface's sample uses `/api/v1/gateway`."),
      })
      .prefault({})
      .describe("The paths of the two calls."),
    shortOrderNumbers: z
      .boolean()
      .default(false)
      .describe(
        "Limits order numbers to 32 characters instead of 64, for a payment service that shortens longer ones (flag `shortenedNumber`).",
      ),
    exactSums: z
      .boolean()
      .default(true)
      .describe(
        "Whether an order's amount and tax must be the sums over its goods. The interface (§2.4) says that they should.",
      ),
    callerCodes: z
      .array(serviceCode)
      .max(mostCallerCodes)
      .default([])
      .describe(
        'Codes with which the payment service rejects what a caller of the storefront sent, such as `["40012"]`. After a rejection with any other code the functions fetch their keys again, at most once a minute. `http-400` stands for a response without a code.',
      ),
  })
  .meta({ id: "PaycastGateway" });

const webOrigin = z
  .string()
  .refine(isOrigin, "must be an https origin without a path, or http on loopback");

const redirectOrigin = z
  .string()
  .refine(
    (text) => isOrigin(text) || isAppScheme(text),
    'must be an https origin without a path, http on loopback, or an app\'s own scheme like "myshop:"',
  );

/** API Gateway lets a region's APIs have 10,000 requests a second together, unless AWS raises the quota. */
const routeLimit = (usual: number, description: string) =>
  z.int().min(1).max(10_000).default(usual).describe(description);

const routeLimitsSchema = z.strictObject({
  create: routeLimit(
    100,
    "Requests a second to `POST /orders`; the others get 429. A burst may be twice as large. While the payment service hangs, each call uses an instance for seconds, so a limit near your shop's peak protects the account's concurrency.",
  ),
  query: routeLimit(
    200,
    "Requests a second to each GET route, and to the preflights of web pages.",
  ),
});

export const storefrontSchema = z
  .strictObject({
    access: z
      .enum(["iam", "jwt", "open"])
      .default("iam")
      .describe(
        "Who may call the storefront API: callers that sign with AWS credentials (`iam`), callers with a JWT (`jwt`), or anyone (`open`).",
      ),
    issuer: z
      .string()
      .refine(isHttps, "must be an https address")
      .optional()
      .describe(
        "The https address of the JWTs' issuer. Required with `jwt`, and allowed only then.",
      ),
    audience: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe("The audiences of the JWTs. Required with `jwt`, and allowed only then."),
    cors: z
      .strictObject({
        origins: z.array(webOrigin).min(1).describe("Web origins whose pages may call the API."),
      })
      .optional()
      .describe("Allows web pages to call the API."),
    redirectOrigins: z.array(redirectOrigin).optional().meta({
      description:
        "Where an order's `redirectUrl` may lead: https origins, or for channel APP an app's own scheme such as `myshop:`. With an empty list, orders cannot have a `redirectUrl`. `npm start` also accepts http addresses of this machine.",
      without: "any https address, and no app's own scheme; with access `open` none",
    }),
    requestsPerSecond: routeLimitsSchema
      .prefault({})
      .describe("How many requests API Gateway lets through; the others get 429."),
  })
  .check(({ value, issues }) => {
    for (const field of ["issuer", "audience"] as const) {
      const given = value[field] !== undefined;
      if (given === (value.access === "jwt")) continue;
      const message = 'must be set if access is "jwt", and only then';
      issues.push({ code: "custom", input: value, path: [field], message });
    }
  })
  .meta({ id: "PaycastStorefront" });

export const domainSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/, "must be a host name in lower case")
      .describe("Your own host name, in lower case."),
    certificateArn: certificateArn.describe("ARN of its ACM certificate, in the stack's region."),
    hostedZone: z
      .string()
      .regex(/^Z[A-Z0-9]+$/, "must be the id of a Route 53 hosted zone")
      .optional()
      .describe(
        "Id of the Route 53 hosted zone in which the stack creates the DNS record. Without it you create the record.",
      ),
  })
  .meta({ id: "PaycastDomain" });

function isOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.origin !== text) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

function isHttps(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === "https:";
}
