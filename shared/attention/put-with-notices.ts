import type { Database } from "../table/database.ts";
import { type ConditionalPut, type PutResult, putItems } from "../table/put-items.ts";
import { type Notice, putNotice } from "./notice.ts";

/**
 * Writes items and notices in one transaction. A notice that exists stays as it is: the rest is then written without
 * it. The result is about the items alone.
 */
export async function putWithNotices(
  database: Database,
  table: string,
  puts: readonly ConditionalPut[],
  notices: readonly Notice[],
): Promise<PutResult> {
  const all = [...puts, ...notices.map((notice) => putNotice(table, notice))];
  const result = await putItems(database, all);
  if (result.kind === "written") return result;
  const found = result.found.slice(0, puts.length);
  const isUnknown = (_notice: Notice, index: number) =>
    result.found[puts.length + index] === undefined;
  const unknown = notices.filter(isUnknown);
  const isStoppedByNotices = unknown.length < notices.length;
  if (!isStoppedByNotices || found.some((item) => item !== undefined)) {
    return { kind: "refused", found };
  }
  return await putWithNotices(database, table, puts, unknown);
}
