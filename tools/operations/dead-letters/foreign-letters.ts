import * as z from "zod/mini";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { byAggregateIndex } from "../../../shared/records/time-bucket.ts";
import { queryAll } from "../../../shared/table/query-index.ts";
import { fewAtOnce } from "../few-at-once.ts";
import type { Target } from "../ports/target.ts";
import { keyOf, loadEvent } from "../records/read-records.ts";
import { inboxName } from "./dead-letter.ts";

/** Says of the text of a dead letter whether it is foreign; always false for the inbox, whose messages have a stamp. */
export type IsForeign = (body: string) => Promise<boolean>;

/** As SQS limits a message group. DynamoDB would reject a key that is empty or very long. */
const eventSchema = z.object({
  partitionkey: z.string().check(z.minLength(1), z.maxLength(128)),
});

/**
 * An event is ours if a record of its `partitionkey` holds exactly its text. Any queue of the account may name a
 * dead-letter queue as its own, and no policy can stop what SQS moves there. The records of each aggregate are read once.
 */
export function foreignTo(target: Pick<Target, "records">, queue: string): IsForeign {
  const known = new Map<string, Promise<ReadonlySet<string>>>();
  const eventsOf = (group: string) => {
    const events = known.get(group) ?? readEvents(target, group);
    known.set(group, events);
    return events;
  };
  return async (body) => {
    if (queue === inboxName) return false;
    const { data } = eventSchema.safeParse(parseJson(body));
    return data === undefined || !(await eventsOf(data.partitionkey)).has(body);
  };
}

async function readEvents(
  target: Pick<Target, "records">,
  group: string,
): Promise<ReadonlySet<string>> {
  const { database, table } = target.records;
  const query = { table, index: byAggregateIndex, partition: { group } };
  const items = await queryAll(database, query);
  const events = await fewAtOnce(items, (item) => loadEvent(target, keyOf(item)));
  return new Set(events.flatMap((record) => record?.event ?? []));
}
