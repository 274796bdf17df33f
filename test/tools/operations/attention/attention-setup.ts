import { beforeEach } from "vitest";
import { readInboxMessage } from "../../../../shared/inbox/inbox-message.ts";
import { callbackKeyOf } from "../../../../shared/records/receipt.ts";
import { wholeRecord } from "../../../../shared/records/stored-record.ts";
import { queryAll } from "../../../../shared/table/query-index.ts";
import { itemId } from "../../../../tools/operations/attention/item.ts";
import { keyOf } from "../../../../tools/operations/records/read-records.ts";
import { databaseOf } from "../../../../tools/operations/target/target.ts";
import { readQueue, until } from "../../../end-to-end/running-stack.ts";
import type { OperatedStack } from "../operated-stack.ts";
import { type Aside, operator } from "./put-aside.ts";

/** What a test puts into quarantine, and what it sees of it. */
export function useAttentionSetup(operated: OperatedStack) {
  const puts = operator(operated.target);
  let history: ReturnType<typeof readQueue>;
  beforeEach(() => {
    const { description } = operated.stack();
    history ??= readQueue(description, description.queues.subscribers["order-history"]!.url);
  });
  const stored = async ({ body }: Aside) => {
    const target = operated.target();
    const partition = { callbackKey: callbackKeyOf(readInboxMessage(body)) };
    const query = { table: target.tables.callbacks, partition };
    const records = (await queryAll(databaseOf(target), query)).map(wholeRecord);
    return records.filter((record) => record["message"] === body);
  };
  /** By the records themselves: a list of everything costs 32 queries. What has no attention is in no list. */
  const idsOf = async (asides: readonly Aside[]): Promise<string[]> => {
    const records = (await Promise.all(asides.map(stored))).flat();
    const listed = records.filter((record) => record["attentionShard"] !== undefined);
    return listed.map((item) => itemId(keyOf(item)));
  };
  /** The emulator gives one message of a group at a time, so it is asked until nothing more comes. */
  const eventsAbout = async (orderNo: string) => {
    let bodies: readonly string[] = [];
    for (let before = -1; before < bodies.length; ) {
      before = bodies.length;
      bodies = [...(await history.take())];
    }
    return bodies.map((body) => JSON.parse(body)).filter((event) => event.subject === orderNo);
  };
  const published = async (aside: Aside) =>
    await until("it is published", async () => {
      const [item] = await stored(aside);
      return item?.["outcome"] === "published" && item["pending"] === undefined ? item : undefined;
    });
  const idOf = async (aside: Aside): Promise<string> => (await idsOf([aside]))[0] ?? "none";
  const auditLines = () => operated.auditLines().map((line) => JSON.parse(line));
  return { ...puts, idOf, idsOf, stored, eventsAbout, published, auditLines };
}
