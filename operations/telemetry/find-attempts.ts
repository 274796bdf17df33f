import { keyOfId } from "../../shared/envelope/deduplication.ts";
import type { Target } from "../target/target.ts";
import { searchDeployedLines } from "./deployed-lines.ts";
import { readLocalLines } from "./local-lines.ts";
import type { ReceivingLine, RequestLine } from "./request-line.ts";

/** The requests that are looked for: those of an order, and those that name one of these callbacks. */
interface AttemptsWanted {
  readonly merchantId: string;
  readonly orderNo: string;
  readonly paymentIds: readonly string[];
  readonly callbackIds: readonly string[];
  /** RFC 3339. */
  readonly from: string;
  readonly until: string;
}

interface FoundAttempts {
  readonly lines: readonly ReceivingLine[];
  /** The range was not searched to its end. */
  readonly isPartial: boolean;
}

export type FindAttempts = (wanted: AttemptsWanted) => Promise<FoundAttempts>;

/** What receive-callback logged of the requests about an order. */
export function createAttemptFinder(target: Target): FindAttempts {
  if (target.functionLog === undefined) return (wanted) => searchLogGroup(target, wanted);
  return async (wanted) => ({
    lines: aboutIn(await readLocalLines(target), wanted),
    isPartial: false,
  });
}

/** A term is a part of a line of JSON. An order number that JSON would write differently cannot be searched for. */
async function searchLogGroup(target: Target, wanted: AttemptsWanted): Promise<FoundAttempts> {
  const { orderNo, paymentIds, callbackIds } = wanted;
  const terms = [...callbackIds, ...paymentIds, orderNo].filter((id) => /^[\w.:-]{4,64}$/.test(id));
  if (terms.length === 0) return { lines: [], isPartial: true };
  const found = await searchDeployedLines(target, terms, wanted);
  return { ...found, lines: aboutIn(found.lines, wanted) };
}

function aboutIn(lines: readonly RequestLine[], wanted: AttemptsWanted): ReceivingLine[] {
  return lines
    .filter((line) => line.service === "receive-callback")
    .filter((line) => isAbout(line, wanted));
}

function isAbout(line: ReceivingLine, wanted: AttemptsWanted): boolean {
  const { merchantId, orderNo, paymentId, callbackId, claimedCallbackId } = line;
  if (merchantId === wanted.merchantId) {
    if (orderNo === wanted.orderNo) return true;
    if (paymentId !== undefined && wanted.paymentIds.includes(paymentId)) return true;
  }
  const id = callbackId ?? claimedCallbackId;
  return id !== undefined && wanted.callbackIds.some((one) => keyOfId(one) === keyOfId(id));
}
