import * as z from "zod";
import { AwsError, oldCodeOf } from "../aws-error.ts";
import { sizeOf } from "./message.ts";
import { sendSchema } from "./send-message.ts";

const entrySchema = z.looseObject({ Id: z.string() });
type Entry = z.output<typeof entrySchema>;
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
