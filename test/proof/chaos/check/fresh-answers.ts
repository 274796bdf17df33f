import type { ApiCall } from "../shopper.ts";
import { type Evidence, isDuring, type ServiceAnswer, type Statement } from "./evidence.ts";
import { bodyOf, textOf } from "./facts.ts";
import { parseObject } from "./open-envelope.ts";
import { creation } from "./requests.ts";

/** The storefront API repeats what the service said for this long, and then asks again. */
const repeatedMilliseconds = 5_000;
/** From the service's response until the stack has stored it. */
const storingMilliseconds = 3_000;
/** The same if AWS fails meanwhile or the machine is busy. */
const slowStoringMilliseconds = 10_000;

type Times = Pick<ApiCall, "atMilliseconds" | "endedMilliseconds">;

/** Whether the stack may still repeat a response of the service. */
function isRepeatable(asked: Times, call: Times, { disturbances, busy }: Evidence): boolean {
  const { atMilliseconds, endedMilliseconds } = asked;
  const storing = {
    atMilliseconds: endedMilliseconds,
    endedMilliseconds: endedMilliseconds + storingMilliseconds,
  };
  const broken = disturbances.filter(({ sparesCalls }) => !sparesCalls);
  const isSlow = [...broken, ...busy].some((time) => isDuring(time, storing));
  const stored = endedMilliseconds + (isSlow ? slowStoringMilliseconds : storingMilliseconds);
  const endsAt = stored + repeatedMilliseconds;
  return atMilliseconds <= call.endedMilliseconds && endsAt >= call.atMilliseconds;
}

const openStatuses = ["pending", "confirming"];
/** The service is queried about them again, for a late success. */
const unpaidEnds = ["timeout", "failed"];
/** Until then at least. */
const unsettledMilliseconds = 24 * 3_600_000;

/** A repeated creation is current for this long after the order was created. */
const justCreatedMilliseconds = 10_000;

/**
 * A response that is not stale and not settled has a status that the service reported a moment ago, or in a callback
 * since then. A repeated creation may also be about an order that was created a moment ago.
 */
export function outdatedAnswers(
  calls: readonly ApiCall[],
  reported: readonly ServiceAnswer[],
  stated: readonly Statement[],
  evidence: Evidence,
): string[] {
  const isUnsettled = (status: string, { endedMilliseconds }: ApiCall) => {
    if (openStatuses.includes(status)) return true;
    const first = Math.min(
      ...stated
        .filter(({ fact }) => fact?.status === status)
        .map(({ post }) => post.atMilliseconds),
      ...reported
        .filter(({ fact }) => fact.status === status)
        .map(({ asked }) => asked.atMilliseconds),
    );
    return unpaidEnds.includes(status) && endedMilliseconds - first < unsettledMilliseconds;
  };
  return calls.flatMap((call) => {
    const { stale, status } = parseObject(call.answer) ?? {};
    const isClaimed = call.status === 200 && stale === false;
    if (!isClaimed || !isUnsettled(String(status), call)) return [];
    if (status === "pending" && isJustCreated(call, evidence)) return [];
    const isReported = reported
      .filter(({ asked }) => isRepeatable(asked, call, evidence))
      .some(({ asked, fact }) => {
        const since = {
          fromMilliseconds: asked.atMilliseconds,
          untilMilliseconds: call.endedMilliseconds,
        };
        const news = stated.filter(({ post }) => isDuring(since, post));
        return [fact, ...news.map((statement) => statement.fact)].some(
          (reportedFact) => reportedFact?.status === status,
        );
      });
    const message = `${call.request}: current and ${status}, but the service did not just report that`;
    return isReported ? [] : [message];
  });
}

function isJustCreated({ request, orderNo, ...call }: ApiCall, evidence: Evidence): boolean {
  if (request !== creation) return false;
  return evidence.asked
    .filter(({ atMilliseconds }) => {
      const sinceMilliseconds = call.atMilliseconds - atMilliseconds;
      return (
        atMilliseconds <= call.endedMilliseconds && sinceMilliseconds < justCreatedMilliseconds
      );
    })
    .filter(isSuccessfulCreation)
    .some((asked) => isAbout(asked, orderNo, evidence));
}

/** A rejection is the service's own, of a moment ago. After that the order is sent again. */
export function outlivedRejections(calls: readonly ApiCall[], evidence: Evidence): string[] {
  return calls
    .filter(({ answer }) => answer.includes("problem:service-refused"))
    .filter((call) => {
      const asked = evidence.asked.filter((each) => isRepeatable(each, call, evidence));
      return !asked.filter(isRejection).some((each) => isAbout(each, call.orderNo, evidence));
    })
    .map(({ request }) => `${request}: rejected, but the service did not just reject it`);
}

/** An order is refused only after the service rejected it, and as long as nothing shows that it exists. */
export function wrongRefusals(
  refusals: readonly ApiCall[],
  knownMilliseconds: number,
  evidence: Evidence,
): string[] {
  return refusals.flatMap(({ request, orderNo, atMilliseconds, endedMilliseconds }) => {
    const wasRejected = evidence.asked
      .filter((asked) => isRejection(asked) && asked.atMilliseconds <= endedMilliseconds)
      .some((asked) => isAbout(asked, orderNo, evidence));
    const isKnown = atMilliseconds > knownMilliseconds;
    return [
      ...(wasRejected ? [] : [`${request}: refused, but the service did not reject it`]),
      ...(isKnown ? [`${request}: refused, although it was known to exist`] : []),
    ];
  });
}

function isAbout(asked: Evidence["asked"][number], orderNo: string, { keysOf }: Evidence): boolean {
  const { order } = bodyOf(asked, keysOf);
  return typeof order === "object" && textOf({ ...order }, "orderNo") === orderNo;
}

function isRejection(asked: Evidence["asked"][number]): boolean {
  const code = creationCode(asked);
  return code !== undefined && code !== 20_000;
}

function isSuccessfulCreation(asked: Evidence["asked"][number]): boolean {
  return creationCode(asked) === 20_000;
}

/** Undefined if it was no creation, or the service did not respond. */
function creationCode({ answer, envelope }: Evidence["asked"][number]): number | undefined {
  const { method } = parseObject(envelope) ?? {};
  const { code } = parseObject(answer) ?? {};
  return method === "service.trade.create" && code !== undefined ? Number(code) : undefined;
}
