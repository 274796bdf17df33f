import * as z from "zod";
import { parseJson } from "../../shared/parse-json.ts";
import { PaycastError } from "../../shared/paycast-error.ts";

/** An order as the simulated payment service tells it. */
const simulatedOrderSchema = z.object({
  paymentId: z.string(),
  merchantId: z.string(),
  orderNo: z.string(),
  status: z.string(),
});
export type SimulatedOrder = z.output<typeof simulatedOrderSchema>;

const listSchema = z.object({ orders: z.array(simulatedOrderSchema) });
const createdSchema = z.object({ paymentId: z.string() });
/** The simulator's errors, and the problem documents of the storefront API. */
const errorSchema = z.object({
  error: z.string().optional(),
  title: z.string().optional(),
  detail: z.string().optional(),
});

export interface LocalService {
  readonly orders: () => Promise<readonly SimulatedOrder[]>;
  readonly order: (paymentId: string) => Promise<SimulatedOrder>;
  readonly act: (paymentId: string, action: string, body: object) => Promise<void>;
  /** Through Paycast's own API, so that it knows the order and its amount. */
  readonly create: (body: object) => Promise<string>;
}

/** The local payment service and the storefront, over HTTP. */
export function createLocalService(
  simulator: string,
  api: string,
  send: typeof fetch,
): LocalService {
  const control = `${simulator}/control/orders`;
  return {
    orders: async () => listSchema.parse(await ask(send, "GET", control)).orders,
    order: async (paymentId) =>
      simulatedOrderSchema.parse(await ask(send, "GET", `${control}/${paymentId}`)),
    act: async (paymentId, action, body) => {
      await ask(send, "POST", `${control}/${paymentId}/${action}`, body);
    },
    create: async (body) =>
      createdSchema.parse(await ask(send, "POST", `${api}/orders`, body)).paymentId,
  };
}

const limitMilliseconds = 30_000;

async function ask(
  send: typeof fetch,
  method: "GET" | "POST",
  url: string,
  body?: object,
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
    throw unreachable(cause);
  });
  const json = parseJson(await answer.text());
  if (answer.ok) return json;
  throw refused(answer.status, json);
}

function unreachable(cause: unknown): PaycastError {
  const message = "The local stack does not answer. Start it again: npm start.";
  return new PaycastError("gateway-unreachable", message, { cause });
}

function refused(status: number, json: unknown): PaycastError {
  const read = errorSchema.safeParse(json);
  const { error, title, detail } = read.success ? read.data : {};
  const reason = error ?? detail ?? title ?? `HTTP ${status}`;
  return new PaycastError("gateway-refused", `The local stack refused it: ${reason}`);
}
