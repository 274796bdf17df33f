import { FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { idForLog, keyOfId } from "../../../shared/envelope/deduplication.ts";
import type { Target } from "../target/target.ts";
import {
  type ReceivingLine,
  type RequestLine,
  readLocalLines,
  readRequestLine,
} from "./request-lines.ts";

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

interface Found<Line> {
  readonly lines: readonly Line[];
  /** The range was not searched to its end. */
  readonly isPartial: boolean;
}

export type FindAttempts = (wanted: AttemptsWanted) => Promise<Found<ReceivingLine>>;

/** What receive-callback logged of the requests about an order. */
export function createAttemptFinder(target: Target): FindAttempts {
  if (target.functionLog === undefined) return (wanted) => searchLogGroup(target, wanted);
  return async (wanted) => ({
    lines: aboutIn(await readLocalLines(target), wanted),
    isPartial: false,
  });
}

/** A term is a part of a line of JSON. An order number that JSON would write differently cannot be searched for. */
async function searchLogGroup(
  target: Target,
  wanted: AttemptsWanted,
): Promise<Found<ReceivingLine>> {
  const { orderNo, paymentIds, callbackIds } = wanted;
  const loggedIds = callbackIds.flatMap((id) => idForLog(id) ?? []);
  const terms = [...loggedIds, ...paymentIds, orderNo].filter((id) => /^[\w.:-]{4,72}$/.test(id));
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
  return (
    id !== undefined && wanted.callbackIds.some((wantedId) => keyOfId(wantedId) === keyOfId(id))
  );
}

/** A call may find nothing and still say that there is more, so the calls need a limit. */
const mostCalls = 40;
const longestMilliseconds = 20_000;
/** What CloudWatch takes. A GUID with its marks takes 40 of them, and the hash of another id 75. */
const longestPattern = 1_024;

/** Searches receive-callback's log group for lines that hold one of the terms. */
async function searchDeployedLines(
  target: Target,
  terms: readonly string[],
  { from, until }: AttemptsWanted,
): Promise<Found<RequestLine>> {
  const abortSignal = AbortSignal.timeout(longestMilliseconds);
  const lines: RequestLine[] = [];
  const { pattern, isWhole } = patternOf(terms);
  let nextToken: string | undefined;
  for (let calls = 0; calls < mostCalls && !abortSignal.aborted; calls += 1) {
    const command = new FilterLogEventsCommand({
      logGroupName: logGroupOf(target, "receive-callback"),
      startTime: Date.parse(from),
      endTime: Date.parse(until),
      filterPattern: pattern,
      nextToken,
    });
    const page = await target.clients.cloudWatchLogs.send(command, { abortSignal });
    for (const { message = "" } of page.events ?? []) {
      const line = readRequestLine(message.trim());
      if (line !== undefined) lines.push(line);
    }
    nextToken = page.nextToken;
    if (nextToken === undefined) return { lines, isPartial: !isWhole };
  }
  return { lines, isPartial: true };
}

/** A pattern for lines that hold one of the terms, as many of them as fit. */
function patternOf(terms: readonly string[]): { pattern: string; isWhole: boolean } {
  let pattern = "";
  for (const term of terms) {
    const longer = `${pattern}${pattern === "" ? "" : " "}?"${term}"`;
    if (longer.length > longestPattern) return { pattern, isWhole: false };
    pattern = longer;
  }
  return { pattern, isWhole: true };
}

/** The stack gives each function a log group of its own. Without one, Lambda's rule is the function's name. */
export function logGroupOf({ functions }: Target, label: string): string {
  const targetFunction = functions.find((known) => known.label === label);
  return targetFunction?.logGroup ?? `/aws/lambda/${targetFunction?.name}`;
}
