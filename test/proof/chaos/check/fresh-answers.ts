import type { ApiCall } from "../shopper.ts";
import { type Evidence, isDuring, type ServiceAnswer } from "./evidence.ts";
import { parseObject } from "./open-envelope.ts";

/** The storefront API repeats what the service said for this long, and then asks again. */
const repeatedMilliseconds = 5_000;
/** From the service's response until the stack has stored it. */
const storingMilliseconds = 3_000;

type Times = Pick<ApiCall, "atMilliseconds" | "endedMilliseconds">;

/** Whether the stack may still repeat a response of the service. The clock can jump before it is stored. */
function isRepeatable(asked: Times, call: Times, { passed }: Evidence): boolean {
  const { atMilliseconds, endedMilliseconds } = asked;
  const storing = {
    atMilliseconds: endedMilliseconds,
    endedMilliseconds: endedMilliseconds + storingMilliseconds,
  };
  const jumps = passed.filter((time) => isDuring(time, storing));
  const stored = Math.max(endedMilliseconds, ...jumps.map((jump) => jump.untilMilliseconds));
  const endsAt = stored + repeatedMilliseconds + storingMilliseconds;
  return atMilliseconds <= call.endedMilliseconds && endsAt >= call.atMilliseconds;
}

/** Other statuses can be settled: then the service is not queried again. */
const openStatuses = ["pending", "confirming"];

/** A response that is not stale and not settled has a status that the service reported a moment ago. */
export function outdatedAnswers(
  calls: readonly ApiCall[],
  reported: readonly ServiceAnswer[],
  evidence: Evidence,
): string[] {
  return calls.flatMap((call) => {
    const { stale, status } = parseObject(call.answer) ?? {};
    const isClaimed = call.status === 200 && stale === false;
    if (!isClaimed || !openStatuses.includes(String(status))) return [];
    const isReported = reported.some(
      ({ asked, fact }) => fact.status === status && isRepeatable(asked, call, evidence),
    );
    const message = `${call.request}: current and ${status}, but the service did not just report that`;
    return isReported ? [] : [message];
  });
}

/** A rejection is the service's own, of a moment ago. After that the order is sent again. */
export function outlivedRejections(calls: readonly ApiCall[], evidence: Evidence): string[] {
  return calls
    .filter(({ answer }) => answer.includes("problem:service-refused"))
    .filter((call) => {
      const asked = evidence.asked.filter((each) => isRepeatable(each, call, evidence));
      return !asked.some(isRejection);
    })
    .map(({ request }) => `${request}: rejected, but the service did not just reject it`);
}

function isRejection({ answer, envelope }: Evidence["asked"][number]): boolean {
  const { method } = parseObject(envelope) ?? {};
  const { code } = parseObject(answer) ?? {};
  return method === "service.trade.create" && code !== undefined && Number(code) !== 20_000;
}
