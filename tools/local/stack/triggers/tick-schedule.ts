import { randomUUID } from "node:crypto";
import * as z from "zod";
import { localAccountId, localRegion } from "../../aws/local-account.ts";
import type { StackClock } from "../../clock/stack-clock.ts";
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
  clock: StackClock,
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
  return schedules.map((schedule) => tickSchedule(schedule, clock, log));
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
    `${logicalId} has the schedule ${expression}. The local stack supports only rate(…).`,
  );
}

export interface RunningSchedule {
  /** The name of the function that it calls. */
  readonly label: string;
  /** Calls the function now, after any running call, and waits until it ends. `prepare` runs just before. */
  tickNow(prepare: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** Calls the function once per interval. While a call runs, no second one starts. */
function tickSchedule(schedule: Schedule, clock: StackClock, log: StackLog): RunningSchedule {
  const { running, intervalMilliseconds } = schedule;
  let underWay: Promise<void> | undefined;
  const tick = async () => {
    const startedMilliseconds = performance.now();
    await running.invoke(scheduledEvent(schedule.arn, clock.now()));
    const durationMilliseconds = performance.now() - startedMilliseconds;
    log({ kind: "schedule", functionName: running.definition.label, durationMilliseconds });
  };
  const begin = (ticking: Promise<void>) => {
    underWay = ticking.finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
  const startedAt = clock.now();
  let turns = 0;
  let timer: NodeJS.Timeout | undefined;
  const untilNextMilliseconds = () =>
    Math.max(0, startedAt + (turns + 1) * intervalMilliseconds - clock.now());
  /** Missed runs are skipped. */
  const tickIfDue = () => {
    const passed = Math.floor((clock.now() - startedAt) / intervalMilliseconds);
    if (passed > turns && underWay === undefined) void begin(tick());
    turns = Math.max(turns, passed);
    clearTimeout(timer);
    timer = setTimeout(tickIfDue, untilNextMilliseconds());
  };
  tickIfDue();
  clock.add({
    untilNextMilliseconds,
    moved: tickIfDue,
    isQuiet: () => underWay === undefined,
  });
  const tickNow = async (prepare: () => Promise<void>) => {
    await underWay?.catch(() => undefined);
    await (underWay ?? begin(prepare().then(tick)));
  };
  const stop = async () => {
    clearTimeout(timer);
    await underWay?.catch(() => undefined);
  };
  return { label: running.definition.label, tickNow, stop };
}

function scheduledEvent(arn: string, nowMilliseconds: number): object {
  return {
    version: "0",
    id: randomUUID(),
    "detail-type": "Scheduled Event",
    source: "aws.events",
    account: localAccountId,
    time: new Date(nowMilliseconds).toISOString().replace(/\.\d+Z$/, "Z"),
    region: localRegion,
    resources: [arn],
    detail: {},
  };
}
