import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { readData } from "../../../shared/gateway/call-gateway.ts";
import { GatewayError } from "../../../shared/gateway/gateway-error.ts";
import { gatewayUrl } from "../../../shared/gateway/gateway-settings.ts";
import { readRequestKeys, type SecretVersion } from "../../../shared/keys/keys-in-secret.ts";
import { queryCallMilliseconds } from "../../../shared/timing.ts";
import { explainAwsError } from "../explain-error.ts";
import { listOrders, type OrderQuery } from "../orders/list-orders.ts";
import { isAvailable } from "../ports/available.ts";
import type { Target } from "../ports/target.ts";
import { gatewayWith } from "./call-service.ts";

/** Whether the payment service accepts a merchant's request keys. */
export interface Proof {
  /** `not-asked`: there was no payment to query, or no conclusive response. */
  readonly outcome: "proven" | "refused" | "not-asked";
  /** "proven" or "not proven", and how it is known or the service's own words. */
  readonly text: string;
}

/**
 * Queries the service about a known payment, signed and encrypted with these keys. Only the code 20000 is a proof:
 * responses are neither signed nor encrypted, and there is no list of error codes (§7). It changes nothing, so it
 * writes no audit line. Undefined if the stack does not call the service.
 */
export async function proveKeys(
  target: Pick<Target, "stack" | "clock" | "orders">,
  merchantId: string,
  secret: Pick<SecretVersion, "text">,
): Promise<Proof | undefined> {
  const { gateway } = target.stack;
  if (!isAvailable(gateway)) return undefined;
  const paymentId = await findKnownPayment(target, merchantId).catch(explainOrThrow);
  if (paymentId === undefined) return notAsked("no payment is known to query.");
  if (paymentId instanceof PaycastError) return notAsked(paymentId.message);
  const call = gatewayWith(readRequestKeys(secret), target.clock.now);
  try {
    await call({
      merchantId,
      method: "service.trade.query",
      url: gatewayUrl(gateway, gateway.paths.query),
      body: { paymentId },
      // The code alone is the proof, whatever else the response contains.
      read: readData,
      isRepeatable: true,
      budgetMilliseconds: queryCallMilliseconds,
    });
    return { outcome: "proven", text: `proven: ${answerText(paymentId, "20000.")}` };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { failure, refusal, message } = error;
    const words = refusal && answerText(paymentId, `${refusal.code}: ${refusal.msg}.`);
    const outcome = failure === "refused" ? "refused" : "not-asked";
    return { outcome, text: `not proven: ${words ?? message}` };
  }
}

/** Keys can be repaired even when orders cannot be read. */
function explainOrThrow(error: unknown): PaycastError {
  const explained = explainAwsError(error);
  if (explained === undefined) throw error;
  return explained;
}

function notAsked(why: string): Proof {
  return { outcome: "not-asked", text: `not proven: ${why}` };
}

function answerText(paymentId: string, words: string): string {
  return `the service responded to a query about payment ${paymentId} with ${words}`;
}

const dayMilliseconds = 86_400_000;
const lookBackDays = 14;
const fewOrders = 20;
const mostPages = 5;

/** The newest payment of the merchant, at a bounded cost. Undefined if there is none in the last two weeks. */
export async function findKnownPayment(
  target: Pick<Target, "clock" | "orders">,
  merchant: string,
): Promise<string | undefined> {
  const now = target.clock.now();
  const until = new Date(now).toISOString();
  const from = (days: number) => new Date(now - days * dayMilliseconds).toISOString();
  // Each day costs eight queries, and most merchants have had a payment since yesterday.
  const lastDay = { merchant, from: from(1), until };
  const query = { ...lastDay, from: from(lookBackDays) };
  const newest = await paymentIn(target, { ...lastDay, limit: fewOrders });
  const { paymentId, isWhole } = newest.isWhole
    ? await paymentIn(target, { ...query, limit: fewOrders })
    : newest;
  if (paymentId !== undefined || isWhole) return paymentId;
  // While keys are wrong, the newest orders are all rejected and have no payment.
  return (await paymentIn(target, { ...query, limit: 1, status: "success" })).paymentId;
}

/** `isWhole`: all orders were read. */
async function paymentIn(
  target: Pick<Target, "orders">,
  query: OrderQuery,
): Promise<{ readonly paymentId?: string; readonly isWhole: boolean }> {
  const work = { stopped: new AbortController().signal, tell: () => undefined };
  let after: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const { orders, next } = await listOrders(target, { ...query, after }, work);
    const [paymentId] = orders.flatMap(({ paymentIds }) => paymentIds.slice(-1));
    if (paymentId !== undefined) return { paymentId, isWhole: false };
    if (next === undefined) return { isWhole: true };
    after = next;
  }
  return { isWhole: false };
}
