import { readInboxMessage } from "../../../../shared/inbox/inbox-message.ts";
import { callbackKeyOf } from "../../../../shared/records/receipt.ts";
import { queryAll } from "../../../../shared/table/query-index.ts";
import { itemId } from "../../../../tools/operations/attention/item.ts";
import { keyOf } from "../../../../tools/operations/records/read-records.ts";
import { until } from "../../../end-to-end/running-stack.ts";
import { received } from "../replay/recorded-events.ts";
import type { OperatedTarget } from "../use-operator.ts";
import { type Aside, operator } from "./put-aside.ts";

/** What a test puts into quarantine, and what it sees of it. */
export function attentionSetup(operated: OperatedTarget) {
  const puts = operator(operated);
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects.
  const history: any[] = [];
  const stored = async ({ body }: Aside) => {
    const { table, database } = operated.target().records;
    const partition = { callbackKey: callbackKeyOf(readInboxMessage(body)) };
    const records = await queryAll(database, { table, partition });
    return records.filter((record) => record["message"] === body);
  };
  /** By the records themselves: a list of everything costs 32 queries. What has no attention is in no list. */
  const idsOf = async (asides: readonly Aside[]): Promise<string[]> => {
    const records = (await Promise.all(asides.map(stored))).flat();
    const listed = records.filter((record) => record["attentionShard"] !== undefined);
    return listed.map((item) => itemId(keyOf(item)));
  };
  const eventsAbout = async (orderNo: string) => {
    const more = await received(operated, "order-history");
    history.push(...more.map(({ event }) => event));
    return history.filter(({ subject }) => subject === orderNo);
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
