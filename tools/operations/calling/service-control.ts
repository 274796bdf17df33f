import * as z from "zod";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { isAvailable } from "../ports/available.ts";
import type { Stack } from "../ports/stack.ts";

const faultSchema = z.object({
  id: z.string(),
  kind: z.string(),
  /** Undefined: for all orders. */
  orderNo: z.string().optional(),
  /** How many more times; undefined: until it is switched off. */
  left: z.number().optional(),
});
export type ServiceFault = z.output<typeof faultSchema>;

const groupSchema = z.object({
  title: z.string(),
  /** `target` is what the fault changes, such as a callback. */
  kinds: z.array(z.object({ kind: z.string(), description: z.string(), target: z.string() })),
});

const faultsSchema = z.object({ faults: z.array(faultSchema), groups: z.array(groupSchema) });
/** `aheadSeconds` is how far it is ahead of the stack's clock; below zero, behind it. */
const clockSchema = z.object({ now: z.string(), speed: z.number(), aheadSeconds: z.number() });
export type ServiceClock = z.output<typeof clockSchema>;

const attemptSchema = z.object({
  startedMilliseconds: z.number(),
  durationMilliseconds: z.number(),
  /** Undefined if there was no response. */
  httpStatus: z.number().optional(),
  /** The body of the response. */
  detail: z.string(),
  faults: z.array(z.string()),
});
export type ServiceAttempt = z.output<typeof attemptSchema>;

const callbackSchema = z.object({
  id: z.string(),
  eventName: z.string(),
  /** "delivered", or why not yet. */
  state: z.string(),
  /** Undefined if no further attempt is planned. */
  nextAttemptInSeconds: z.number().optional(),
  attempts: z.array(attemptSchema),
});
export type ServiceCallback = z.output<typeof callbackSchema>;

const paymentSchema = z.object({
  paymentId: z.string(),
  merchantId: z.string(),
  orderNo: z.string(),
  status: z.string(),
  checkoutUrl: z.string(),
  currency: z.string(),
  /** The amount that can still be refunded, as a decimal. */
  refundable: z.string(),
  callbacks: z.array(callbackSchema),
});
export type ServicePayment = z.output<typeof paymentSchema>;
const paymentsSchema = z.object({ orders: z.array(paymentSchema) });

/** A fault to switch on. Further fields are in the simulator's own guide, `GET /control`. */
export interface FaultRequest {
  readonly kind: string;
  readonly orderNo?: string | undefined;
  readonly times?: number | undefined;
  readonly seconds?: number;
}

interface ClockChange {
  /** Simulated seconds per real second; 0 stops the clock. */
  readonly speed?: number | undefined;
  /** Sets it this far ahead of the stack's clock; 0 sets it back to that clock. */
  readonly aheadSeconds?: number | undefined;
}

/** The local payment service's faults, clock and keys, and what it knows of its callbacks. */
export interface ServiceControl {
  readonly faults: () => Promise<z.output<typeof faultsSchema>>;
  /** Gives the fault's id. */
  readonly addFault: (fault: FaultRequest) => Promise<string>;
  readonly removeFault: (id: string) => Promise<void>;
  readonly clearFaults: () => Promise<void>;
  readonly clock: () => Promise<ServiceClock>;
  readonly setClock: (change: ClockChange) => Promise<ServiceClock>;
  /** Newest first. */
  readonly payments: () => Promise<readonly ServicePayment[]>;
  readonly payment: (paymentId: string) => Promise<ServicePayment>;
  /** Does with a payment what its consumer, its time or the merchant would. */
  readonly act: (
    paymentId: string,
    action: "pay" | "fail" | "expire" | "refund",
    body?: object,
  ) => Promise<void>;
  /** Sends a callback once more now, in addition to its schedule. */
  readonly sendAgain: (callbackId: string) => Promise<void>;
  /** New keys of the service. On the local stack the merchant's secrets get them first. */
  readonly rotateKeys: (merchantId: string) => Promise<void>;
}

export function controlService(simulator: string, send = fetch): ServiceControl {
  const ask = (method: "GET" | "POST" | "DELETE", path: string, body?: object) =>
    askLocal(send, method, `${simulator}/control/${path}`, body);
  return {
    faults: async () => faultsSchema.parse(await ask("GET", "faults")),
    addFault: async (fault) => faultSchema.parse(await ask("POST", "faults", fault)).id,
    removeFault: async (id) => void (await ask("DELETE", `faults/${encodeURIComponent(id)}`)),
    clearFaults: async () => void (await ask("DELETE", "faults")),
    clock: async () => clockSchema.parse(await ask("GET", "clock")),
    setClock: async (change) => clockSchema.parse(await ask("POST", "clock", change)),
    payments: async () => paymentsSchema.parse(await ask("GET", "orders")).orders,
    payment: async (paymentId) =>
      paymentSchema.parse(await ask("GET", `orders/${encodeURIComponent(paymentId)}`)),
    act: async (paymentId, action, body = {}) =>
      void (await ask("POST", `orders/${paymentId}/${action}`, body)),
    sendAgain: async (id) => void (await ask("POST", `callbacks/${id}/send-again`, {})),
    rotateKeys: async (merchantId) => void (await ask("POST", "rotate", { merchantId })),
  };
}

/** Only the local payment service can be queried. A failure is ignored: the result only adds to the timeline. */
export async function readSimulatedCallbacks(
  { local }: Stack,
  paymentIds: readonly string[],
): Promise<readonly ServiceCallback[]> {
  if (!isAvailable(local)) return [];
  const service = controlService(local.simulator);
  const callbacksOf = async (paymentId: string) => (await service.payment(paymentId)).callbacks;
  const found = await Promise.all(paymentIds.map((id) => callbacksOf(id).catch(() => [])));
  return found.flat();
}

/** The simulator's errors, and the problem documents of the storefront API. */
const errorSchema = z.object({
  error: z.string().optional(),
  title: z.string().optional(),
  detail: z.string().optional(),
  errors: z.array(z.object({ pointer: z.string().default(""), detail: z.string() })).optional(),
  /** The payment service's response, if it rejected the request. */
  service: z.object({ code: z.union([z.string(), z.number()]), msg: z.string() }).optional(),
});

const limitMilliseconds = 30_000;

/** A field of the request by its pointer, and its label in the form. */
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
    const message = "The local stack does not respond. Start it again: npm start.";
    throw new PaycastError("gateway-unreachable", message, { cause });
  });
  const json = parseJson(await answer.text());
  if (answer.ok) return json;
  throw refused(answer.status, json, names);
}

function refused(status: number, json: unknown, names: FieldNames): PaycastError {
  const read = errorSchema.safeParse(json);
  const { error, title, detail, errors, service } = read.success ? read.data : {};
  const refusal = service && `the payment service returned ${service.code}: ${service.msg}`;
  const faults = errors && [...new Set(errors.map((fault) => named(fault, names)))].join(" ");
  const reason = error ?? faults ?? refusal ?? detail ?? title ?? `HTTP ${status}`;
  // From 400 to 499 the request is wrong; otherwise a retry may help.
  const code = status < 500 ? "wrong-usage" : "gateway-refused";
  return new PaycastError(code, `The local stack rejected it: ${reason}`);
}

/** A detail begins with the field's path in the request: "order.orderAmount is zero." */
function named(fault: { pointer: string; detail: string }, names: FieldNames): string {
  const { pointer, detail } = fault;
  const name = names[pointer];
  return name === undefined ? detail : `${name}${detail.slice(pointer.length - 1)}`;
}
