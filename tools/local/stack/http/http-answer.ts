import * as z from "zod";

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Set if a function returned it. Otherwise API Gateway itself answers. */
  readonly isOfFunction?: true;
}

/**
 * The only response format of Paycast's functions. API Gateway would also accept a result without a status as the body.
 */
const resultSchema = z.object({
  statusCode: z.int().min(100).max(599),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().default(""),
});

/** Turns the result of a function into an HTTP response (payload format 2.0). */
export function toHttpAnswer(resultJson: string): HttpAnswer {
  const parsed = resultSchema.safeParse(JSON.parse(resultJson));
  if (!parsed.success) return messageAnswer(500, "Internal Server Error");
  const { statusCode, headers, body } = parsed.data;
  const type = { "content-type": "text/plain; charset=utf-8" };
  return {
    status: statusCode,
    headers: { ...type, ...lowerCaseNames(headers) },
    body: Buffer.from(body),
    isOfFunction: true,
  };
}

/** A response of API Gateway itself. */
export function messageAnswer(status: number, message: string): HttpAnswer {
  const headers = { "content-type": "application/json" };
  return { status, headers, body: Buffer.from(JSON.stringify({ message })) };
}

function lowerCaseNames(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

const names = z.array(z.string()).transform((list) => list.join(","));

export const corsSchema = z.strictObject({
  AllowHeaders: names,
  AllowMethods: names,
  AllowOrigins: z.array(z.string()),
  ExposeHeaders: names,
  MaxAge: z.int().transform(String),
});
export type Cors = z.infer<typeof corsSchema>;

/** The headers that an HTTP API adds to every response if it allows the origin. */
export function corsHeaders(cors: Cors, origin = ""): Record<string, string> {
  if (!allows(cors, origin)) return {};
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": cors.ExposeHeaders,
    vary: "Origin",
  };
}

/** If CORS is configured, an HTTP API handles every preflight itself, even where a route matches. */
export function answerPreflight(cors: Cors, origin = ""): HttpAnswer {
  const headers = {
    "access-control-allow-methods": cors.AllowMethods,
    "access-control-allow-headers": cors.AllowHeaders,
    "access-control-max-age": cors.MaxAge,
  };
  return { status: 204, headers: allows(cors, origin) ? headers : {}, body: Buffer.alloc(0) };
}

export function allows({ AllowOrigins }: Cors, origin: string): boolean {
  return AllowOrigins.includes(origin);
}
