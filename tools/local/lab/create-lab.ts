import { DeleteItemCommand, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import * as z from "zod";
import { parseJson } from "../../../shared/parse-json.ts";
import { leaseKey } from "../../../shared/reconciling/take-lease.ts";
import type { Consumer, Lab, Outage } from "../../console/console-context.ts";
import type { LocalDescription } from "../../operations/target/local-target.ts";
import type { OutageProxy } from "../aws/outage-proxy.ts";
import type { QueueEvents } from "../aws/sqs/queue-store.ts";
import type { RunningSchedule } from "../stack/triggers/tick-schedule.ts";
import type { Consumers } from "./consumers.ts";

export interface LabOptions {
  readonly proxy: OutageProxy;
  readonly dynamodb: DynamoDBClient;
  readonly consumers: Consumers;
  readonly watch: QueueWatch;
  readonly schedules: readonly RunningSchedule[];
  readonly aheadMilliseconds: () => number;
  readonly jump: (milliseconds: number) => Promise<void>;
  /** Undefined until the stack runs. */
  readonly description: () => LocalDescription | undefined;
  /** Hears whose queues the Lab reads, whenever that changes. */
  readonly readingChanged: (subscribers: readonly string[]) => void;
  /** Gets a line when something is broken or restored. */
  readonly tell: (line: string) => void;
}

const outages: readonly Outage[] = ["sqs", "dynamodb"];
const serviceNames: Readonly<Record<Outage, string>> = { sqs: "SQS", dynamodb: "DynamoDB" };

/** The switches of the local stack, by the names that the console shows. */
export function createLab(options: LabOptions): Lab {
  const { proxy, consumers, watch, tell } = options;
  const queues = () => options.description()?.queues.subscribers ?? {};
  /** Each consumer as it was before it was made to fail. */
  const before = new Map<string, Consumer>();
  const setConsumer = async (subscriber: string, consumer: Consumer) => {
    const url = queues()[subscriber]?.url;
    if (url === undefined) return;
    tell(describe(subscriber, consumer));
    if (!isFailing(consumer)) before.set(subscriber, consumer);
    await consumers.set(subscriber, url, consumer);
    options.readingChanged(Object.keys(consumers.all()));
  };
  return {
    breakage: () => ({
      outages: outages.filter(proxy.isOut),
      brokenSubscribers: Object.entries(queues())
        .filter(([, { url }]) => proxy.isQueueGone(url))
        .map(([name]) => name),
    }),
    setOutage: (service, isOn) => {
      if (proxy.isOut(service) === isOn) return;
      proxy.setOutage(service, isOn);
      const name = serviceNames[service];
      tell(isOn ? `${name} is out: it refuses the functions` : `${name} is back`);
    },
    setBroken: (subscriber, isBroken) => {
      const url = queues()[subscriber]?.url;
      if (url === undefined || proxy.isQueueGone(url) === isBroken) return;
      proxy.setQueueGone(url, isBroken);
      const queue = `the queue of ${subscriber}`;
      tell(isBroken ? `${queue} is broken: it refuses every event` : `${queue} is restored`);
    },
    consumers: consumers.all,
    setConsumer,
    restoreConsumers: async () => {
      const failing = Object.entries(consumers.all()).filter(([, consumer]) => isFailing(consumer));
      for (const [name] of failing) await setConsumer(name, before.get(name) ?? nobody);
    },
    aheadMilliseconds: options.aheadMilliseconds,
    jump: options.jump,
    readAt: (subscriber) => watch.readAt(queues()[subscriber]?.url ?? ""),
    reconcileNow: async () => {
      const table = options.description()?.tables.orders;
      if (table !== undefined) await reconcileNow(options.dynamodb, table, options.schedules);
    },
  };
}

const nobody: Consumer = { mode: "nobody" };

function isFailing({ mode }: Consumer): boolean {
  return mode === "fails" || mode === "fails-on-type";
}

function describe(subscriber: string, { mode, type }: Consumer): string {
  switch (mode) {
    case "nobody":
      return `nobody reads the queue of ${subscriber}`;
    case "reads":
      return `a consumer reads the queue of ${subscriber}`;
    case "fails":
      return `the consumer of ${subscriber} fails on every event`;
    case "fails-on-type":
      return `the consumer of ${subscriber} fails on ${type}`;
  }
}

/**
 * Runs reconcile-orders now. A run takes a lease that keeps the next one away for most of a minute. Here the schedule
 * itself keeps two runs from overlapping, so the lease of the last run can be taken away.
 */
async function reconcileNow(
  dynamodb: DynamoDBClient,
  ordersTable: string,
  schedules: readonly RunningSchedule[],
): Promise<void> {
  const schedule = schedules.find(({ label }) => label === "reconcile-orders");
  await schedule?.tickNow(async () => {
    const Key = { aggregateKey: { S: leaseKey } };
    await dynamodb.send(new DeleteItemCommand({ TableName: ordersTable, Key }));
  });
}

const eventSchema = z.object({ subject: z.string().optional(), type: z.string() });

export interface QueueWatch extends QueueEvents {
  /** When somebody last asked for a message of this queue. */
  readonly readAt: (queueUrl: string) => string | undefined;
}

/** Remembers who reads, and tells of each new dead letter. `queues` gives undefined until the stack runs. */
export function watchQueues(
  queues: () => LocalDescription["queues"] | undefined,
  now: () => number,
  tell: (line: string) => void,
): QueueWatch {
  const reads = new Map<string, string>();
  return {
    readAt: (queueUrl) => reads.get(nameOf(queueUrl)),
    received: (queueName) => void reads.set(queueName, new Date(now()).toISOString()),
    buried: (queueName, body) => {
      const owner = ownerOf(queues(), queueName);
      const event = eventSchema.safeParse(parseJson(body)).data;
      const what = event === undefined ? "a message" : [event.subject, event.type].join(" ").trim();
      tell(`new dead letter of ${owner}: ${what} → npx paycast dead-letters list ${owner}`);
    },
  };
}

function ownerOf(queues: LocalDescription["queues"] | undefined, queueName: string): string {
  const owner = Object.entries(queues?.subscribers ?? {}).find(
    ([, { url }]) => nameOf(url) === queueName,
  );
  return owner?.[0] ?? "inbox";
}

function nameOf(queueUrl: string): string {
  return queueUrl.split("/").at(-1) ?? queueUrl;
}
