import type { Disturbance } from "../disturber.ts";
import type { Seen } from "./deliveries.ts";
import { isAcknowledged, type RuleResult, type Violation } from "./evidence.ts";
import { openEnvelope } from "./open-envelope.ts";

/** What is not authentic is never acknowledged. */
export function forgeriesAreRefused({ evidence }: Seen): RuleResult {
  const forged = evidence.posts.filter(
    ({ envelope, atMilliseconds }) =>
      openEnvelope(envelope, evidence.keysOf, atMilliseconds) === undefined,
  );
  const violations = forged
    .filter(({ status }) => status !== undefined && status < 400)
    .map(({ envelope }) => ({
      message: `accepted: ${envelope.slice(0, 300)}`,
      orderNo: undefined,
    }));
  return { rule: "forgeries that were accepted", checked: forged.length, violations };
}

/** An instance looks for new keys once a minute. */
const keysAreNewMilliseconds = 70_000;

/** What the service sealed with its keys of now, or with those before them, is never refused. */
export function authenticIsTaken({ evidence, statements }: Seen): RuleResult {
  const rotationsOf = (merchantId: string) =>
    evidence.disturbances.filter(({ what }) => what === `the keys of ${merchantId} rotate`);
  const mustBeTaken = statements.filter(({ post, opened }) => {
    const rotations = rotationsOf(opened.merchantId);
    const later = rotations.filter((one) => one.fromMilliseconds > post.atMilliseconds);
    const isNew = ({ fromMilliseconds: from, untilMilliseconds: until }: Disturbance) =>
      from <= post.endedMilliseconds && until + keysAreNewMilliseconds >= post.atMilliseconds;
    return opened.keysIndex - later.length <= 1 && !rotations.some(isNew);
  });
  const violations = mustBeTaken
    .filter(({ post: { status = 0 } }) => status >= 400 && status < 500)
    .map(({ post, opened, fact }) => ({
      message: `${opened.eventName} (callback ${opened.id}) was answered with ${post.status}`,
      orderNo: fact?.orderNo,
    }));
  return { rule: "authentic and refused", checked: mustBeTaken.length, violations };
}

/** A function that starts after a disturbance, or finishes what it began in one, may still fail for this long. */
const echoMilliseconds = 12_000;
/** Stories in which the service itself refuses or does not answer. */
const serviceFaults = ["refused first", "answer lost", "asked in vain"];

/** No answer of 500 or above while nothing is broken. */
export function noErrorsInPeace({ evidence }: Seen): RuleResult {
  const { posts, calls, orders, disturbances } = evidence;
  const stories = new Map(orders.map(({ orderNo, story }) => [orderNo, story]));
  const isCalm = (from: number, until: number) =>
    !disturbances.some(
      (one) => one.fromMilliseconds <= until && one.untilMilliseconds + echoMilliseconds >= from,
    );
  const all = [
    ...posts.map((post) => ({ ...post, orderNo: undefined, what: "POST /callbacks" })),
    ...calls
      .filter(({ orderNo }) => !serviceFaults.includes(stories.get(orderNo) ?? ""))
      .map((call) => ({ ...call, what: call.request })),
  ];
  const inPeace = all.filter((one) => isCalm(one.atMilliseconds, one.endedMilliseconds));
  const violations = inPeace
    .filter(({ status }) => status === undefined || status >= 500)
    .map(({ what, status, answer, orderNo }) => ({
      message: `${what}: ${status ?? "no answer"} ${answer.slice(0, 200)}`,
      orderNo,
    }));
  return { rule: "errors while nothing was broken", checked: inPeace.length, violations };
}

/** An event is tried for so long before a person is asked. */
const patienceMilliseconds = 5 * 60_000;

/**
 * What nobody can understand waits for a person, and nothing else does. A callback whose answer said that it was not
 * stored may have been stored all the same.
 */
export function personsAreAsked({ evidence, statements }: Seen): RuleResult {
  const unreadable = statements.filter(({ fact }) => fact === undefined);
  const may = new Set(unreadable.map(({ opened }) => plainId(opened.id)));
  const acknowledged = unreadable.filter(({ post }) => isAcknowledged(post));
  const must = new Set(acknowledged.map(({ opened }) => plainId(opened.id)));
  const listed = new Set(evidence.ending.needsPerson.map(({ callbackId }) => plainId(callbackId)));
  const missing = [...must].filter((id) => !listed.has(id));
  const extra = evidence.ending.needsPerson.filter((one) => !may.has(plainId(one.callbackId)));
  const hasty = evidence.ending.givenUp.filter(({ since, receivedAt }) => {
    return Date.parse(since) - Date.parse(receivedAt) < patienceMilliseconds;
  });
  const violations: Violation[] = [
    ...hasty.map(({ callbackId, orderNo }) => ({
      message: `the event of callback ${callbackId} was given up within five minutes`,
      orderNo,
    })),
    ...missing.map((id) => ({
      message: `nobody is asked about callback ${id}`,
      orderNo: undefined,
    })),
    ...extra.map(({ kind, callbackId, orderNo }) => ({
      message: `${kind}: callback ${callbackId} needs no person`,
      orderNo,
    })),
  ];
  return {
    rule: "persons asked in vain, or not asked",
    checked: must.size + extra.length,
    violations,
  };
}

function plainId(id: string | undefined): string {
  return (id ?? "").replaceAll("-", "").toLowerCase();
}
