import { hash } from "node:crypto";
import * as z from "zod";
import { AwsError, oldCodeOf } from "../aws-error.ts";
import { attributesSchema, type Content, digestsOf, sizeOf } from "./message.ts";
import { append, isFifo, type Queue } from "./queue.ts";

const idSchema = z.string().regex(/^[!-~]{1,128}$/, "must be 1 to 128 ASCII characters");

export const sendSchema = z.object({
  MessageBody: z.string().min(1),
  DelaySeconds: z.coerce.number().int().min(0).max(900).optional(),
  MessageAttributes: attributesSchema,
  MessageSystemAttributes: attributesSchema,
  MessageGroupId: idSchema.optional(),
  MessageDeduplicationId: idSchema.optional(),
});
type Send = z.output<typeof sendSchema>;

/** How long SQS remembers a deduplication id, even if the message was received and deleted. */
const deduplicationMilliseconds = 300_000;
const allowedText = /^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]*$/u;

/** A duplicate is not stored. Its response has the first message's id and the digests of the new message. */
export function sendMessage(queue: Queue, input: Send, { now }: { readonly now: number }): object {
  const { MessageBody: body, MessageAttributes: attributes } = input;
  const content = { body, attributes, systemAttributes: input.MessageSystemAttributes };
  checkContent(queue, content);
  checkParameters(queue, input);
  const deduplicationId = deduplicationIdOf(queue, input);
  const delaySeconds = input.DelaySeconds ?? Number(queue.attributes.DelaySeconds);
  const { id, sequenceNumber } = once(queue, input.MessageGroupId, deduplicationId, now, () =>
    append(queue, {
      ...content,
      groupId: input.MessageGroupId,
      deduplicationId,
      sentAtMilliseconds: now,
      visibleAtMilliseconds: now + delaySeconds * 1_000,
      receiveCount: 0,
    }),
  );
  queue.counted.sent += 1;
  return { MessageId: id, SequenceNumber: sequenceNumber, ...digestsOf(content) };
}

interface Identity {
  readonly id: string;
  readonly sequenceNumber?: string | undefined;
}

function once(
  { sent, attributes }: Queue,
  groupId: string | undefined,
  deduplicationId: string | undefined,
  now: number,
  send: () => Identity,
): Identity {
  if (deduplicationId === undefined) return send();
  for (const [key, { atMilliseconds }] of sent) {
    if (atMilliseconds > now - deduplicationMilliseconds) break;
    sent.delete(key);
  }
  const scope = attributes.DeduplicationScope === "messageGroup" ? groupId : undefined;
  const key = JSON.stringify([scope, deduplicationId]);
  const earlier = sent.get(key);
  if (earlier !== undefined) return earlier;
  const { id, sequenceNumber } = send();
  sent.set(key, { id, sequenceNumber, atMilliseconds: now });
  return { id, sequenceNumber };
}

function checkContent({ attributes }: Queue, content: Content): void {
  const most = Number(attributes.MaximumMessageSize);
  if (sizeOf(content) > most) {
    const reason = `Reason: Message must be shorter than ${most} bytes.`;
    throw invalid(`One or more parameters are invalid. ${reason}`);
  }
  if (!allowedText.test(content.body)) {
    const message = "Invalid binary character was found in the message body.";
    throw new AwsError("InvalidMessageContents", message);
  }
}

function checkParameters(queue: Queue, input: Send): void {
  const foreign = isFifo(queue) ? input.DelaySeconds : input.MessageDeduplicationId;
  if (foreign) throw invalid("The request include parameter that is not valid for this queue type");
  if (!isFifo(queue) || input.MessageGroupId !== undefined) return;
  const message = "The request must contain the parameter MessageGroupId.";
  throw new AwsError("MissingParameter", message);
}

function deduplicationIdOf(queue: Queue, input: Send): string | undefined {
  if (!isFifo(queue) || input.MessageDeduplicationId !== undefined) {
    return input.MessageDeduplicationId;
  }
  const isByContent = queue.attributes.ContentBasedDeduplication === "true";
  if (isByContent) return hash("sha256", input.MessageBody);
  throw invalid(
    "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly",
  );
}

function invalid(message: string): AwsError {
  return new AwsError("InvalidParameterValue", message);
}

const entrySchema = z.looseObject({ Id: z.string() });
type Entry = z.output<typeof entrySchema>;
export const batchSchema = z.object({ Entries: z.array(entrySchema).default([]) });

/** Each entry succeeds or fails on its own. Throws if the whole batch is rejected. */
export function inBatch(entries: readonly Entry[], run: (entry: Entry) => object): object {
  checkEntries(entries);
  const Successful: object[] = [];
  const Failed: object[] = [];
  for (const entry of entries) {
    const { Id } = entry;
    try {
      Successful.push({ Id, ...run(entry) });
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      const [Code] = oldCodeOf(error);
      Failed.push({ Id, SenderFault: true, Code, Message: error.message });
    }
  }
  return { Successful, Failed };
}

const mostBytes = 1_048_576;

function checkEntries(entries: readonly Entry[]): void {
  if (entries.length === 0) {
    throw new AwsError("EmptyBatchRequest", "There should be at least one entry in the request.");
  }
  if (entries.length > 10) {
    const message = "Maximum number of entries per request are 10.";
    throw new AwsError("TooManyEntriesInBatchRequest", message);
  }
  if (entries.some(({ Id }) => !/^[\w-]{1,80}$/.test(Id))) {
    const message = "An Id has 1 to 80 letters, digits, hyphens and underscores.";
    throw new AwsError("InvalidBatchEntryId", message);
  }
  if (new Set(entries.map(({ Id }) => Id)).size < entries.length) {
    throw new AwsError("BatchEntryIdsNotDistinct", "Two or more entries have the same Id.");
  }
  if (entries.reduce((sum, entry) => sum + sizeOfEntry(entry), 0) > mostBytes) {
    const message = `Batch requests cannot be longer than ${mostBytes} bytes.`;
    throw new AwsError("BatchRequestTooLong", message);
  }
}

/** 0 if nothing is sent with it. */
function sizeOfEntry(entry: Entry): number {
  const { data } = sendSchema.safeParse(entry);
  return data === undefined
    ? 0
    : sizeOf({ body: data.MessageBody, attributes: data.MessageAttributes });
}
