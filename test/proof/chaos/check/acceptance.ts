import type { Answered } from "../../ask.ts";
import { isDuring } from "./evidence.ts";
import { isCreation } from "./requests.ts";
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
const serviceFaults = [
  "rejected first",
  "rejected, then corrected",
  "response lost",
  "unreadable response",
  "creation fails",
  "creation hangs",
  "query fails",
];

/** create-order waits eight seconds for the payment service, and then needs a moment to store that. */
const longestMilliseconds = 15_000;

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
  /** Whether the payment service itself fails. */
  readonly mayFail?: boolean;
}

/**
 * No response of 500 or above while nothing is broken, and none that takes too long. A busy machine makes calls slow. It
 * excuses an error that a slow call can cause, if it was busy during the call or shortly before. No order of the shop is
 * invalid, whatever is broken.
 */
export const errorsInPeace: Rule = ({ evidence: { posts, calls, orders, ...times } }) => {
  const refused = orders.filter(({ story }) => serviceFaults.includes(story));
  const mayFail = new Set(refused.map(({ orderNo }) => orderNo));
  const all: Called[] = [
    ...posts.map((post) => ({ ...post, orderNo: undefined, request: "POST /callbacks" })),
    ...calls.map((call) => ({ ...call, mayFail: mayFail.has(call.orderNo) })),
  ];
  const isBroken = (call: Called) =>
    times.disturbances.some((disturbance) =>
      isDuring(disturbance, call, disturbance.sparesCalls ? 0 : echoMilliseconds),
    );
  const isExplained = (call: Called) =>
    canBeLate(call) && times.busy.some((busyTime) => isDuring(busyTime, call, echoMilliseconds));
  return all.map((call): Look => {
    const { request, status = 500, answer, orderNo } = call;
    if (isCreation(call) && status === 400) {
      return { orderNo, wrong: [`${request}: 400 ${answer.slice(0, 200)}`] };
    }
    if (isBroken(call)) return excused(orderNo, "something was broken");
    const lasted = call.endedMilliseconds - call.atMilliseconds;
    const isGood = (status < 500 || call.mayFail) && lasted < longestMilliseconds;
    if (isGood) return { orderNo, wrong: [] };
    const seconds = lasted / 1_000;
    const message = `${request}: ${call.status ?? "no response"} after ${seconds} s ${answer.slice(0, 200)}`;
    return isExplained(call)
      ? { orderNo, wrong: [], unjudged: [message] }
      : { orderNo, wrong: [message] };
  });
};
