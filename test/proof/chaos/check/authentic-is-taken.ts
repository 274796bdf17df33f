import type { Disturbance } from "../disturber.ts";
import { type Evidence, isDuring, type Statement } from "./evidence.ts";
import { keysStateOf, rotationsOf } from "./keys-state.ts";
import { excused, type Look, type Rule } from "./rule.ts";

/** After a refusal an instance looks for new keys, but only once a minute. */
const lookMilliseconds = 60_000;
/** If a look fails, the next one comes after half a minute. */
const failedLookMilliseconds = 35_000;
/** On a busy machine looks can fail by their time limit. */
const keysAreLateMilliseconds = 170_000;

/** What the service sealed with its keys of now, or with those before them, is never refused. */
export const authenticIsTaken: Rule = ({ evidence, statements, forged }) => {
  const refusals = [...forged, ...statements.map(({ post }) => post)]
    .filter(({ status }) => status === 401)
    .map(({ endedMilliseconds }) => endedMilliseconds);
  return statements.map((statement) => lookAt(statement, evidence, refusals));
};

function lookAt(statement: Statement, evidence: Evidence, refusals: readonly number[]): Look {
  const { post, opened, fact } = statement;
  const { status = 0 } = post;
  const orderNo = fact?.orderNo;
  const keys = keysStateOf(statement, evidence);
  if (keys === "unclear") return excused(orderNo, "its keys were being replaced");
  if (status < 400 || status >= 500) return { orderNo, wrong: [] };
  const message = `${opened.eventName} (callback ${opened.id}) was answered with ${status}`;
  if (status !== 401 || keys === "previous") return { orderNo, wrong: [message] };
  const rotations = rotationsOf(evidence, statement);
  if (hadLooked(post, rotations, refusals) || couldNotLook(post, rotations, evidence)) {
    return excused(orderNo, "the instance could not look for new keys yet");
  }
  return isLate(post, rotations, evidence)
    ? { orderNo, wrong: [], unjudged: [message] }
    : { orderNo, wrong: [message] };
}

type Times = Pick<Statement["post"], "atMilliseconds" | "endedMilliseconds">;

/** A refusal shortly before the rotation made an instance look: it looks again a minute after that. */
function hadLooked(post: Times, rotations: readonly Disturbance[], refusals: readonly number[]) {
  return rotations.some((rotation) =>
    refusals.some(
      (refused) =>
        refused <= rotation.untilMilliseconds + lookSlackMilliseconds &&
        refused >= post.atMilliseconds - lookMilliseconds - lookSlackMilliseconds,
    ),
  );
}

/** A look that began while the keys were stored may still have seen the old ones. */
const lookSlackMilliseconds = 2_000;

/** Secrets Manager was away when the instance looked. */
function couldNotLook(post: Times, rotations: readonly Disturbance[], { disturbances }: Evidence) {
  const isNew = rotations.some((rotation) => isDuring(rotation, post, keysAreLateMilliseconds));
  const away = disturbances.filter(({ what }) => what.startsWith("secretsmanager"));
  return isNew && away.some((time) => isDuring(time, post, failedLookMilliseconds));
}

function isLate(post: Times, rotations: readonly Disturbance[], { busy }: Evidence): boolean {
  return rotations
    .filter((rotation) => isDuring(rotation, post, keysAreLateMilliseconds))
    .some(({ fromMilliseconds }) =>
      busy.some((busyTime) => isDuring(busyTime, { ...post, atMilliseconds: fromMilliseconds })),
    );
}
