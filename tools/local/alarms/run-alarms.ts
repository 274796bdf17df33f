import { alarmsFile, queueMetricsFile } from "../../operations/local-stack/local-description.ts";
import type { RunningSqs } from "../aws/sqs/start-sqs.ts";
import type { StackClock } from "../clock/stack-clock.ts";
import type { StackEvent, StackLog } from "../stack/functions/stack-event.ts";
import type { RunningStack } from "../stack/start-stack.ts";
import { writeOwnFile } from "../write-own-file.ts";
import { collectMetrics } from "./collect-metrics.ts";
import type { MetricFilter } from "./metric-filters.ts";
import { createMetricStore } from "./metric-store.ts";
import { createQueueSampler } from "./sample-queues.ts";
import { type AlarmWatch, watchAlarms } from "./watch-alarms.ts";

interface AlarmOptions {
  /** The folder of the local stack. A file in it lists the alarms in ALARM state, for the command. */
  readonly directory: string;
  readonly clock: StackClock;
  readonly log: StackLog;
}

/**
 * The CloudWatch of the local stack: it records metrics from the first event on, and evaluates alarms once the stack is
 * running.
 */
export function createAlarms({ directory, clock, log }: AlarmOptions) {
  const store = createMetricStore();
  const functionNames = new Map<string, string>();
  let filters: readonly MetricFilter[] = [];
  const collect = collectMetrics({
    store,
    now: clock.now,
    filters: () => filters,
    functionName: (label) => functionNames.get(label) ?? label,
  });
  return {
    collect: (event: StackEvent) => collect(event),
    watch: (stack: RunningStack, queues: Pick<RunningSqs, "counts">): AlarmWatch => {
      filters = stack.metricFilters;
      for (const { definition } of stack.functions) {
        functionNames.set(definition.label, definition.name);
      }
      const keepRinging = () =>
        writeOwnFile(alarmsFile(directory), JSON.stringify(watching.ringing()));
      const file = queueMetricsFile(directory);
      // Values of an earlier start would look like those of deleted queues.
      writeOwnFile(file, "{}");
      const sampleQueues = createQueueSampler({ store, queues, file });
      const watching = watchAlarms({
        alarms: stack.alarms,
        store,
        clock,
        sampleQueues: () => sampleQueues(clock.now()),
        changed: ({ name, description }, isRinging) => {
          keepRinging();
          log({ kind: "alarm", name, description, isRinging });
        },
      });
      keepRinging();
      return watching;
    },
  };
}
