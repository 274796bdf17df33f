import type { Work } from "../described/description.ts";
import type { FoundRequests } from "../ports/log.ts";
import type { Target } from "../ports/target.ts";
import { filterPattern, matches, type RequestFilter, routes } from "./answers.ts";

export interface Reading extends RequestFilter {
  /** In milliseconds; `until` itself is not part of it. */
  readonly since: number;
  readonly until: number;
  /** A few more are given if they have the same time as the last one. */
  readonly limit: number;
  /** How often CloudWatch is called at most. */
  readonly calls: number;
}

const allServices = [...routes.callbacks, ...routes.storefront];

/** The requests of a time, read backwards from its end until there are enough, or until the calls are used up. */
export async function readRequests(
  { log }: Pick<Target, "log">,
  reading: Reading,
  work: Work,
): Promise<FoundRequests> {
  const { route, since, until, limit, calls } = reading;
  return await log.readRequests({
    since,
    until,
    limit,
    calls,
    ...work,
    services: route === undefined ? allServices : routes[route],
    isWanted: (line) => matches(line, reading),
    pattern: filterPattern(reading),
  });
}
