import { groupsOf } from "../replay/read-aggregates.ts";
import type { Target } from "../target/target.ts";
import { databaseOf } from "../target/target-database.ts";
import type { Candidate } from "./candidate.ts";

/** Where to look, as an operator says it: an order with its payments, a range of time, or both. Times are in UTC. */
export interface Place {
  readonly merchantId?: string | undefined;
  readonly orderNo?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** The same with the aggregates of the order. */
export interface Scope extends Place {
  readonly groups?: readonly string[];
}

/** Undefined if the place is everywhere. */
export async function scopeOf(target: Target, place: Place): Promise<Scope | undefined> {
  const { merchantId, orderNo, since } = place;
  if (orderNo === undefined) return since === undefined ? undefined : place;
  const order = { merchantId, orderNo, paymentId: undefined, withRefunds: true };
  return { ...place, groups: await groupsOf(databaseOf(target), target, order) };
}

/** In a range is what was recorded in it, and what was put aside in it. */
export function isInScope(
  { group, at, recordedAt }: Pick<Candidate, "group" | "at" | "recordedAt">,
  { groups, since = "", until }: Scope,
): boolean {
  if (groups !== undefined && (group === undefined || !groups.includes(group))) return false;
  return [at, recordedAt].some(
    (time) => time !== undefined && time >= since && (until === undefined || time <= until),
  );
}
