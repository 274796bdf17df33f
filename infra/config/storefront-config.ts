import * as z from "zod";
import { isAppScheme, isLoopback } from "../../shared/storefront/redirect-faults.ts";
import { certificateArn } from "./arn-config.ts";

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
        "Where an order's `redirectUrl` may lead: https origins, or an app's own scheme such as `myshop:`. With an empty list, orders cannot have a `redirectUrl`. `npm start` also accepts http addresses of this machine.",
      without:
        "any https address, or for channel APP any app's own scheme; with access `open` none",
    }),
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
