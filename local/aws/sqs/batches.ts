import * as z from "zod";
import { sizeOf } from "./message.ts";
import { sendSchema } from "./send-message.ts";
import { oldNameOf, SqsError } from "./sqs-error.ts";

const entrySchema = z.looseObject({ Id: z.string() });
export type Entry = z.output<typeof entrySchema>;
export const batchSchema = z.object({ Entries: z.array(entrySchema).default([]) });

/** Each entry succeeds or fails for itself. Throws if the batch as a whole is refused. */
export function inBatch(entries: readonly Entry[], run: (entry: Entry) => object): object {
  checkEntries(entries);
  const Successful: object[] = [];
  const Failed: object[] = [];
  for (const entry of entries) {
    const { Id } = entry;
    try {
      Successful.push({ Id, ...run(entry) });
    } catch (error) {
      if (!(error instanceof SqsError)) throw error;
      const Code = oldNameOf(error.code);
      Failed.push({ Id, SenderFault: true, Code, Message: error.message });
    }
  }
  return { Successful, Failed };
}

function checkEntries(entries: readonly Entry[]): void {
  if (entries.length === 0) {
    throw new SqsError("EmptyBatchRequest", "There should be at least one entry in the request.");
  }
  if (entries.length > 10) {
    const message = "Maximum number of entries per request are 10.";
    throw new SqsError("TooManyEntriesInBatchRequest", message);
  }
  if (entries.some(({ Id }) => !/^[\w-]{1,80}$/.test(Id))) {
    const message = "An Id has 1 to 80 letters, digits, hyphens and underscores.";
    throw new SqsError("InvalidBatchEntryId", message);
  }
  if (new Set(entries.map(({ Id }) => Id)).size < entries.length) {
    throw new SqsError("BatchEntryIdsNotDistinct", "Two or more entries have the same Id.");
  }
}

const mostBytes = 1_048_576;

export function checkBatchSize(entries: readonly Entry[]): void {
  const sizes = entries.map((entry) => {
    const { data } = sendSchema.safeParse(entry);
    return data === undefined
      ? 0
      : sizeOf({ body: data.MessageBody, attributes: data.MessageAttributes });
  });
  if (sizes.reduce((sum, size) => sum + size, 0) <= mostBytes) return;
  const message = `Batch requests cannot be longer than ${mostBytes} bytes.`;
  throw new SqsError("BatchRequestTooLong", message);
}
