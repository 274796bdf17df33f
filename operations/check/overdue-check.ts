import {
  DescribeTableCommand,
  type GlobalSecondaryIndexDescription,
} from "@aws-sdk/client-dynamodb";
import { queryPartition } from "../../shared/table/query-index.ts";
import type { Target } from "../target/target.ts";
import { databaseOf } from "../target/target-database.ts";
import { type Check, ok, warning } from "./finding.ts";

/** The index of orders by the time of their next question to the service. Older stacks do not have it. */
const byDueIndex = "by-due";
const shards = ["0", "1", "2", "3", "4", "5", "6", "7"];
/** Several runs of the schedule: an order that is due for longer is not being asked about. */
const patienceMilliseconds = 3_600_000;
/** To know that there are many is enough, and reading them all could take long. */
const mostCounted = 1_000;

/** Orders whose callback did not come and about which nobody has asked the service in time. */
export const overdueCheck: Check = {
  name: "overdue orders",
  run: async (target, { now }) => {
    const index = await findIndex(target);
    if (index === undefined) return [ok("not applicable: the stack does not reconcile orders")];
    const count = await countOverdue(target, index, now() - patienceMilliseconds);
    if (count === 0) return [ok("none")];
    const many = count === mostCounted ? `${count} or more orders` : `${count} orders`;
    return [
      warning(
        `${many} should have been asked about at the payment service an hour ago or earlier.`,
        "Read the log of reconcile-orders. It catches up by itself once the service answers.",
      ),
    ];
  },
};

interface DueIndex {
  readonly shardName: string;
  readonly timeName: string;
}

async function findIndex({ clients, tables }: Target): Promise<DueIndex | undefined> {
  const command = new DescribeTableCommand({ TableName: tables.orders });
  const { Table } = await clients.dynamodb.send(command);
  const index = Table?.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === byDueIndex);
  const shardName = keyOf(index, "HASH");
  const timeName = keyOf(index, "RANGE");
  return shardName === undefined || timeName === undefined ? undefined : { shardName, timeName };
}

function keyOf(index: GlobalSecondaryIndexDescription | undefined, type: "HASH" | "RANGE") {
  return index?.KeySchema?.find(({ KeyType }) => KeyType === type)?.AttributeName;
}

async function countOverdue(
  target: Target,
  { shardName, timeName }: DueIndex,
  until: number,
): Promise<number> {
  let count = 0;
  for (const shard of shards) {
    const query = {
      table: target.tables.orders,
      index: byDueIndex,
      partition: { [shardName]: shard },
      range: { name: timeName, from: 0, until },
    };
    for await (const _order of queryPartition(databaseOf(target), query)) {
      count += 1;
      if (count === mostCounted) return count;
    }
  }
  return count;
}
