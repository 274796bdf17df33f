import type { Post } from "../relay.ts";
import { type Evidence, groupBy, isDuring, type Statement } from "./evidence.ts";
import { keysStateOf, rotationsOf } from "./keys-state.ts";
import { parseObject, type Rotation } from "./open-envelope.ts";
import { excused, type Look, type Rule } from "./rule.ts";

/** After a rejection an instance refreshes its keys, at most once a minute. */
const lookMilliseconds = 60_000;
/** If a refresh fails, the next one follows after half a minute. */
const failedLookMilliseconds = 35_000;
/** On a busy machine a refresh can reach its time limit. */
const keysAreLateMilliseconds = 170_000;

/** A callback that is sealed with the service's current or previous keys is never rejected. */
export const authenticIsTaken: Rule = ({ evidence, statements, forged }) => {
  const refusals = refusalsOf([...forged, ...statements.map(({ post }) => post)]);
  return statements.map((statement) => {
    const ofMerchant = refusals.get(statement.opened.merchantId) ?? [];
    return lookAt(statement, evidence, ofMerchant);
  });
};

/** The rejected envelopes that name each merchant. Each merchant's keys are refreshed separately. */
function refusalsOf(posts: readonly Post[]): ReadonlyMap<string, readonly Post[]> {
  const refused = posts.filter(({ status }) => status === 401);
  return groupBy(refused, ({ envelope }) => String(parseObject(envelope)?.["merchantId"]));
}

function lookAt(statement: Statement, evidence: Evidence, refusals: readonly Post[]): Look {
  const { post, opened, fact } = statement;
  const { status = 0 } = post;
  const orderNo = fact?.orderNo;
  const keys = keysStateOf(statement, evidence);
  if (keys === "unclear") return excused(orderNo, "its keys were being replaced");
  if (status < 400 || status >= 500) return { orderNo, wrong: [] };
  const message = `${opened.eventName} (callback ${opened.id}) got the response ${status}`;
  const rotation = rotationsOf(evidence, statement).at(-1 - opened.keysIndex);
  if (status !== 401) return { orderNo, wrong: [message] };
  if (keys === "previous" && mayLackPrevious(post, evidence)) {
    return excused(orderNo, "an instance started without the previous keys");
  }
  if (rotation === undefined) return { orderNo, wrong: [message] };
  if (hadLooked(post, rotation, refusals) || couldNotLook(post, rotation, evidence)) {
    return excused(orderNo, "the instance could not refresh its keys yet");
  }
  return isLate(post, rotation, evidence)
    ? { orderNo, wrong: [], unjudged: [message] }
    : { orderNo, wrong: [message] };
}

type Times = Pick<Statement["post"], "atMilliseconds" | "endedMilliseconds">;

/**
 * A rejection of an envelope that arrived before the keys were stored caused a refresh, which may have read the old
 * ones. The next refresh follows a minute later.
 */
function hadLooked(post: Times, { untilMilliseconds }: Rotation, refusals: readonly Post[]) {
  const earliest = post.atMilliseconds - lookMilliseconds - lookSlackMilliseconds;
  return refusals.some(
    ({ atMilliseconds, endedMilliseconds }) =>
      atMilliseconds <= untilMilliseconds && endedMilliseconds >= earliest,
  );
}

/** From the refresh to the response. */
const lookSlackMilliseconds = 2_000;

/** Secrets Manager was down during the refresh. */
function couldNotLook(post: Times, rotation: Rotation, evidence: Evidence): boolean {
  return (
    isDuring(rotation, post, keysAreLateMilliseconds) &&
    hadNoSecrets(post, evidence, failedLookMilliseconds)
  );
}

/** An instance that starts while Secrets Manager fails can lack the previous keys until its next refresh. */
function mayLackPrevious(post: Times, evidence: Evidence): boolean {
  return hadNoSecrets(post, evidence, lookMilliseconds + lookSlackMilliseconds);
}

/** Whether Secrets Manager failed at that time or shortly before. */
function hadNoSecrets(post: Times, { disturbances }: Evidence, echoMilliseconds: number): boolean {
  return disturbances
    .filter(({ service }) => service === "secretsmanager")
    .some((time) => isDuring(time, post, echoMilliseconds));
}

function isLate(post: Times, rotation: Rotation, { busy }: Evidence): boolean {
  const since = { ...post, atMilliseconds: rotation.fromMilliseconds };
  return (
    isDuring(rotation, post, keysAreLateMilliseconds) &&
    busy.some((busyTime) => isDuring(busyTime, since))
  );
}
