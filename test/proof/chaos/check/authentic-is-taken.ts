import type { Post } from "../relay.ts";
import { type Evidence, isDuring, type Statement } from "./evidence.ts";
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

/** When envelopes that name each merchant were rejected. Each merchant's keys are refreshed separately. */
function refusalsOf(posts: readonly Post[]): ReadonlyMap<string, readonly number[]> {
  const times = new Map<string, number[]>();
  for (const { status, envelope, endedMilliseconds } of posts) {
    if (status !== 401) continue;
    const merchantId = String(parseObject(envelope)?.["merchantId"]);
    times.set(merchantId, [...(times.get(merchantId) ?? []), endedMilliseconds]);
  }
  return times;
}

function lookAt(statement: Statement, evidence: Evidence, refusals: readonly number[]): Look {
  const { post, opened, fact } = statement;
  const { status = 0 } = post;
  const orderNo = fact?.orderNo;
  const keys = keysStateOf(statement, evidence);
  if (keys === "unclear") return excused(orderNo, "its keys were being replaced");
  if (status < 400 || status >= 500) return { orderNo, wrong: [] };
  const message = `${opened.eventName} (callback ${opened.id}) got the response ${status}`;
  const rotation = rotationsOf(evidence, statement).at(-1 - opened.keysIndex);
  if (status !== 401 || rotation === undefined) return { orderNo, wrong: [message] };
  if (hadLooked(post, rotation, refusals) || couldNotLook(post, rotation, evidence)) {
    return excused(orderNo, "the instance could not refresh its keys yet");
  }
  return isLate(post, rotation, evidence)
    ? { orderNo, wrong: [], unjudged: [message] }
    : { orderNo, wrong: [message] };
}

type Times = Pick<Statement["post"], "atMilliseconds" | "endedMilliseconds">;

/** A rejection shortly before the keys were created caused a refresh. The next one follows a minute later. */
function hadLooked(post: Times, { untilMilliseconds }: Rotation, refusals: readonly number[]) {
  const earliest = post.atMilliseconds - lookMilliseconds - lookSlackMilliseconds;
  return refusals.some(
    (refused) => refused <= untilMilliseconds + lookSlackMilliseconds && refused >= earliest,
  );
}

/** A refresh that started while the keys were stored may still have read the old ones. */
const lookSlackMilliseconds = 2_000;

/** Secrets Manager was down during the refresh. */
function couldNotLook(post: Times, rotation: Rotation, { disturbances }: Evidence): boolean {
  const away = disturbances.filter(({ what }) => what.startsWith("secretsmanager"));
  return (
    isDuring(rotation, post, keysAreLateMilliseconds) &&
    away.some((time) => isDuring(time, post, failedLookMilliseconds))
  );
}

function isLate(post: Times, rotation: Rotation, { busy }: Evidence): boolean {
  const since = { ...post, atMilliseconds: rotation.fromMilliseconds };
  return (
    isDuring(rotation, post, keysAreLateMilliseconds) &&
    busy.some((busyTime) => isDuring(busyTime, since))
  );
}
