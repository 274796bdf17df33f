import * as z from "zod";

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
}

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const structured = z.object({
  statusCode: z.coerce.number().int().min(100).max(599),
  headers: z.record(z.string(), scalar).nullish(),
  cookies: z.array(z.string()).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

/** Turns the result of a function into an HTTP answer (payload format 2.0). */
export function toHttpAnswer(resultJson: string): HttpAnswer {
  const result: unknown = JSON.parse(resultJson);
  if (!hasStatusCode(result)) return inferAnswer(result, resultJson);
  const parsed = structured.safeParse(result);
  if (!parsed.success) return messageAnswer(500, "Internal Server Error");
  const { statusCode, headers, cookies, body, isBase64Encoded } = parsed.data;
  return {
    status: statusCode,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      ...lowerCaseNames(headers ?? {}),
      ...(cookies && cookies.length > 0 && { "set-cookie": cookies }),
    },
    body: Buffer.from(body ?? "", isBase64Encoded ? "base64" : "utf8"),
  };
}

/** An answer of API Gateway itself. */
export function messageAnswer(status: number, message: string): HttpAnswer {
  return jsonAnswer(status, JSON.stringify({ message }));
}

function hasStatusCode(result: unknown): boolean {
  return typeof result === "object" && result !== null && "statusCode" in result;
}

/** A result without a status code is the body of a 200. */
function inferAnswer(result: unknown, resultJson: string): HttpAnswer {
  return jsonAnswer(200, typeof result === "string" ? result : resultJson);
}

function jsonAnswer(status: number, text: string): HttpAnswer {
  return { status, headers: { "content-type": "application/json" }, body: Buffer.from(text) };
}

function lowerCaseNames(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

export const corsSchema = z.strictObject({
  AllowCredentials: z.boolean().default(false),
  AllowHeaders: z.array(z.string()).default([]),
  AllowMethods: z.array(z.string()).default([]),
  AllowOrigins: z.array(z.string()).default([]),
  ExposeHeaders: z.array(z.string()).default([]),
  MaxAge: z.coerce.number().int().optional(),
});
export type Cors = z.infer<typeof corsSchema>;

/** The headers that an HTTP API adds to every answer if it allows the origin. */
export function corsHeaders(cors: Cors, origin: string | undefined): Record<string, string> {
  if (origin === undefined || !allows(cors, origin)) return {};
  const anyOrigin = cors.AllowOrigins.includes("*");
  return {
    "access-control-allow-origin": anyOrigin ? "*" : origin,
    ...(!anyOrigin && { vary: "Origin" }),
    ...(cors.AllowCredentials && { "access-control-allow-credentials": "true" }),
    ...list("access-control-expose-headers", cors.ExposeHeaders),
  };
}

/** The headers of the answer to a preflight. */
export function preflightHeaders(cors: Cors, origin: string | undefined): Record<string, string> {
  if (origin === undefined || !allows(cors, origin)) return {};
  return {
    ...corsHeaders(cors, origin),
    ...list("access-control-allow-methods", cors.AllowMethods),
    ...list("access-control-allow-headers", cors.AllowHeaders),
    ...(cors.MaxAge !== undefined && { "access-control-max-age": String(cors.MaxAge) }),
  };
}

export function allows(cors: Cors, origin: string): boolean {
  return cors.AllowOrigins.some((allowed) => allowed === "*" || allowed === origin);
}

function list(name: string, values: readonly string[]): Record<string, string> {
  return values.length === 0 ? {} : { [name]: values.join(",") };
}
