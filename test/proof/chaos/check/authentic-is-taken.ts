import type { Disturbance } from "../disturber.ts";
import { type Evidence, isDuring, type Statement } from "./evidence.ts";
import type { Look, Rule } from "./rule.ts";

/** An instance looks for new keys once a minute. */
const keysAreNewMilliseconds = 70_000;
/** On a busy machine this look can fail by its time limit. The next ones come half a minute apart. */
const keysAreLateMilliseconds = 170_000;

/** What the service sealed with its keys of now, or with those before them, is never refused. */
export const authenticIsTaken: Rule = ({ evidence, statements }) =>
  statements.flatMap((statement) => {
    const rotations = rotationsOf(evidence, statement);
    const isNew = rotations.some((rotation) =>
      isDuring(rotation, statement.post, keysAreNewMilliseconds),
    );
    return isNew || keysAgeOf(statement, rotations) > 1
      ? []
      : [lookAt(statement, rotations, evidence.busy)];
  });

function lookAt(
  statement: Statement,
  rotations: readonly Disturbance[],
  busy: Evidence["busy"],
): Look {
  const { post, opened, fact } = statement;
  const { status = 0 } = post;
  const orderNo = fact?.orderNo;
  if (status < 400 || status >= 500) return { orderNo, wrong: [] };
  const message = `${opened.eventName} (callback ${opened.id}) was answered with ${status}`;
  const isBusySince = ({ fromMilliseconds }: Disturbance) =>
    busy.some((busyTime) => isDuring(busyTime, { ...post, atMilliseconds: fromMilliseconds }));
  const isLate = rotations
    .filter((rotation) => isDuring(rotation, post, keysAreLateMilliseconds))
    .some(isBusySince);
  const isExplained = isLate && status === 401 && keysAgeOf(statement, rotations) === 0;
  return isExplained ? { orderNo, wrong: [], unjudged: [message] } : { orderNo, wrong: [message] };
}

function rotationsOf({ disturbances }: Evidence, { opened }: Statement): Disturbance[] {
  return disturbances.filter(({ what }) => what === `the keys of ${opened.merchantId} rotate`);
}

/** 0 if it was sealed with the newest keys of then, 1 if with those before them. */
function keysAgeOf({ post, opened }: Statement, rotations: readonly Disturbance[]): number {
  const later = rotations.filter((rotation) => rotation.fromMilliseconds > post.atMilliseconds);
  return opened.keysIndex - later.length;
}
