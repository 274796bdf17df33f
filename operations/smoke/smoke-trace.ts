import { DeleteItemCommand } from "@aws-sdk/client-dynamodb";
import { aggregateKeyOf } from "../../shared/facts/subject.ts";
import { firstReceipt } from "../../shared/records/callback-record.ts";
import { toAttributes } from "../../shared/table/attributes.ts";
import { openQueue } from "../dead-letters/message-queue.ts";
import { loadRecord } from "../records/read-records.ts";
import type { Target } from "../target/target.ts";

/** What identifies everything that one smoke test leaves in the tables. */
export interface SmokeTrace {
  readonly merchantId: string;
  readonly orderNo: string;
  readonly callbackId: string | undefined;
}

/** The key of the callback's record: the default profile signs the id. */
function recordKeyOf({ merchantId, callbackId = "" }: SmokeTrace) {
  const id = callbackId.replaceAll("-", "").toLowerCase();
  return { callbackKey: `${merchantId}#callback#${id}`, receipt: firstReceipt };
}

/**
 * Deletes a smoke test's record and order. Both keys begin with the merchant of smoke tests, so nothing of a real order
 * can be deleted.
 */
export async function cleanUp(target: Target, trace: SmokeTrace): Promise<void> {
  const { merchantId, orderNo } = trace;
  const aggregateKey = aggregateKeyOf({ kind: "order", merchantId, orderNo });
  await Promise.all([
    deleteItem(target, target.tables.callbacks, recordKeyOf(trace)),
    deleteItem(target, target.tables.orders, { aggregateKey }),
  ]);
}

async function deleteItem({ clients }: Target, TableName: string, key: Record<string, string>) {
  await clients.dynamodb.send(new DeleteItemCommand({ TableName, Key: toAttributes(key) }));
}

interface Explanation {
  readonly message: string;
  readonly action: string;
}

/** Where a callback stopped that was stored and whose event did not come: its record tells, or the inbox. */
export async function explainSilence(target: Target, trace: SmokeTrace): Promise<Explanation> {
  const record = await loadRecord(target, recordKeyOf(trace));
  if (record === undefined) return await explainInbox(target);
  if (record.outcome === "quarantined") {
    const message = `process-callback quarantined the callback: ${record.reason}.`;
    return { message, action: "Read its log, and report it: a smoke test is always valid." };
  }
  if (record.outcome === "published" && record.pending.length > 0) {
    const message = `The event is made, and these subscribers did not accept it yet: ${record.pending.join(", ")}.`;
    return { message, action: "Check that the queue of smoke tests exists: npx paycast check." };
  }
  return {
    message: "The event was sent to the queue of smoke tests, and did not arrive here.",
    action: "Check that nothing else reads that queue.",
  };
}

async function explainInbox(target: Target): Promise<Explanation> {
  const count = async (url: string) => {
    const { waiting, inFlight } = await openQueue(target, url).count();
    return waiting + inFlight;
  };
  const { url, deadLettersUrl } = target.inbox;
  const [waiting, dead] = await Promise.all([count(url), count(deadLettersUrl)]);
  return {
    message: `The callback is stored and not processed: about ${waiting} messages are in the inbox, ${dead} in its dead letters.`,
    action: "See whether process-callback runs: npx paycast check, and its log.",
  };
}
