import * as z from "zod";
import type { FunctionFinder, RunningFunction } from "../functions/run-function.ts";
import type { MadeQueue } from "../stores/make-data-stores.ts";
import type { StackContext } from "../template/stack-context.ts";
import { ignored, StackError } from "../template/template.ts";
import type { QueueSource } from "./poll-queue.ts";
import { readRate, type Schedule } from "./tick-schedule.ts";

/** More than one, so that a slow group does not delay the others. */
const maxLocalConcurrency = 3;

const mappingSchema = z.strictObject({
  EventSourceArn: z.string(),
  FunctionName: z.string(),
  BatchSize: z.coerce.number().int().min(1).default(10),
  // The stack's only form: always on, with partial batch responses.
  Enabled: z.literal(true).default(true),
  FunctionResponseTypes: z.tuple([z.literal("ReportBatchItemFailures")]),
  ScalingConfig: z
    .strictObject({ MaximumConcurrency: z.coerce.number().int().min(2) })
    .default({ MaximumConcurrency: maxLocalConcurrency }),
  MaximumBatchingWindowInSeconds: ignored,
  MetricsConfig: ignored,
  Tags: ignored,
});

const targetSchema = z.strictObject({
  Arn: z.string(),
  Input: z.string().optional(),
  DeadLetterConfig: ignored,
  Id: ignored,
  RetryPolicy: ignored,
  RoleArn: ignored,
});

const ruleSchema = z.strictObject({
  ScheduleExpression: z.string(),
  State: z.string().default("ENABLED"),
  Targets: z.array(targetSchema).default([]),
  Description: ignored,
  Name: ignored,
  Tags: ignored,
});

const scheduleSchema = z.strictObject({
  ScheduleExpression: z.string(),
  State: z.string().default("ENABLED"),
  Target: targetSchema,
  Description: ignored,
  FlexibleTimeWindow: ignored,
  GroupName: ignored,
  Name: ignored,
  ScheduleExpressionTimezone: ignored,
});

interface Triggered<Trigger> {
  readonly trigger: Trigger;
  readonly running: RunningFunction;
}

/** The queues that feed functions. */
export function readSources(
  context: StackContext,
  queues: readonly MadeQueue[],
  findFunction: FunctionFinder,
): Triggered<QueueSource>[] {
  return context.declared("AWS::Lambda::EventSourceMapping").map((declared) => {
    const mapping = context.properties(mappingSchema, declared);
    const queue = queues.find(({ arn }) => arn === mapping.EventSourceArn);
    if (queue === undefined) throw noQueue(declared.logicalId, mapping.EventSourceArn);
    const running = findFunction(mapping.FunctionName, declared.logicalId);
    const trigger = {
      queueUrl: queue.url,
      queueArn: queue.arn,
      label: queueLabel(queue.path),
      batchSize: mapping.BatchSize,
      maxConcurrency: Math.min(maxLocalConcurrency, mapping.ScalingConfig.MaximumConcurrency),
    };
    return { trigger, running };
  });
}

/** The schedules, from EventBridge rules and from EventBridge Scheduler. */
export function readSchedules(
  context: StackContext,
  findFunction: FunctionFinder,
): Triggered<Schedule>[] {
  const rules = context.declared("AWS::Events::Rule").map((declared) => {
    return { declared, ...context.properties(ruleSchema, declared) };
  });
  const schedules = context.declared("AWS::Scheduler::Schedule").map((declared) => {
    const { Target, ...properties } = context.properties(scheduleSchema, declared);
    return { declared, ...properties, Targets: [Target] };
  });
  return [...rules, ...schedules].flatMap(({ declared, ScheduleExpression, State, Targets }) => {
    const intervalMilliseconds = readRate(ScheduleExpression, declared.logicalId);
    const arn = declared.identity.attribute("Arn") ?? declared.logicalId;
    const triggered = Targets.map((target) => ({
      trigger: { arn, intervalMilliseconds, input: target.Input && JSON.parse(target.Input) },
      running: findFunction(target.Arn, declared.logicalId),
    }));
    return State === "ENABLED" ? triggered : [];
  });
}

/** "Shop/Inbox/Queue" is the inbox. */
function queueLabel(path: string): string {
  const parts = path.split("/").filter((part) => part !== "Queue" && part !== "Messages");
  return (parts.at(-1) ?? path).toLowerCase();
}

function noQueue(logicalId: string, arn: string): StackError {
  return new StackError(
    "local-reference-unknown",
    `${logicalId} reads from ${arn}, which is not a queue of the template.`,
  );
}
