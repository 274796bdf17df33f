import { randomUUID } from "node:crypto";
import * as z from "zod";
import { localAccountId, localRegion } from "../../aws/local-account.ts";
import type { FunctionFinder, RunningFunction } from "../functions/run-function.ts";
import type { StackLog } from "../functions/stack-event.ts";
import type { StackContext } from "../template/stack-context.ts";
import { ignored, StackError } from "../template/template.ts";

const ruleSchema = z.strictObject({
  ScheduleExpression: z.string(),
  State: z.literal("ENABLED"),
  Targets: z.array(z.strictObject({ Arn: z.string(), Id: ignored, RetryPolicy: ignored })),
  Description: ignored,
});

/** Starts the schedules, which are rules of EventBridge. */
export function startSchedules(
  context: StackContext,
  findFunction: FunctionFinder,
  log: StackLog,
): RunningSchedule[] {
  const schedules = context.declared("AWS::Events::Rule").flatMap((declared) => {
    const { ScheduleExpression, Targets } = context.properties(ruleSchema, declared);
    const intervalMilliseconds = readRate(ScheduleExpression, declared.logicalId);
    const arn = declared.identity.attribute("Arn") ?? declared.logicalId;
    return Targets.map((target) => {
      const running = findFunction(target.Arn, declared.logicalId);
      return { arn, intervalMilliseconds, running };
    });
  });
  return schedules.map((schedule) => tickSchedule(schedule, log));
}

interface Schedule {
  readonly arn: string;
  readonly intervalMilliseconds: number;
  readonly running: RunningFunction;
}

const unitMilliseconds = new Map([
  ["minute", 60_000],
  ["hour", 3_600_000],
  ["day", 86_400_000],
]);

/** Reads `rate(5 minutes)`. */
function readRate(expression: string, logicalId: string): number {
  const found = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression);
  const milliseconds = Number(found?.[1]) * (unitMilliseconds.get(found?.[2] ?? "") ?? Number.NaN);
  if (milliseconds > 0) return milliseconds;
  throw new StackError(
    "local-properties-unknown",
    `${logicalId} has the schedule ${expression}. The local stack knows only rate(…).`,
  );
}

export interface RunningSchedule {
  /** The name of the function that it calls. */
  readonly label: string;
  /** Calls the function now, after a call that is under way, and waits until it has ended. `prepare` runs just before. */
  tickNow(prepare: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** Calls the function once per interval. While a call runs, no second one starts. */
function tickSchedule(schedule: Schedule, log: StackLog): RunningSchedule {
  const { running } = schedule;
  let underWay: Promise<void> | undefined;
  const tick = async () => {
    const startedMilliseconds = performance.now();
    await running.invoke(scheduledEvent(schedule.arn));
    const durationMilliseconds = performance.now() - startedMilliseconds;
    log({ kind: "schedule", functionName: running.definition.label, durationMilliseconds });
  };
  const begin = (ticking: Promise<void>) => {
    underWay = ticking.finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
  const timer = setInterval(() => {
    if (underWay === undefined) void begin(tick());
  }, schedule.intervalMilliseconds);
  const tickNow = async (prepare: () => Promise<void>) => {
    await underWay?.catch(() => undefined);
    await (underWay ?? begin(prepare().then(tick)));
  };
  const stop = async () => {
    clearInterval(timer);
    await underWay?.catch(() => undefined);
  };
  return { label: running.definition.label, tickNow, stop };
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
