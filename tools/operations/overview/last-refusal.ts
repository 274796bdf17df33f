import { loadOrder } from "../../../shared/orders/aggregate-store.ts";
import { harmless } from "../../../shared/text/terminal-text.ts";
import { serviceCodeOf } from "../requests/answers.ts";
import { readRequests } from "../requests/read-requests.ts";
import { databaseOf, keptFor, type Target } from "../target/target.ts";
import { keepAMinute } from "../telemetry/metric.ts";
import type { RequestLine } from "../telemetry/request-lines.ts";

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
  target: Target,
  sinceMilliseconds: number,
): Promise<string | undefined> {
  try {
    const find = () => findLast(target, sinceMilliseconds);
    const line = await (target.kind === "local" ? find() : kept(target)("", find));
    return line && (await wordsOf(target, line));
  } catch {
    return undefined;
  }
}

async function findLast(target: Target, since: number): Promise<RequestLine | undefined> {
  const range = { since, until: target.now() + 1, limit: 1, calls: mostCalls };
  const wanted = { route: "create-order", reason: "gateway-refused" } as const;
  const stopped = AbortSignal.timeout(longestMilliseconds);
  const work = { stopped, tell: () => undefined };
  return (await readRequests(target, { ...range, ...wanted }, work)).lines[0];
}

async function wordsOf(target: Target, line: RequestLine): Promise<string> {
  const { merchantId = "", orderNo = "" } = line;
  const order = await loadOrder(databaseOf(target), target.tables.orders, merchantId, orderNo);
  const { code = serviceCodeOf(line) ?? "", msg = "" } = order.creation?.refusal ?? {};
  return harmless(`${code} ${msg}`.trim()).slice(0, longestWords);
}
