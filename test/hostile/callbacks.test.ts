import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { deliverEvent } from "../../shared/delivery/deliver-event.ts";
import { createFailingSince } from "../../shared/processing/failing-since.ts";
import { processCallback } from "../../shared/processing/process-callback.ts";
import { receiveCallback } from "../../shared/receiving/receive-callback.ts";
import { recordQuarantine } from "../../shared/records/record-quarantine.ts";
import { recordReceipt } from "../../shared/records/record-receipt.ts";
import { markDelivery, recordStore } from "../../shared/records/record-store.ts";
import { fromAttributes } from "../../shared/table/attributes.ts";
import type { Database } from "../../shared/table/database.ts";
import { orderResult, refundResult, sealedCallback, sentAt } from "../builders/callback.ts";
import { faultsOfEvent } from "../builders/event-validator.ts";
import { type Input, memoryDatabase } from "../builders/memory-table.ts";
import { makeMerchant } from "../builders/merchant.ts";
import { openingDeps, stamped } from "../builders/stamp.ts";
import { bodies, objects, spoilt, texts } from "./corpus.ts";

/*
 * The sender has the right keys, so nothing of this may be refused or lost, whatever is inside. routes.test.ts sends some
 * of it to a running stack; here the two flows run on tables in memory, which is fast enough for all of it.
 */
interface Sent {
  readonly eventName: string;
  readonly result: string | Buffer;
}

interface Stored {
  readonly body: string;
  readonly group: string;
  readonly deduplicationId: string;
}

/** A short key signs six times as fast, and its length means nothing here. */
const merchant = makeMerchant({ servicePair: generateKeyPairSync("rsa", { modulusLength: 1024 }) });
const now = () => sentAt;
const log = () => {};

const callbacksWith = (eventName: string, results: readonly (string | Buffer)[]): Sent[] =>
  results.map((result) => ({ eventName, result }));
const usual = JSON.stringify(orderResult());
/** `&` and `=` are refused in an event's name, even if it is signed: they would change what the signature says. */
const eventNames = texts.filter((text) => !/[&=]/.test(text) && text.length <= 1024);
const everything: readonly Sent[] = [
  ...callbacksWith("payment.order.success", spoilt(orderResult())),
  // Without a success the amount only informs.
  ...callbacksWith(
    "payment.order.failed",
    spoilt(orderResult({ status: "failed" }), ["paymentAmount", "currency"]),
  ),
  ...callbacksWith("payment.refund.success", spoilt(refundResult())),
  ...callbacksWith("payment.order.success", [...bodies, ...objects, Buffer.alloc(185_000, 1)]),
  ...eventNames.flatMap((eventName) => callbacksWith(eventName, [usual])),
];

async function receive({ eventName, result }: Sent) {
  const stored: Stored[] = [];
  const keys = {
    knows: (id: string) => id === merchant.merchantId,
    keysFor: async () => [merchant.version],
    refreshAfterRefusal: async () => false,
  };
  const answer = await receiveCallback(
    {
      body: JSON.stringify(sealedCallback(merchant, { eventName, result })),
      isBase64Encoded: false,
      requestContext: { http: { sourceIp: "192.0.2.1" } },
    },
    {
      keys,
      now,
      log,
      traceparent: () => "00-1-2-01",
      maximumAgeMilliseconds: 60_000,
      maximumAheadMilliseconds: 60_000,
      sendToInbox: async ({ message, ...entry }) =>
        void stored.push({ body: stamped(entry.group, message), ...entry }),
    },
  );
  return { said: `${answer.statusCode} ${answer.body}`, stored };
}

/** What SQS takes: 256 KiB of certain characters, and ids of 128. */
const isSendable = ({ body, group, deduplicationId }: Stored) =>
  body.length <= 262_144 &&
  /^[\x20-\x7e]*$/.test(body) &&
  [group, deduplicationId].every((id) => /^[\x21-\x7e]{1,128}$/.test(id));

/** DynamoDB takes no half of a surrogate pair, which JSON writes as an escape that no backslash stands before. */
const isStorable = (item: object) => !/(?<!\\)(\\\\)*\\ud[89a-f]/.test(JSON.stringify(item));

/** A database that shows the records written to it. */
function watchedDatabase() {
  const database = memoryDatabase(sentAt);
  const records: Record<string, unknown>[] = [];
  const send = async (command: { readonly input: Input }) => {
    const answer = await database.client.send(command as never);
    const { TransactItems = [{ Put: command.input }] } = command.input;
    if (!isStorable(TransactItems)) throw new Error("DynamoDB would not take it.");
    const put = TransactItems.filter(({ Put }) => Put.Item && Put.TableName === "callbacks");
    records.push(...put.map(({ Put }) => fromAttributes(Put.Item)));
    return answer;
  };
  return { records, database: { ...database, client: { send } as unknown as Database["client"] } };
}

async function process({ body, group }: Stored) {
  const { database, records } = watchedDatabase();
  const subscribers = [{ name: "books", types: ["*"], queueUrl: "books", ordered: true }];
  const settings = { source: "urn:test", subscribers, recordExpiryDays: 90, now };
  const store = recordStore(database, { callbacks: "callbacks", orders: "orders" });
  const queued = {
    messageId: "m",
    receiptHandle: "r",
    receiveCount: 1,
    sentAtMilliseconds: sentAt,
  };
  const end = await processCallback(
    { ...queued, body, group },
    {
      ...openingDeps,
      record: (receipt, fact) => recordReceipt(receipt, fact, settings, store),
      revise: () => Promise.reject(new Error("Nothing is redriven.")),
      deliver: (record) => deliverEvent(record, subscribers, async () => {}),
      mark: (...marking) =>
        markDelivery(database, { callbacks: "callbacks", orders: "orders" }, ...marking),
      recordQuarantine: (receipt, why) => recordQuarantine(receipt, why, settings, store),
      sendToDeadLetters: () => Promise.reject(new Error("Its record must have room.")),
      isHopeless: () => false,
      failingSince: createFailingSince(),
      now,
      log,
    },
  );
  return { end, records };
}

/** How a callback ends: "published", "quarantined", or what went wrong. */
async function endOf(sent: Sent): Promise<string> {
  const { said, stored } = await receive(sent);
  const [entry] = stored;
  if (said !== '200 {"code":20000,"msg":""}' || entry === undefined) return said;
  if (!isSendable(entry)) return "SQS would not take it";
  const { end, records } = await process(entry);
  const [record] = records;
  if (end !== "done") return "returned";
  if (record === undefined || record["message"] !== JSON.parse(entry.body).message) return "lost";
  const faults = typeof record["event"] === "string" ? faultsOfEvent(record["event"]) : [];
  return faults.length === 0 ? String(record["outcome"]) : faults.join();
}

test("an authentic callback is acknowledged, and published or quarantined, whatever it holds", async () => {
  const ends = new Map<string, string>();
  for (const sent of everything) {
    const shown = `${sent.eventName} ${sent.result.toString().slice(0, 300)}`;
    ends.set(await endOf(sent), shown);
  }
  expect(Object.fromEntries(ends)).toEqual({
    published: expect.any(String),
    quarantined: expect.any(String),
  });
});
