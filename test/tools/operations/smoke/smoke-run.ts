import { randomUUID } from "node:crypto";
import { ScanCommand } from "@aws-sdk/client-dynamodb";
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { loadRecord } from "../../../../tools/operations/records/read-records.ts";
import type { RunSmoke } from "../../../../tools/operations/smoke/send-and-wait.ts";
import { smokeTiming } from "../../../../tools/operations/smoke/smoke.ts";
import { makeSmokeKeys } from "../../../../tools/operations/smoke/smoke-callback.ts";
import type { Target } from "../../../../tools/operations/target/target.ts";
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
export async function leftBehind({ clients, tables, smoke }: Target): Promise<readonly string[]> {
  const keysIn = async (TableName: string, name: string) => {
    const { Items = [] } = await clients.dynamodb.send(new ScanCommand({ TableName }));
    return Items.map((item) => item[name]?.S ?? "").filter((key) =>
      key.startsWith("paycast-smoke#"),
    );
  };
  const { Attributes = {} } = await clients.sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: smoke!.queueUrl,
      AttributeNames: ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"],
    }),
  );
  return [
    ...(await keysIn(tables.callbacks, "callbackKey")),
    ...(await keysIn(tables.orders, "aggregateKey")),
    ...Object.entries(Attributes).flatMap(([name, count]) => (count === "0" ? [] : [name])),
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

async function takeFromQueue({ clients, smoke }: Target): Promise<void> {
  const QueueUrl = smoke!.queueUrl;
  const ReceiptHandle = await until("the event", async () => {
    const { Messages = [] } = await clients.sqs.send(new ReceiveMessageCommand({ QueueUrl }));
    return Messages[0]?.ReceiptHandle;
  });
  await clients.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
}

async function sendEvent({ clients, smoke }: Target, { event, group }: Published): Promise<void> {
  await clients.sqs.send(
    new SendMessageCommand({
      QueueUrl: smoke!.queueUrl,
      MessageBody: event,
      MessageGroupId: group,
      MessageDeduplicationId: randomUUID(),
    }),
  );
}
