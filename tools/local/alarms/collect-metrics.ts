import type { StackEvent } from "../stack/functions/stack-event.ts";
import type { MetricStore } from "./metric-store.ts";
import { readEmbeddedMetrics } from "./read-embedded-metrics.ts";

interface CollectOptions {
  readonly store: MetricStore;
  readonly now: () => number;
  /** The id of the HTTP API. */
  readonly apiId: string;
  /** The name of a function in the template, by its name in log lines. */
  readonly functionName: (label: string) => string;
}

/**
 * Records the metrics that CloudWatch would have: those in the functions' log lines, and those of Lambda and API
 * Gateway.
 */
export function collectMetrics({ store, now, apiId, functionName }: CollectOptions) {
  const count = (namespace: string, name: string, dimensions: Record<string, string>, value = 1) =>
    store.write({ metric: { namespace, name, dimensions }, atMilliseconds: now(), value });
  return (event: StackEvent): void => {
    if (event.kind === "output") readEmbeddedMetrics(event.line).forEach(store.write);
    if (event.kind === "invoked") {
      const dimensions = { FunctionName: functionName(event.functionName) };
      count("AWS/Lambda", "Errors", dimensions, event.outcome === "failed" ? 1 : 0);
      count("AWS/Lambda", "Throttles", dimensions, event.outcome === "throttled" ? 1 : 0);
    }
    if (event.kind === "request") {
      const dimensions = { ApiId: apiId };
      count("AWS/ApiGateway", "Count", dimensions);
      count("AWS/ApiGateway", "5xx", dimensions, event.status >= 500 ? 1 : 0);
    }
  };
}
