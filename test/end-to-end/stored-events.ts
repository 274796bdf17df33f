import type { LocalDescription } from "../../tools/operations/local-stack/local-description.ts";
import { faultsOfEvent } from "../builders/event-validator.ts";
import { scan } from "../integration/aws-stores.ts";
import { dynamodbClient } from "../tools/local/aws/aws-clients.ts";

/**
 * What is wrong with the events that a local stack has published: each is stored with its record, byte for byte as it
 * was sent. Each helper that starts a stack for tests asks before it stops the stack.
 */
export async function faultsOfStored({ aws, tables }: LocalDescription): Promise<string[]> {
  const client = dynamodbClient(aws.dynamodb);
  try {
    const records = await scan(client, tables.callbacks);
    const events = records.flatMap(({ event }) => (typeof event === "string" ? [event] : []));
    return events.flatMap(faultsOfEvent);
  } finally {
    client.destroy();
  }
}
