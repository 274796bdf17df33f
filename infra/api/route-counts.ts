import type { Metric } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, type JsonPattern } from "aws-cdk-lib/aws-logs";
import { fieldIs, fieldIsNot } from "./access-log.ts";

/** Counts the requests of the API that match. */
export type CountRequests = (metricName: string, pattern: JsonPattern) => Metric;

/** The requests of one route, as API Gateway answered them. */
export interface RouteCounts {
  readonly all: Metric;
  readonly succeeded: Metric;
  /** All 5xx, from the function or from API Gateway. */
  readonly failed: Metric;
  /** The 5xx for which no answer of the function exists. */
  readonly crashed: Metric;
  readonly throttled: Metric;
}

/** What can be counted of a route, by the pattern of its status. */
const statuses: Readonly<Record<keyof RouteCounts, readonly JsonPattern[]>> = {
  all: [],
  succeeded: [fieldIs("status", "2*")],
  failed: [fieldIs("status", "5*")],
  /*
   * The storefront's functions never answer 500: that is API Gateway's answer when a function crashes, is throttled or
   * may not be called. With 503 API Gateway answers when a function takes too long, and the functions have 503 too;
   * `functionStatus` is the status that a function returned.
   */
  crashed: [
    FilterPattern.any(
      fieldIs("status", "500"),
      FilterPattern.all(fieldIs("status", "503"), fieldIsNot("functionStatus", "503")),
    ),
  ],
  throttled: [fieldIs("status", "429")],
};

const endings: Readonly<Record<keyof RouteCounts, string>> = {
  all: "Requests",
  succeeded: "RequestsSucceeded",
  failed: "RequestsFailed",
  crashed: "RequestsCrashed",
  throttled: "RequestsThrottled",
};

/** Counts what is asked for of one or several routes. Each count is a metric that costs money. */
export function countRoutes<Kind extends keyof RouteCounts>(
  count: CountRequests,
  name: string,
  routes: readonly string[],
  kinds: readonly Kind[],
): Pick<RouteCounts, Kind>;
export function countRoutes(
  count: CountRequests,
  name: string,
  routes: readonly string[],
  kinds: readonly (keyof RouteCounts)[],
): Partial<RouteCounts> {
  const onRoutes = FilterPattern.any(...routes.map((route) => fieldIs("route", route)));
  const counted = kinds.map((kind) => {
    const pattern = FilterPattern.all(onRoutes, ...statuses[kind]);
    return [kind, count(`${name}${endings[kind]}`, pattern)] as const;
  });
  return Object.fromEntries(counted);
}
