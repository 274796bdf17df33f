import * as z from "zod";
import { type AccessLog, isAccessLog } from "../stack/http/access-log.ts";
import type { DeclaredResource, StackContext } from "../stack/template/stack-context.ts";
import { StackError } from "../stack/template/template.ts";
import {
  type FilterPattern,
  fieldsIn,
  matchesPattern,
  parseFilterPattern,
} from "./filter-pattern.ts";
import type { MetricId } from "./metric.ts";
import type { WrittenMetric } from "./read-embedded-metrics.ts";

/** Counts the lines of the access log that match. */
export interface MetricFilter {
  readonly pattern: FilterPattern;
  readonly metric: MetricId;
}

const filterSchema = z.strictObject({
  FilterPattern: z.string(),
  LogGroupName: z.string(),
  MetricTransformations: z.tuple([
    z.strictObject({
      MetricNamespace: z.string(),
      MetricName: z.string(),
      MetricValue: z.literal("1"),
      // Without it, a metric has no data before the first match.
      DefaultValue: z.literal(0),
    }),
  ]),
});

/**
 * The metric filters of the template. Throws if one cannot be evaluated here, is on another log, or reads a field that
 * the access log does not have: it would never count anything.
 */
export function readMetricFilters(
  context: StackContext,
  accessLog: AccessLog | undefined,
): readonly MetricFilter[] {
  return context.declared("AWS::Logs::MetricFilter").map((declared) => {
    const properties = context.properties(filterSchema, declared);
    if (accessLog === undefined || !isAccessLog(accessLog, properties.LogGroupName, context)) {
      throw cannotEvaluate(declared, "It is not on the access log.");
    }
    const [{ MetricNamespace: namespace, MetricName: name }] = properties.MetricTransformations;
    const pattern = readPattern(declared, properties.FilterPattern);
    const missing = fieldsIn(pattern).filter((field) => !accessLog.fields.includes(field));
    if (missing.length > 0) {
      throw cannotEvaluate(declared, `The access log has no field ${missing.join(", ")}.`);
    }
    return { pattern, metric: { namespace, name, dimensions: {} } };
  });
}

function readPattern(declared: DeclaredResource, text: string): FilterPattern {
  try {
    return parseFilterPattern(text);
  } catch (error) {
    throw cannotEvaluate(declared, error instanceof Error ? error.message : String(error));
  }
}

function cannotEvaluate({ logicalId }: DeclaredResource, reason: string): StackError {
  const message = `The local stack cannot evaluate the metric filter ${logicalId}. ${reason}`;
  return new StackError("local-properties-unknown", message);
}

const lineSchema = z.record(z.string(), z.unknown());

/** What the filters count in a line: 1 if it matches, otherwise the default value. */
export function filterLine(
  filters: readonly MetricFilter[],
  line: string,
  atMilliseconds: number,
): readonly WrittenMetric[] {
  const fields = lineSchema.parse(JSON.parse(line));
  return filters.map(({ pattern, metric }) => {
    return { metric, atMilliseconds, value: matchesPattern(pattern, fields) ? 1 : 0 };
  });
}
