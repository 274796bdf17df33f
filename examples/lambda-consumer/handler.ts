import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { handleBatch, parseRecord } from "paycast-events";
import { handleEvent } from "./handle-event.js";
import { openTable } from "./table.js";

const table = openTable(new DynamoDBClient({}), tableName());

export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  return await handleBatch(event, handleRecord);
}

/** Throws on an unreadable event: the message fails, and moves to the dead-letter queue after ten receives. */
async function handleRecord(record: SQSRecord): Promise<void> {
  const { event, isReplay, messageId } = parseRecord(record);
  const outcome = await handleEvent(event, table);
  const type = event.type === "unknown" ? event.unknownType : event.type;
  const { id, subject, sequence } = event;
  console.log(JSON.stringify({ outcome, type, id, subject, sequence, isReplay, messageId }));
}

function tableName(): string {
  const name = process.env["TABLE"];
  if (name === undefined) throw new Error("TABLE must name the table of this function.");
  return name;
}
