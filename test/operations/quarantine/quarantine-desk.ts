import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach } from "vitest";
import { wholeRecord } from "../../../shared/records/stored-record.ts";
import { readQueue, until } from "../../end-to-end/running-stack.ts";
import { scan } from "../../integration/aws-stores.ts";
import type { OperatedStack } from "../operated-stack.ts";
import { type Aside, operator } from "./put-aside.ts";

/** What a test puts into quarantine, and what it sees of it. */
export function useQuarantineDesk(operated: OperatedStack) {
  const { paycastJson } = operated;
  const puts = operator(operated.target);
  let history: ReturnType<typeof readQueue>;
  beforeEach(() => {
    const { description } = operated.stack();
    history ??= readQueue(description, description.queues.subscribers["order-history"]!.url);
  });
  const idsOf = async (asides: readonly Aside[]): Promise<string[]> => {
    const { items } = await paycastJson("quarantine", "list", "--limit", "10000");
    const own = new Set(asides.map(({ callbackId }) => callbackId));
    const found = items.filter((item: { callbackId: string }) => own.has(item.callbackId));
    return found.map(({ id }: { id: string }) => id);
  };
  const stored = async ({ body }: Aside) => {
    const { clients, tables } = operated.target();
    const records = (await scan(clients.dynamodb, tables.callbacks)).map(wholeRecord);
    return records.filter((one) => one["message"] === body);
  };
  /** The emulator gives one message of a group at a time, so it is asked until nothing more comes. */
  const eventsAbout = async (orderNo: string) => {
    let bodies: readonly string[] = [];
    for (let before = -1; before < bodies.length; ) {
      before = bodies.length;
      bodies = [...(await history.take())];
    }
    return bodies.map((body) => JSON.parse(body)).filter((one) => one.subject === orderNo);
  };
  const published = async (aside: Aside) =>
    await until("it is published", async () => {
      const [one] = await stored(aside);
      return one?.["outcome"] === "published" && one["pending"] === undefined ? one : undefined;
    });
  const idOf = async (aside: Aside): Promise<string> => (await idsOf([aside]))[0] ?? "none";
  const auditLines = () =>
    readFileSync(join(operated.directory, "audit.log"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { ...puts, idOf, idsOf, stored, eventsAbout, published, auditLines };
}
