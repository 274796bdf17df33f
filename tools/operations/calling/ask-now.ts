import { setTimeout as pause } from "node:timers/promises";
import { loadOrder } from "../../../shared/orders/aggregate-store.ts";
import type { Order } from "../../../shared/orders/order.ts";
import { wholeSeconds } from "../../../shared/text/number-text.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import type { Work } from "../described/description.ts";
import { growingPauses } from "../growing-pauses.ts";
import type { Target } from "../ports/target.ts";
import { type CheckNow, checkNow } from "./check-now.ts";

/**
 * The result of a query. `news`: the status changed. `confirmed`: the service has the same status. `no-answer`: the
 * service returned nothing usable. `not-asked`: no run of reconcile-orders queried in time.
 */
type AskEnd = "news" | "confirmed" | "no-answer" | "not-asked" | "stopped";

export interface AskedNow {
  readonly end: AskEnd;
  /** The order's status before and after. */
  readonly before: string;
  readonly status: string;
  /** When reconcile-orders queries again, in RFC 3339. Undefined if it does not. */
  readonly nextCheckAt?: string | undefined;
}

/** reconcile-orders runs once a minute, and a run may be busy with other orders. */
const longestMilliseconds = 120_000;
const longestPauseMilliseconds = 1_000;

/** Lets reconcile-orders query the service about an order, and waits for the result. */
export async function askNow(
  target: Pick<Target, "clock" | "orders" | "audit">,
  name: CheckNow,
  { stopped, tell }: Work,
  limitMilliseconds = longestMilliseconds,
): Promise<AskedNow> {
  const due = await checkNow(target, name);
  const endsAt = Date.now() + limitMilliseconds;
  const pauses = growingPauses(longestPauseMilliseconds);
  let order = due;
  for (;;) {
    const end = endOf(due, order, target.clock.now());
    if (end !== undefined) return resultOf(end, due, order);
    if (stopped.aborted) return resultOf("stopped", due, order);
    if (Date.now() >= endsAt) {
      return resultOf(isAsked(due, order) ? "no-answer" : "not-asked", due, order);
    }
    const seconds = Math.ceil((endsAt - Date.now()) / 1_000);
    tell(isAsked(due, order) ? asking : `Waiting for reconcile-orders, at most ${seconds} s`);
    await pause(pauses.next().value, undefined, { signal: stopped }).catch(() => undefined);
    order = await loadOrder(
      target.orders.database,
      target.orders.table,
      name.merchantId,
      name.orderNo,
    );
  }
}

function resultOf(end: AskEnd, before: Order, { status, dueAtMilliseconds }: Order): AskedNow {
  const nextCheckAt = dueAtMilliseconds === undefined ? undefined : toRfc3339(dueAtMilliseconds);
  return { end, before: before.status, status, nextCheckAt };
}

const asking = "Querying the payment service";

/** A check sets another due time before it queries. */
function isAsked(due: Order, { dueAtMilliseconds }: Order): boolean {
  return dueAtMilliseconds !== due.dueAtMilliseconds;
}

/** Undefined while a result is still possible. */
function endOf(due: Order, order: Order, nowMilliseconds: number): AskEnd | undefined {
  if (order.status !== due.status) return "news";
  if (!isAsked(due, order)) return undefined;
  const { question } = order;
  if (question.kind === "answered") return question.isConfirmation ? "confirmed" : "no-answer";
  // The claim of a query lasts until its result is stored, or longer than the query can take.
  const isUnderWay = question.kind !== "none" && question.untilMilliseconds > nowMilliseconds;
  return isUnderWay ? undefined : "no-answer";
}

/** The result in words. */
export function askText(asked: AskedNow, stack: string): string {
  const { end, before, status } = asked;
  switch (end) {
    case "news":
      return `The payment service reported a new status: ${before} → ${status}.`;
    case "confirmed":
      return `The payment service confirmed the status: ${status}.`;
    case "no-answer":
      return `The payment service returned nothing that changes or confirms the status. ${nextText(asked)} Check whether it responds: npx paycast check${stack}`;
    case "not-asked":
      return `reconcile-orders did not query the order within two minutes. The order stays due, and a later run queries it. Check whether reconcile-orders runs: npx paycast check${stack}, and docs/runbook.md#reconciliation-late`;
    case "stopped":
      return "Stopped. The order stays due: reconcile-orders queries it within minutes.";
  }
}

function nextText({ nextCheckAt }: AskedNow): string {
  return nextCheckAt === undefined
    ? "Paycast does not query it again automatically: repeat the command when the service responds."
    : `Paycast queries it again at ${wholeSeconds(nextCheckAt)}.`;
}
