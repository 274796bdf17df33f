import * as z from "zod";
import { parseJson } from "../../../shared/parse-json.ts";
import { faultIf, problem, type Verdict, warning } from "./finding.ts";

export type QueueAttributes = Readonly<Record<string, string>>;

/** What a queue must be. */
export interface QueueNeeds {
  readonly isOrdered: boolean;
  readonly leastVisibilitySeconds?: number;
  /** Where messages go that could not be processed; undefined for dead letters themselves. */
  readonly deadLettersUrl?: string;
  readonly mayHaveReaders: boolean;
}

const fourteenDaysSeconds = 14 * 24 * 3600;
const setBack = "Deploy the stack again, or set the attribute back by hand.";

/** Where a queue differs from the template. */
export function attributeFaults(
  attributes: QueueAttributes,
  needs: QueueNeeds,
): readonly Verdict[] {
  return [
    ...orderFaults(attributes, needs),
    ...timeFaults(attributes, needs),
    ...redriveFaults(attributes, needs),
    ...foreignLetterFaults(attributes, needs),
  ];
}

function orderFaults(attributes: QueueAttributes, { isOrdered }: QueueNeeds): readonly Verdict[] {
  const isFifo = attributes["FifoQueue"] === "true";
  if (isFifo !== isOrdered) {
    const message = isOrdered ? "The queue is not FIFO." : "The queue is FIFO and should not be.";
    return [problem(message, "Replace it: SQS cannot change this. Deploy the stack again.")];
  }
  const isPerGroup =
    attributes["DeduplicationScope"] === "messageGroup" &&
    attributes["FifoThroughputLimit"] === "perMessageGroupId";
  const limited = warning("Its throughput is limited for all orders together.", setBack);
  return faultIf(isFifo && !isPerGroup, limited);
}

function timeFaults(
  attributes: QueueAttributes,
  { leastVisibilitySeconds = 0 }: QueueNeeds,
): readonly Verdict[] {
  const visibility = Number(attributes["VisibilityTimeout"]);
  const retention = Number(attributes["MessageRetentionPeriod"]);
  const tooSoon = `VisibilityTimeout is ${visibility}, less than the ${leastVisibilitySeconds} seconds that its function needs.`;
  const tooShort = `SQS deletes messages after ${retention} seconds, not after 14 days.`;
  return [
    ...faultIf(visibility < leastVisibilitySeconds, problem(tooSoon, setBack)),
    ...faultIf(retention < fourteenDaysSeconds, warning(tooShort, setBack)),
  ];
}

const redriveSchema = z.object({
  deadLetterTargetArn: z.string(),
  maxReceiveCount: z.coerce.number(),
});

/** Without its own dead letters SQS would keep a message that fails until it expires, or move it where nobody looks. */
function redriveFaults(
  attributes: QueueAttributes,
  { deadLettersUrl }: QueueNeeds,
): readonly Verdict[] {
  if (deadLettersUrl === undefined) return [];
  const policy = redriveSchema.safeParse(parseJson(attributes["RedrivePolicy"] ?? ""));
  if (!policy.success) return [problem("The queue has no dead letters.", setBack)];
  const expected = siblingArn(attributes["QueueArn"] ?? "", deadLettersUrl);
  const { deadLetterTargetArn: actual } = policy.data;
  const message = `Its dead letters go to ${actual}, not to ${expected}.`;
  return faultIf(actual !== expected, problem(message, setBack));
}

const redriveAllowSchema = z.object({ redrivePermission: z.string() });

/** SQS moves dead letters without asking the queue's policy. A dead-letter queue itself cannot refuse them. */
function foreignLetterFaults(
  attributes: QueueAttributes,
  { deadLettersUrl }: QueueNeeds,
): readonly Verdict[] {
  const policy = redriveAllowSchema.safeParse(parseJson(attributes["RedriveAllowPolicy"] ?? ""));
  const isOpen = policy.data?.redrivePermission !== "denyAll";
  const message =
    "Other queues may name it as their dead-letter queue and so put messages into it.";
  return faultIf(deadLettersUrl !== undefined && isOpen, problem(message, setBack));
}

/** The ARN of another queue of the same account and region. */
function siblingArn(arn: string, url: string): string {
  return `${arn.split(":").slice(0, -1).join(":")}:${url.split("/").at(-1)}`;
}

/** A key that the stack was given is right; another one somebody set by hand. */
export function encryptionFaults(
  attributes: QueueAttributes,
  encryptionKeyArn: string | undefined,
): readonly Verdict[] {
  const { KmsMasterKeyId: kmsKey, SqsManagedSseEnabled: ownKey } = attributes;
  if (kmsKey === encryptionKeyArn && kmsKey) return [];
  if (encryptionKeyArn) {
    return [problem("The queue is not encrypted with the key of the stack.", setBack)];
  }
  const foreign =
    "The queue is encrypted with a KMS key: the functions and readers need permission to use it.";
  if (kmsKey) return [warning(foreign, setBack)];
  return faultIf(ownKey !== "true", problem("The queue is not encrypted.", setBack));
}
