import { idForLog, keyOfId } from "../../../shared/envelope/deduplication.ts";
import type { FoundLines } from "../ports/log.ts";
import type { ReceivingLine } from "../ports/request-line.ts";
import type { Target } from "../ports/target.ts";

/** The requests to find: those of an order, and those that name one of these callbacks. */
interface AttemptsWanted {
  readonly merchantId: string;
  readonly orderNo: string;
  readonly paymentIds: readonly string[];
  readonly callbackIds: readonly string[];
  /** RFC 3339. */
  readonly from: string;
  readonly until: string;
}

/** What receive-callback logged of the requests about an order. */
export async function findAttempts(
  { log }: Pick<Target, "log">,
  wanted: AttemptsWanted,
): Promise<FoundLines> {
  const { orderNo, paymentIds, callbackIds, from, until } = wanted;
  const loggedIds = callbackIds.flatMap((id) => idForLog(id) ?? []);
  const terms = [...loggedIds, ...paymentIds, orderNo];
  const isWanted = (line: ReceivingLine) => isAbout(line, wanted);
  return await log.searchReceived({ terms, isWanted, from, until });
}

function isAbout(line: ReceivingLine, wanted: AttemptsWanted): boolean {
  const { merchantId, orderNo, paymentId, callbackId, claimedCallbackId } = line;
  if (merchantId === wanted.merchantId) {
    if (orderNo === wanted.orderNo) return true;
    if (paymentId !== undefined && wanted.paymentIds.includes(paymentId)) return true;
  }
  const id = callbackId ?? claimedCallbackId;
  return (
    id !== undefined && wanted.callbackIds.some((wantedId) => keyOfId(wantedId) === keyOfId(id))
  );
}
