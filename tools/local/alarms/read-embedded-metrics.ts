import * as z from "zod";
import type { MetricId } from "./metric.ts";

export interface WrittenMetric {
  readonly metric: MetricId;
  readonly atMilliseconds: number;
  readonly value: number;
}

const lineSchema = z.looseObject({
  _aws: z.object({
    Timestamp: z.number(),
    CloudWatchMetrics: z.array(
      z.object({
        Namespace: z.string(),
        Dimensions: z.array(z.array(z.string())),
        Metrics: z.array(z.object({ Name: z.string() })),
      }),
    ),
  }),
});

/** The metrics in a function's log line, in CloudWatch's embedded metric format. Most lines have none. */
export function readEmbeddedMetrics(line: string): readonly WrittenMetric[] {
  const read = lineSchema.safeParse(parseLine(line));
  if (!read.success) return [];
  const { _aws, ...fields } = read.data;
  const atMilliseconds = _aws.Timestamp;
  return _aws.CloudWatchMetrics.flatMap(({ Namespace: namespace, Dimensions, Metrics }) =>
    Dimensions.flatMap((names) => {
      const dimensions = Object.fromEntries(names.map((name) => [name, String(fields[name])]));
      return Metrics.map(({ Name: name }) => {
        return {
          metric: { namespace, name, dimensions },
          atMilliseconds,
          value: Number(fields[name]),
        };
      });
    }),
  );
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
