import { readFileSync } from "node:fs";
import { type DynamoDBClient, paginateScan } from "@aws-sdk/client-dynamodb";
import { functionLogFile } from "../../../tools/operations/local-stack/local-description.ts";
import { countMessages } from "./count-messages.ts";
import { sum } from "./figures.ts";
import { listOrders, paycast } from "./operator.ts";
import type { ApiCall, createShopper, MadeOrder } from "./shopper.ts";
import type { World } from "./world.ts";

const dayMilliseconds = 86_400_000;

/** A line that the stack logs each minute. */
export interface AttentionCount {
  readonly atMilliseconds: number;
  readonly needed: number;
  /** Of these, the ones of the last quarter of an hour that page the operator. */
  readonly paging: number;
}

export function readCounts(world: World): AttentionCount[] {
  return logLinesWith(world, '"NeedAttention":').map(({ _aws, NeedAttention, NewAttention }) => ({
    atMilliseconds: Number(_aws.Timestamp),
    needed: Number(NeedAttention),
    paging: Number(NewAttention),
  }));
}

/** A line that the stack logs when it gives up on an event. The event may still be delivered later. */
export interface GivenUp {
  readonly atMilliseconds: number;
  readonly eventId: string;
  /** The event of a query has none. */
  readonly callbackId?: string;
  readonly orderNo?: string;
  readonly subscribers: readonly string[];
  /** Of their queues, without repeats. */
  readonly errorName: string;
}

export function readGivenUp(world: World): GivenUp[] {
  return logLinesWith(world, '"ending":"undeliverable"').map(({ timestamp, ...line }) => {
    return { ...line, atMilliseconds: timestamp };
  });
}

function logLinesWith({ directory }: World, text: string) {
  const lines = readFileSync(functionLogFile(directory), "utf8").split("\n");
  return lines.filter((line) => line.includes(text)).map((line) => JSON.parse(line));
}

const mostTimelines = 3;

/** Of a few of these orders, which the stack knows. */
export async function readTimelines(world: World, known: readonly MadeOrder[]) {
  const timelines = new Map<string, string>();
  for (const { orderNo, merchantId } of known.slice(-mostTimelines)) {
    const asked = ["order", orderNo, "--merchant", merchantId, "--json"];
    timelines.set(orderNo, await paycast(world.directory, ...asked));
  }
  return timelines;
}

/**
 * Paycast lists an order under the time at which it first learned of it: at most a week of retries after its creation.
 */
export async function listMade({ directory }: World, calls: readonly ApiCall[], madeUntil: number) {
  const firstCall = calls.reduce((first, call) => Math.min(first, call.atMilliseconds), madeUntil);
  const from = firstCall - 2 * dayMilliseconds;
  return await listOrders(directory, from, madeUntil + 10 * dayMilliseconds);
}

const askedAtOnce = 4;

/** Begins with the last order. */
export async function askAll(
  orders: readonly MadeOrder[],
  get: ReturnType<typeof createShopper>["get"],
) {
  const answers = new Map<string, ApiCall>();
  const remaining = [...orders];
  const askOn = async () => {
    for (let order = remaining.pop(); order !== undefined; order = remaining.pop()) {
      answers.set(order.orderNo, await get(order));
    }
  };
  await Promise.all(Array.from({ length: askedAtOnce }, askOn));
  return answers;
}

export function underWayIn({ relay, stack, sqs, dynamodb }: World) {
  const { queues, tables } = stack.description();
  const urls = [queues.inbox, ...Object.values(queues.subscribers).map(({ url }) => url)];
  return {
    countPosts: relay.countUnderWay,
    countQueued: () => Promise.all(urls.map((url) => countMessages(sqs, url))),
    countUndelivered: () => countUndelivered(dynamodb, tables.callbacks),
  };
}

/** Undeliverable events do not count: only a redrive delivers them. */
async function countUndelivered(client: DynamoDBClient, TableName: string): Promise<number> {
  const pages = paginateScan(
    { client },
    {
      TableName,
      Select: "COUNT",
      ConsistentRead: true,
      FilterExpression:
        "attribute_exists(pending) AND (attribute_not_exists(attention) OR attention.kind <> :given)",
      ExpressionAttributeValues: { ":given": { S: "undeliverable" } },
    },
  );
  const counts: number[] = [];
  for await (const { Count = 0 } of pages) counts.push(Count);
  return sum(counts);
}
