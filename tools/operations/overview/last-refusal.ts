import { loadOrder } from "../../../shared/orders/aggregate-store.ts";
import { harmless } from "../../../shared/text/terminal-text.ts";
import { keepAMinute } from "../ports/metrics.ts";
import type { RequestLine } from "../ports/request-line.ts";
import { keptFor, type Target } from "../ports/target.ts";
import { serviceCodeOf } from "../requests/answers.ts";
import { readRequests } from "../requests/read-requests.ts";

const mostCalls = 10;
const longestMilliseconds = 10_000;
const longestWords = 200;

const kept = keptFor(() => keepAMinute<RequestLine | undefined>(Date.now));

/**
 * The service's message when it last rejected an order, such as "40103 body cannot be decrypted". The line of
 * create-order has the code and the order. The message is only on the order: it may repeat what was sent, so it is not
 * logged. Undefined if neither can be read: the counts are still shown.
 */
export async function readLastRefusal(
  target: Pick<Target, "stack" | "clock" | "orders" | "log">,
  sinceMilliseconds: number,
): Promise<string | undefined> {
  try {
    const find = () => findLast(target, sinceMilliseconds);
    const line = await (target.stack.kind === "local" ? find() : kept(target)("", find));
    return line && (await wordsOf(target, line));
  } catch {
    return undefined;
  }
}

async function findLast(
  target: Pick<Target, "clock" | "log">,
  since: number,
): Promise<RequestLine | undefined> {
  const range = { since, until: target.clock.now() + 1, limit: 1, calls: mostCalls };
  const wanted = { route: "create-order", reason: "gateway-refused" } as const;
  const stopped = AbortSignal.timeout(longestMilliseconds);
  const work = { stopped, tell: () => undefined };
  return (await readRequests(target, { ...range, ...wanted }, work)).lines[0];
}

async function wordsOf(target: Pick<Target, "orders">, line: RequestLine): Promise<string> {
  const { merchantId = "", orderNo = "" } = line;
  const order = await loadOrder(target.orders.database, target.orders.table, merchantId, orderNo);
  const { state } = order;
  const refusal = state.kind === "refused" ? state : undefined;
  const { code = serviceCodeOf(line) ?? "", msg = "" } = refusal ?? {};
  return harmless(`${code} ${msg}`.trim()).slice(0, longestWords);
}
