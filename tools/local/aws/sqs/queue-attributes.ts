import * as z from "zod";
import { describeIssues } from "../../../../shared/errors/describe-issues.ts";
import { parseJson } from "../../../../shared/json/parse-json.ts";
import { AwsError } from "../aws-error.ts";

const whole = (least: number, most: number) =>
  z
    .string()
    .refine(
      (text) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most,
      `must be between ${least} and ${most}`,
    );
const redriveSchema = z.object({
  deadLetterTargetArn: z.string(),
  maxReceiveCount: z.coerce.number().int().min(1).max(1_000),
});
/** Which queues may name this one as their dead-letter queue. */
const redriveAllowSchema = z.union([
  z.strictObject({ redrivePermission: z.enum(["allowAll", "denyAll"]) }),
  z.strictObject({
    redrivePermission: z.literal("byQueue"),
    sourceQueueArns: z.array(z.string()).min(1).max(10),
  }),
]);
const flag = z.enum(["true", "false"]);

/** The attributes that can be set. Those without effect here are stored and returned. */
const attributesSchema = z.strictObject({
  VisibilityTimeout: whole(0, 43_200).default("30"),
  DelaySeconds: whole(0, 900).default("0"),
  MaximumMessageSize: whole(1_024, 1_048_576).default("1048576"),
  MessageRetentionPeriod: whole(60, 1_209_600).default("345600"),
  ReceiveMessageWaitTimeSeconds: whole(0, 20).default("0"),
  RedrivePolicy: z
    .string()
    .refine(
      (text) => text === "" || redriveSchema.safeParse(parseJson(text)).success,
      "must have deadLetterTargetArn and maxReceiveCount (1 to 1000)",
    )
    .optional(),
  FifoQueue: z.literal("true").optional(),
  ContentBasedDeduplication: flag.optional(),
  DeduplicationScope: z.enum(["queue", "messageGroup"]).optional(),
  FifoThroughputLimit: z.enum(["perQueue", "perMessageGroupId"]).optional(),
  Policy: z.string().optional(),
  RedriveAllowPolicy: z
    .string()
    .refine(
      (text) => text === "" || redriveAllowSchema.safeParse(parseJson(text)).success,
      "must have redrivePermission (allowAll, denyAll or byQueue with 1 to 10 sourceQueueArns)",
    )
    .optional(),
  KmsMasterKeyId: z.string().optional(),
  KmsDataKeyReusePeriodSeconds: z.string().optional(),
  SqsManagedSseEnabled: flag.optional(),
});
export type QueueAttributes = z.output<typeof attributesSchema>;
export const attributeTexts = z.record(z.string(), z.string());

const fifoDefaults = {
  ContentBasedDeduplication: "false",
  DeduplicationScope: "queue",
  FifoThroughputLimit: "perQueue",
};

/** Throws the error of SQS if a name or a value is not allowed. */
export function readAttributes(
  given: Readonly<Record<string, string | undefined>>,
): QueueAttributes {
  const defaults = given["FifoQueue"] === "true" ? fifoDefaults : {};
  const read = attributesSchema.safeParse({ ...defaults, ...given });
  if (read.success) return read.data;
  const isName = read.error.issues.some(({ code }) => code === "unrecognized_keys");
  const code = isName ? "InvalidAttributeName" : "InvalidAttributeValue";
  throw new AwsError(code, describeIssues(read.error, "The request"));
}

export function redriveOf({ RedrivePolicy }: QueueAttributes) {
  return redriveSchema.safeParse(parseJson(RedrivePolicy ?? "")).data;
}

/** Whether a queue accepts the dead letters of another one. */
export function acceptsLettersOf({ RedriveAllowPolicy }: QueueAttributes, sourceArn: string) {
  const { data } = redriveAllowSchema.safeParse(parseJson(RedriveAllowPolicy ?? ""));
  if (data?.redrivePermission === "byQueue") return data.sourceQueueArns.includes(sourceArn);
  return data?.redrivePermission !== "denyAll";
}
