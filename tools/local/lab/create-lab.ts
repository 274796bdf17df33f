import { DeleteItemCommand, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import * as z from "zod";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { leaseKey } from "../../../shared/reconciling/take-lease.ts";
import type { Consumer, Lab, Outage } from "../../console/console-context.ts";
import type { LocalDescription } from "../../operations/local-stack/local-description.ts";
import type { QueueEvents } from "../aws/sqs/queue-store.ts";
import type { Outages } from "../permissions/outages.ts";
import type { RunningSchedule } from "../stack/triggers/tick-schedule.ts";
import type { Consumers } from "./consumers.ts";

export interface LabOptions {
  readonly outages: Outages;
  readonly dynamodb: DynamoDBClient;
  readonly consumers: Consumers;
  readonly watch: QueueWatch;
  readonly schedules: readonly RunningSchedule[];
  readonly aheadMilliseconds: () => number;
  readonly jump: (milliseconds: number) => Promise<void>;
  /** Undefined until the stack is running. */
  readonly description: () => LocalDescription | undefined;
  /** Called with the subscribers whose queues the Lab reads, whenever they change. */
  readonly readingChanged: (subscribers: readonly string[]) => void;
  /** Receives a line when a fault is switched on or off. */
  readonly tell: (line: string) => void;
}

const services: readonly Outage[] = ["sqs", "dynamodb"];
const serviceNames: Readonly<Record<Outage, string>> = { sqs: "SQS", dynamodb: "DynamoDB" };

/** The switches of the local stack. */
export function createLab(options: LabOptions): Lab {
  const { outages, consumers, watch, tell } = options;
  const queues = () => options.description()?.queues.subscribers ?? {};
  /** The mode of each consumer before it was made to fail. */
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
      outages: services.filter(outages.isOut),
      brokenSubscribers: Object.entries(queues())
        .filter(([, { url }]) => outages.isQueueGone(url))
        .map(([name]) => name),
    }),
    setOutage: (service, isOn) => {
      if (outages.isOut(service) === isOn) return;
      outages.setOutage(service, isOn);
      const name = serviceNames[service];
      tell(
        isOn
          ? `${name} is unavailable: it rejects the functions' calls`
          : `${name} is available again`,
      );
    },
    setBroken: (subscriber, isBroken) => {
      const url = queues()[subscriber]?.url;
      if (url === undefined || outages.isQueueGone(url) === isBroken) return;
      outages.setQueueGone(url, isBroken);
      const queue = `the queue of ${subscriber}`;
      tell(isBroken ? `${queue} rejects every event` : `${queue} accepts events again`);
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
      return `the queue of ${subscriber} has no consumer`;
    case "reads":
      return `a consumer reads the queue of ${subscriber}`;
    case "fails":
      return `the consumer of ${subscriber} fails on every event`;
    case "fails-on-type":
      return `the consumer of ${subscriber} fails on ${type}`;
  }
}

/**
 * Runs reconcile-orders now. A run takes a lease that blocks the next run for most of a minute. The local schedule
 * already prevents overlapping runs, so the lease of the last run can be removed.
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
  /** The time of the last receive on this queue. */
  readonly readAt: (queueUrl: string) => string | undefined;
}

/**
 * Remembers the last receive, and reports each new dead letter. `queues` returns undefined until the stack is running.
 */
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
