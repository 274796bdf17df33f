import * as z from "zod";

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
