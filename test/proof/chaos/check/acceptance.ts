import type { Answered } from "../../ask.ts";
import { isDuring } from "./evidence.ts";
import { excused, type Look, type Rule } from "./rule.ts";

/** What is not authentic is never acknowledged. */
export const forgeriesAreRefused: Rule = ({ forged }) =>
  forged.map(({ status = 500, envelope }) => ({
    orderNo: undefined,
    wrong: status < 400 ? [`accepted: ${envelope.slice(0, 300)}`] : [],
  }));

/** A function that starts after a disturbance, or finishes what it began in one, may still fail for this long. */
const echoMilliseconds = 12_000;
/** Stories in which the service itself refuses or does not answer. */
const serviceFaults = ["rejected first", "response lost", "query fails"];

/** No function has less time than this. */
const shortestTimeoutMilliseconds = 10_000;

/**
 * Whether lateness can be the cause. What is late is answered with 503 or 504, or not at all; another error comes from it
 * only if the function ran out of its time.
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
 * No answer of 500 or above while nothing is broken. A busy machine makes calls late: it explains an error that lateness
 * can cause, if it was busy during the call or shortly before.
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
