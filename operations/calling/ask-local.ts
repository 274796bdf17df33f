import * as z from "zod";
import { parseJson } from "../../shared/parse-json.ts";
import { PaycastError } from "../../shared/paycast-error.ts";

/** The simulator's errors, and the problem documents of the storefront API. */
const errorSchema = z.object({
  error: z.string().optional(),
  title: z.string().optional(),
  detail: z.string().optional(),
  errors: z.array(z.object({ pointer: z.string().default(""), detail: z.string() })).optional(),
  /** What the payment service answered, if it refused. */
  service: z.object({ code: z.union([z.string(), z.number()]), msg: z.string() }).optional(),
});

const limitMilliseconds = 30_000;

/** A field of the request by its pointer, and what the person who filled it in knows it by. */
export type FieldNames = Readonly<Record<string, string>>;

/** One request to the local payment service or the storefront: JSON in, JSON out. */
export async function askLocal(
  send: typeof fetch,
  method: "GET" | "POST" | "DELETE",
  url: string,
  body?: object,
  names: FieldNames = {},
): Promise<unknown> {
  const init = {
    method,
    signal: AbortSignal.timeout(limitMilliseconds),
    ...(body && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  };
  const answer = await send(url, init).catch((cause: unknown) => {
    const message = "The local stack does not answer. Start it again: npm start.";
    throw new PaycastError("gateway-unreachable", message, { cause });
  });
  const json = parseJson(await answer.text());
  if (answer.ok) return json;
  throw refused(answer.status, json, names);
}

function refused(status: number, json: unknown, names: FieldNames): PaycastError {
  const read = errorSchema.safeParse(json);
  const { error, title, detail, errors, service } = read.success ? read.data : {};
  const refusal = service && `the payment service answered ${service.code}: ${service.msg}`;
  const faults = errors && [...new Set(errors.map((fault) => named(fault, names)))].join(" ");
  const reason = error ?? faults ?? refusal ?? detail ?? title ?? `HTTP ${status}`;
  // From 400 to 499 it is what was asked for; otherwise asking again may help.
  const code = status < 500 ? "wrong-usage" : "gateway-refused";
  return new PaycastError(code, `The local stack refused it: ${reason}`);
}

/** A detail begins with the field's path in the request: "order.orderAmount is zero." */
function named(fault: { pointer: string; detail: string }, names: FieldNames): string {
  const { pointer, detail } = fault;
  const name = names[pointer];
  return name === undefined ? detail : `${name}${detail.slice(pointer.length - 1)}`;
}
