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
