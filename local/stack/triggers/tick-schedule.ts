import { randomUUID } from "node:crypto";
import { localAccountId, localRegion } from "../../aws/emulator.ts";
import type { RunningFunction } from "../functions/run-function.ts";
import type { StackLog } from "../functions/stack-event.ts";
import { StackError } from "../template/template.ts";

export interface Schedule {
  readonly arn: string;
  readonly intervalMilliseconds: number;
  /** The event from the template. If undefined, the function gets EventBridge's own event. */
  readonly input: unknown;
}

const unitMilliseconds = new Map([
  ["minute", 60_000],
  ["hour", 3_600_000],
  ["day", 86_400_000],
]);

/** Reads `rate(5 minutes)`. */
export function readRate(expression: string, logicalId: string): number {
  const found = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression);
  const milliseconds = Number(found?.[1]) * (unitMilliseconds.get(found?.[2] ?? "") ?? Number.NaN);
  if (milliseconds > 0) return milliseconds;
  throw new StackError(
    "local-properties-unknown",
    `${logicalId} has the schedule ${expression}. The local stack knows only rate(…).`,
  );
}

/** Calls the function once per interval. While a call runs, no second one starts. */
export function tickSchedule(
  schedule: Schedule,
  running: RunningFunction,
  log: StackLog,
): { stop(): Promise<void> } {
  let underWay: Promise<void> | undefined;
  const tick = async () => {
    const startedMilliseconds = performance.now();
    await running.invoke(schedule.input ?? scheduledEvent(schedule.arn));
    const durationMilliseconds = performance.now() - startedMilliseconds;
    log({ kind: "schedule", functionName: running.definition.label, durationMilliseconds });
    underWay = undefined;
  };
  const timer = setInterval(() => {
    underWay ??= tick();
  }, schedule.intervalMilliseconds);
  const stop = async () => {
    clearInterval(timer);
    await underWay;
  };
  return { stop };
}

function scheduledEvent(arn: string): object {
  return {
    version: "0",
    id: randomUUID(),
    "detail-type": "Scheduled Event",
    source: "aws.events",
    account: localAccountId,
    time: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
    region: localRegion,
    resources: [arn],
    detail: {},
  };
}
