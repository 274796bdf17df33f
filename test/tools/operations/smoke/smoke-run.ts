import { randomUUID } from "node:crypto";
import { ScanCommand } from "@aws-sdk/client-dynamodb";
import { available } from "../../../../tools/operations/ports/available.ts";
import type { Orders } from "../../../../tools/operations/ports/orders.ts";
import type { MessageQueue } from "../../../../tools/operations/ports/queues.ts";
import type { Records } from "../../../../tools/operations/ports/records.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";
import { loadRecord } from "../../../../tools/operations/records/read-records.ts";
import type { RunSmoke } from "../../../../tools/operations/smoke/send-and-wait.ts";
import { smokeTiming } from "../../../../tools/operations/smoke/smoke.ts";
import { makeSmokeKeys } from "../../../../tools/operations/smoke/smoke-callback.ts";
import { until } from "../../../end-to-end/running-stack.ts";

/** The same keys for every run of a file: a warm instance asks for other keys only once a minute. */
const keys = makeSmokeKeys();

export function smokeRun(change: Partial<RunSmoke> = {}): RunSmoke {
  return {
    ...smokeTiming,
    timeoutMilliseconds: 90_000,
    signal: new AbortController().signal,
    fetch,
    makeKeys: () => keys,
    repeatMilliseconds: 100,
    quietMilliseconds: 0,
    onStage: () => {},
    ...change,
  };
}

/** Everything that smoke tests have left: keys of items, and a line for each event. */
export async function leftBehind(target: Target): Promise<readonly string[]> {
  const { records, orders, queues, stack } = target;
  const keysIn = async ({ table: TableName, database }: Records | Orders, name: string) => {
    const { Items = [] } = await database.client.send(new ScanCommand({ TableName }));
    return Items.map((item) => item[name]?.S ?? "").filter((key) =>
      key.startsWith("paycast-smoke#"),
    );
  };
  const count = await queues.open(available(stack.smoke).queueUrl).count();
  return [
    ...(await keysIn(records, "callbackKey")),
    ...(await keysIn(orders, "aggregateKey")),
    ...Object.entries(count).flatMap(([name, messages]) => (messages === 0 ? [] : [name])),
  ];
}

/** Puts a copy of the event into the queue after the second request, as if it had been published twice. */
export function fetchAndCopy(target: Target): typeof fetch {
  return fetchAndThen(target, async ({ event, group }) => {
    await sendEvent(target, { event, group });
  });
}

/** Puts another event in place of the one in the queue after the second request, as if a wrong one had been published. */
export function fetchAndChange(target: Target, change: ChangeEvent): typeof fetch {
  return fetchAndThen(target, async ({ event, group }) => {
    await takeFromQueue(target);
    const changed = JSON.parse(event);
    change(changed.data, changed);
    await sendEvent(target, { event: JSON.stringify(changed), group });
  });
}

// biome-ignore lint/suspicious/noExplicitAny: a test spoils what it likes.
type EventData = Record<string, any>;
type ChangeEvent = (data: EventData, event: EventData) => void;

interface Published {
  readonly event: string;
  readonly group: string;
}

/** Acts after the second request, when the event is in the queue. */
export function fetchAndThen(
  target: Target,
  act: (published: Published) => Promise<void>,
): typeof fetch {
  let posts = 0;
  return async (url, init) => {
    const answer = await fetch(url, init);
    posts += answer.status === 200 ? 1 : 0;
    if (posts === 2) await act(await publishedOf(target, JSON.parse(String(init?.body)).id));
    return answer;
  };
}

async function publishedOf(target: Target, callbackId: string): Promise<Published> {
  const callbackKey = `paycast-smoke#callback#${callbackId.replaceAll("-", "")}`;
  return await until("the event to be sent", async () => {
    const record = await loadRecord(target, { callbackKey, receipt: "first" });
    const isSent = record?.outcome === "published" && record.pending.length === 0;
    return isSent ? record : undefined;
  });
}

function smokeQueue({ queues, stack }: Target): MessageQueue {
  return queues.open(available(stack.smoke).queueUrl);
}

async function takeFromQueue(target: Target): Promise<void> {
  const queue = smokeQueue(target);
  const message = await until("the event", async () => (await queue.receive()).at(0));
  await queue.remove(message);
}

async function sendEvent(target: Target, { event, group }: Published): Promise<void> {
  const order = { group, deduplicationId: randomUUID() };
  await smokeQueue(target).send({ body: event, attributes: {}, order });
}
