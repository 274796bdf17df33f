import type { Answered } from "../../ask.ts";
import { isDuring } from "./evidence.ts";
import { excused, type Look, type Rule } from "./rule.ts";

/** A callback that is not authentic is never acknowledged. */
export const forgeriesAreRefused: Rule = ({ forged }) =>
  forged.map(({ status = 500, envelope }) => ({
    orderNo: undefined,
    wrong: status < 400 ? [`accepted: ${envelope.slice(0, 300)}`] : [],
  }));

/** A function that starts after a disturbance, or started during one, may still fail for this long. */
const echoMilliseconds = 12_000;
/** Stories in which the service itself rejects a call or does not respond. */
const serviceFaults = ["rejected first", "response lost", "query fails"];

/** The shortest time limit of a function. */
const shortestTimeoutMilliseconds = 10_000;

/**
 * Whether a slow call can be the cause. A slow call gets 503, 504 or no response. It causes another error only if the
 * function reached its time limit.
 */
function canBeLate({ status, ...call }: Answered): boolean {
  const isInTime = call.endedMilliseconds - call.atMilliseconds < shortestTimeoutMilliseconds;
  return status === undefined || status === 503 || status === 504 || !isInTime;
}

interface Called extends Answered {
  readonly orderNo: string | undefined;
  readonly request: string;
}

/**
 * No response of 500 or above while nothing is broken. A busy machine makes calls slow. It excuses an error that a slow
 * call can cause, if it was busy during the call or shortly before.
 */
export const errorsInPeace: Rule = ({ evidence: { posts, calls, orders, ...times } }) => {
  const refused = orders.filter(({ story }) => serviceFaults.includes(story));
  const mayFail = new Set(refused.map(({ orderNo }) => orderNo));
  const all: Called[] = [
    ...posts.map((post) => ({ ...post, orderNo: undefined, request: "POST /callbacks" })),
    ...calls.filter(({ orderNo }) => !mayFail.has(orderNo)),
  ];
  const isBroken = (call: Called) =>
    times.disturbances.some((disturbance) =>
      isDuring(disturbance, call, disturbance.sparesCalls ? 0 : echoMilliseconds),
    );
  const isExplained = (call: Called) =>
    canBeLate(call) && times.busy.some((busyTime) => isDuring(busyTime, call, echoMilliseconds));
  return all.map((call): Look => {
    const { request, status, answer, orderNo } = call;
    if (isBroken(call)) return excused(orderNo, "something was broken");
    if (status !== undefined && status < 500) return { orderNo, wrong: [] };
    const seconds = (call.endedMilliseconds - call.atMilliseconds) / 1_000;
    const message = `${request}: ${status ?? "no response"} after ${seconds} s ${answer.slice(0, 200)}`;
    return isExplained(call)
      ? { orderNo, wrong: [], unjudged: [message] }
      : { orderNo, wrong: [message] };
  });
};
