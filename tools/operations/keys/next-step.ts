import type { StageMove, Stages } from "../ports/keys.ts";
import type { SecretKind } from "../secrets/inspect-keys.ts";
import { isRevoked } from "../secrets/stages.ts";
import type { Goal } from "./decide-stages.ts";

/** What to do next, and whether another command has changed the secret first. */
export function nextStep(
  now: Stages,
  before: Stages,
  goal: Goal,
  kind: SecretKind,
): { readonly isLost: boolean; readonly move: StageMove | undefined } {
  const reachable = withoutRevoked(now, before, goal);
  const isOnWay = [goal, reachable].some((wanted) => isOnTheWay(now, before, wanted, kind));
  const isLost = !isOnWay || bringsBack(now, before, goal);
  return { isLost, move: isLost ? leftPending(now, goal) : nextMove(now, reachable, kind) };
}

/**
 * If another operator revokes the version that shall stay the previous one, the new keys get none. Otherwise callback keys
 * would become current by way of a revoked version, or would end there.
 */
function withoutRevoked(now: Stages, before: Stages, goal: Goal): Goal {
  const isNew = isRevoked(now, goal.previous) && !isRevoked(before, goal.previous);
  return isNew ? { ...goal, previous: undefined } : goal;
}

/** The own version, which will not become current. */
function leftPending({ pending }: Stages, goal: Goal): StageMove | undefined {
  const isOwn = pending !== undefined && pending === goal.notPending && pending === goal.current;
  return isOwn ? { stage: "pending", from: pending } : undefined;
}

/** A secret takes 20 labels, and others may attach some. If there are more marks, the oldest one goes. */
const mostRevoked = 12;

/**
 * The next move towards the goal; undefined if the goal is reached. A version is marked as revoked before it loses a
 * stage, so nobody can restore it in between. Secrets Manager makes each version that loses AWSCURRENT the previous
 * one. If callback keys are replaced and the version before them is kept, that version therefore becomes current first:
 * it verifies at every moment, even if the command is killed after any move. Request keys move directly: an instance
 * that reads them in between would sign with old keys for minutes, and nothing uses their previous version.
 */
export function nextMove(now: Stages, goal: Goal, kind: SecretKind): StageMove | undefined {
  if (goal.revoked !== undefined && !isRevoked(now, goal.revoked)) return markMove(now, goal);
  if (now.current !== goal.current) {
    const isKept = now.previous !== undefined && now.previous === goal.previous;
    const isByWayOfKept = kind === "callback" && isKept && now.previous !== now.current;
    return { stage: "current", from: now.current, to: isByWayOfKept ? now.previous : goal.current };
  }
  if (now.previous !== goal.previous) {
    return { stage: "previous", from: now.previous, to: goal.previous };
  }
  const isPending = now.pending !== undefined && now.pending === goal.notPending;
  return isPending ? { stage: "pending", from: now.pending } : undefined;
}

function markMove({ revoked: marked = [] }: Stages, goal: Goal): StageMove {
  const [oldest] = marked;
  if (marked.length >= mostRevoked) return { stage: "revoked", from: oldest };
  return { stage: "revoked", to: goal.revoked };
}

/** The stages after a move, as Secrets Manager has them. */
export function afterMove(now: Stages, { stage, from, to }: StageMove): Stages {
  if (stage === "revoked") {
    const others = (now.revoked ?? []).filter((versionId) => versionId !== from);
    return { ...now, revoked: to === undefined ? others : [...others, to] };
  }
  const moved = { ...now, [stage]: to };
  return stage === "current" && from !== undefined ? { ...moved, previous: from } : moved;
}

/** Whether the stages are on the way from `before` to the goal. If not, another operator has moved them. */
function isOnTheWay(now: Stages, before: Stages, goal: Goal, kind: SecretKind): boolean {
  if (now.current === before.current && now.previous === before.previous) return true;
  const move = nextMove(before, goal, kind);
  return move !== undefined && isOnTheWay(now, afterMove(before, move), goal, kind);
}

/** Another operator has revoked, in the meantime, the version that becomes current. */
function bringsBack(now: Stages, before: Stages, { current }: Goal): boolean {
  return current !== before.current && isRevoked(now, current);
}
