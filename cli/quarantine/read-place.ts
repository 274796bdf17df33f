import type { Place } from "../../operations/quarantine/scope.ts";
import { toRfc3339 } from "../../shared/time/timestamp.ts";
import { UsageError } from "../frame/command.ts";
import { readTime } from "../frame/read-time.ts";

/** The options that say where to look, also for events whose dead letter is gone. */
export const placeOptions = {
  order: { type: "string" },
  since: { type: "string" },
  until: { type: "string" },
} as const;

interface PlaceValues {
  readonly order?: string;
  readonly since?: string;
  readonly until?: string;
}

/** Throws `UsageError`. */
export function readPlace({ order, since, until }: PlaceValues, now: number): Place {
  const place = order === undefined ? {} : { orderNo: order };
  if (since === undefined && until === undefined) return place;
  if (since === undefined) throw new UsageError("--until needs --since.");
  const from = readTime(since, "since", now);
  const to = until === undefined ? now : readTime(until, "until", now);
  if (from > to) throw new UsageError("--since is after --until, or after now.");
  return { ...place, since: toRfc3339(from), until: toRfc3339(to) };
}
