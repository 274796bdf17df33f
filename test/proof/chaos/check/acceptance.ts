import type { Answered } from "../../ask.ts";
import type { Disturbance } from "../disturbance.ts";
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
/** If an instance cannot fetch new keys, it signs with its old ones, which the service rejects, for half a minute. */
const oldKeysMilliseconds = 35_000;
/** Stories in which the service itself rejects a creation or does not respond to it. */
const serviceFaults = [
  "rejected first",
  "rejected, then corrected",
  "response lost",
  "unreadable response",
  "creation fails",
  "creation hangs",
];
/** How the storefront API reports that. */
const serviceFaultStatuses = [502, 503, 504];

/** create-order waits eight seconds for the payment service, and then needs a moment to store that. */
const longestMilliseconds = 15_000;

/**
 * A clock jump waits until no function runs, and calls wait until the clock has moved. Then the local stack has a queue
 * of calls, where Lambda would start more instances.
 */
const workedOffMilliseconds = 60_000;

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

function isRejected({ answer }: Answered): boolean {
  return answer.includes("problem:service-refused");
}

/**
 * No response of 500 or above while nothing is broken, and none that takes too long. A busy machine makes calls slow. It
 * excuses an error that a slow call can cause, if it was busy during the call or shortly before. No order of the shop is
 * invalid, whatever is broken.
 */
export const errorsInPeace: Rule = ({ evidence: { posts, calls, orders, ...times } }) => {
  const failing = orders.filter(({ story }) => serviceFaults.includes(story));
  const failingNumbers = new Set(failing.map(({ orderNo }) => orderNo));
  const mayFail = (call: Called) =>
    isCreation(call) &&
    failingNumbers.has(call.orderNo ?? "") &&
    serviceFaultStatuses.includes(call.status ?? 0);
  const all: Called[] = [
    ...posts.map((post) => ({ ...post, orderNo: undefined, request: "POST /callbacks" })),
    ...calls,
  ];
  const breaking = [
    ...times.disturbances.filter(({ sparesCalls }) => !sparesCalls),
    ...times.passed,
  ];
  const isBroken = (call: Called) =>
    breaking.some((disturbance) => isDuring(disturbance, call, echoOf(disturbance, call)));
  const hasWaited = (call: Called) =>
    times.passed.some((passed) => isDuring(passed, call, workedOffMilliseconds));
  const isExplained = (call: Called) => {
    const echo = isRejected(call) ? oldKeysMilliseconds : echoMilliseconds;
    const canBeBusy = canBeLate(call) || isRejected(call);
    return canBeBusy && times.busy.some((busyTime) => isDuring(busyTime, call, echo));
  };
  return all.map((call): Look => {
    const { request, status = 500, answer, orderNo } = call;
    if (isCreation(call) && status === 400) {
      return { orderNo, wrong: [`${request}: 400 ${answer.slice(0, 200)}`] };
    }
    if (isBroken(call)) return excused(orderNo, "something was broken");
    const lasted = call.endedMilliseconds - call.atMilliseconds;
    const isExpected = status < 500 || mayFail(call);
    if (isExpected && lasted < longestMilliseconds) return { orderNo, wrong: [] };
    if (isExpected && hasWaited(call)) return excused(orderNo, "calls waited for a clock jump");
    const seconds = lasted / 1_000;
    const message = `${request}: ${call.status ?? "no response"} after ${seconds} s ${answer.slice(0, 200)}`;
    return isExplained(call)
      ? { orderNo, wrong: [], unjudged: [message] }
      : { orderNo, wrong: [message] };
  });
};

/** How long a disturbance can affect a call afterwards. A clock jump affects only the calls that wait for it. */
function echoOf({ sparesCalls, service }: Disturbance, call: Called): number {
  if (service === "secretsmanager" && isRejected(call)) return oldKeysMilliseconds;
  return sparesCalls ? 0 : echoMilliseconds;
}
