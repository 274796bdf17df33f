import * as z from "zod";
import type { FunctionFinder, RunningFunction } from "../functions/run-function.ts";
import type { MadeQueue } from "../stores/make-data-stores.ts";
import type { StackContext } from "../template/stack-context.ts";
import { found } from "../template/template.ts";
import type { QueueSource } from "./poll-queue.ts";

/** More than one, so that a slow group does not delay the others. */
const maxLocalConcurrency = 3;

const mappingSchema = z.strictObject({
  EventSourceArn: z.string(),
  FunctionName: z.string(),
  BatchSize: z.int().min(1).default(10),
  // The stack's only form: always on, with partial batch responses.
  FunctionResponseTypes: z.tuple([z.literal("ReportBatchItemFailures")]),
  ScalingConfig: z
    .strictObject({ MaximumConcurrency: z.int().min(2) })
    .default({ MaximumConcurrency: maxLocalConcurrency }),
});

/** The queues that feed functions. */
export function readSources(
  context: StackContext,
  queues: readonly MadeQueue[],
  findFunction: FunctionFinder,
): { readonly trigger: QueueSource; readonly running: RunningFunction }[] {
  return context.declared("AWS::Lambda::EventSourceMapping").map((declared) => {
    const mapping = context.properties(mappingSchema, declared);
    const { EventSourceArn } = mapping;
    const queue = found(
      queues.find(({ arn }) => arn === EventSourceArn),
      `${declared.logicalId} reads from ${EventSourceArn}, which the template does not have.`,
    );
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

/** "Shop/Inbox/Queue" is the inbox. */
function queueLabel(path: string): string {
  const parts = path.split("/").filter((part) => part !== "Queue" && part !== "Messages");
  return (parts.at(-1) ?? path).toLowerCase();
}
