import type { Answered } from "../../ask.ts";
import { isAcknowledged, isDuring, plainId } from "./evidence.ts";
import type { Look, Rule } from "./rule.ts";

/** What is not authentic is never acknowledged. */
export const forgeriesAreRefused: Rule = ({ forged }) =>
  forged.map(({ status = 500, envelope }) => ({
    orderNo: undefined,
    wrong: status < 400 ? [`accepted: ${envelope.slice(0, 300)}`] : [],
  }));

/** A function that starts after a disturbance, or finishes what it began in one, may still fail for this long. */
const echoMilliseconds = 12_000;
/** Stories in which the service itself refuses or does not answer. */
const serviceFaults = ["refused first", "answer lost", "asked in vain"];

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

/**
 * No answer of 500 or above while nothing is broken. A busy machine makes calls late: it explains an error that lateness
 * can cause, if it was busy during the call or shortly before.
 */
export const errorsInPeace: Rule = ({ evidence: { posts, calls, orders, ...times } }) => {
  const refused = orders.filter(({ story }) => serviceFaults.includes(story));
  const mayFail = new Set(refused.map(({ orderNo }) => orderNo));
  const all = [
    ...posts.map((post) => ({ ...post, orderNo: undefined, request: "POST /callbacks" })),
    ...calls.filter(({ orderNo }) => !mayFail.has(orderNo)),
  ];
  const isBroken = (call: (typeof all)[number]) =>
    times.disturbances.some((disturbance) => isDuring(disturbance, call, echoMilliseconds));
  const isExplained = (call: (typeof all)[number]) =>
    canBeLate(call) && times.busy.some((busyTime) => isDuring(busyTime, call, echoMilliseconds));
  const inPeace = all.filter((call) => !isBroken(call));
  return inPeace.map((call): Look => {
    const { request, status, answer, orderNo } = call;
    if (status !== undefined && status < 500) return { orderNo, wrong: [] };
    const seconds = (call.endedMilliseconds - call.atMilliseconds) / 1_000;
    const message = `${request}: ${status ?? "no answer"} after ${seconds} s ${answer.slice(0, 200)}`;
    return isExplained(call)
      ? { orderNo, wrong: [], unjudged: [message] }
      : { orderNo, wrong: [message] };
  });
};

/** An event is tried for so long before a person is asked; a queue that does not exist gets less. */
const patienceMilliseconds = 5 * 60_000;
const gonePatienceMilliseconds = 60_000;

function patienceWith({ subscribers }: { readonly subscribers: Readonly<Record<string, string>> }) {
  const isGone = Object.values(subscribers).every((error) => error === "QueueDoesNotExist");
  return isGone ? gonePatienceMilliseconds : patienceMilliseconds;
}

/**
 * What nobody can understand waits for a person, and nothing else does. A callback whose answer said that it was not
 * stored may have been stored all the same.
 */
export const personsAsked: Rule = ({ evidence: { ending }, statements }) => {
  const unreadable = statements.filter(({ fact }) => fact === undefined);
  const acknowledged = unreadable.filter(({ post }) => isAcknowledged(post));
  const may = new Set(unreadable.map(({ opened }) => plainId(opened.id)));
  const must = new Set(acknowledged.map(({ opened }) => plainId(opened.id)));
  const listed = new Set(ending.needsPerson.map(({ callbackId }) => plainId(callbackId)));
  const hasty = ending.givenUp.filter(
    (needsPerson) =>
      Date.parse(needsPerson.since) - Date.parse(needsPerson.receivedAt) <
      patienceWith(needsPerson),
  );
  const extra = ending.needsPerson.filter(({ callbackId }) => !may.has(plainId(callbackId)));
  return [
    ...[...must].map((id): Look => {
      const message = `nobody is asked about callback ${id}`;
      return { orderNo: undefined, wrong: listed.has(id) ? [] : [message] };
    }),
    ...extra.map(({ kind, callbackId, orderNo }) => ({
      orderNo,
      wrong: [`${kind}: callback ${callbackId} needs no person`],
    })),
    ...hasty.map(({ callbackId, orderNo }) => ({
      orderNo,
      wrong: [`the event of callback ${callbackId} was given up too early`],
    })),
  ];
};
