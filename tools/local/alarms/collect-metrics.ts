import type { StackEvent } from "../stack/functions/stack-event.ts";
import { filterLine, type MetricFilter } from "./metric-filters.ts";
import type { MetricStore } from "./metric-store.ts";
import { readEmbeddedMetrics } from "./read-embedded-metrics.ts";

interface CollectOptions {
  readonly store: MetricStore;
  readonly now: () => number;
  /** The metric filters of the access log. */
  readonly filters: () => readonly MetricFilter[];
  /** The name of a function in the template, by its name in log lines. */
  readonly functionName: (label: string) => string;
}

/**
 * Records the metrics that CloudWatch would have: those in the functions' log lines, those of Lambda, and those of the
 * template's metric filters.
 */
export function collectMetrics({ store, now, filters, functionName }: CollectOptions) {
  const count = (
    namespace: string,
    name: string,
    dimensions: Record<string, string>,
    value: number,
  ) => store.write({ metric: { namespace, name, dimensions }, atMilliseconds: now(), value });
  return (event: StackEvent): void => {
    if (event.kind === "output") readEmbeddedMetrics(event.line).forEach(store.write);
    if (event.kind === "invoked") {
      const dimensions = { FunctionName: functionName(event.functionName) };
      count("AWS/Lambda", "Errors", dimensions, event.outcome === "failed" ? 1 : 0);
      count("AWS/Lambda", "Throttles", dimensions, event.outcome === "throttled" ? 1 : 0);
    }
    if (event.kind === "request" && event.accessLine !== undefined) {
      filterLine(filters(), event.accessLine, now()).forEach(store.write);
    }
  };
}
