import * as z from "zod";
import type { Authorize } from "./authorize.ts";

const amountSchema = z.object({ value: z.string(), currency: z.string().optional() });

/** The fields of Paycast's order that this shop uses. `docs/openapi.json` describes all of them. */
const orderSchema = z.object({
  status: z.enum(["pending", "confirming", "timeout", "failed", "success", "refused"]),
  /** True if the payment service may know a newer status. */
  stale: z.boolean(),
  /** Absent if the order has not been created at the payment service. */
  checkoutUrl: z.url({ protocol: /^https?$/ }).optional(),
  refunds: z.array(
    z.object({
      status: z.enum(["refunding", "refund_success", "refund_failed"]),
      amount: amountSchema.optional(),
    }),
  ),
  flags: z.array(z.string()),
});

export type PaidOrder = z.output<typeof orderSchema>;
export type Refund = PaidOrder["refunds"][number];

/** The body of POST /orders. */
export interface NewOrder {
  readonly channel: "WEB";
  readonly currency: string;
  readonly paymentAmount: string;
  readonly redirectUrl: string;
  readonly order: {
    readonly orderNo: string;
    readonly orderAmount: string;
    readonly goods: readonly object[];
  };
}

/** Problem documents (RFC 9457); API Gateway's own refusals have a `message` only. */
const problemSchema = z.object({
  type: z.string().optional(),
  detail: z.string().optional(),
  errors: z.array(z.object({ detail: z.string() })).optional(),
  service: z.object({ code: z.string(), msg: z.string() }).optional(),
  message: z.string().optional(),
});

/** Why Paycast did not answer with an order: for the terminal, never for the customer. */
class PaycastRefusal extends Error {
  override readonly name = "PaycastRefusal";
}

export interface PaycastApi {
  /** Idempotent by order number: the same order again gives the order as it is now. */
  readonly createOrder: (order: NewOrder) => Promise<PaidOrder>;
  /** Undefined if Paycast has no such order. */
  readonly readOrder: (orderNo: string) => Promise<PaidOrder | undefined>;
}

/** Paycast waits some seconds for the payment service. API Gateway gives up after 30 seconds. */
const longestMilliseconds = 31_000;

/** The storefront API. Called from the server only: a browser must never be able to create orders by itself. */
export function createPaycastApi(address: string, authorize: Authorize): PaycastApi {
  const call = async (method: "GET" | "POST", path: string, body?: string) => {
    const url = new URL(path, address);
    const headers = await authorize({ method, url, ...(body !== undefined && { body }) });
    const signal = AbortSignal.timeout(longestMilliseconds);
    const response = await fetch(url, { method, headers, signal, body: body ?? null });
    return { status: response.status, text: await response.text(), about: `${method} ${path}` };
  };
  return {
    createOrder: async (order) => readOrder(await call("POST", "/orders", JSON.stringify(order))),
    readOrder: async (orderNo) => {
      const answer = await call("GET", `/orders/${encodeURIComponent(orderNo)}`);
      return answer.status === 404 ? undefined : readOrder(answer);
    },
  };
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly about: string;
}

function readOrder({ status, text, about }: Answer): PaidOrder {
  const body = parseJson(text);
  const order = orderSchema.safeParse(body);
  if (status < 300 && order.success) return order.data;
  throw new PaycastRefusal(`${about} answered ${status}: ${explain(body)}`);
}

function explain(body: unknown): string {
  const problem = problemSchema.safeParse(body);
  if (!problem.success) return "not an order";
  const { type, detail, errors = [], service, message } = problem.data;
  const said = service && `The payment service said: ${service.code} ${service.msg}`;
  const parts = [type, detail, ...errors.map((fault) => fault.detail), said, message];
  return parts.filter((part) => part !== undefined).join(" ") || "not an order";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
