import { DeleteItemCommand, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { leaseKey } from "../../shared/reconciling/take-lease.ts";
import type { RunningSchedule } from "../stack/triggers/tick-schedule.ts";

/**
 * Runs reconcile-orders now. A run takes a lease that keeps the next one away for most of a minute. Here the schedule
 * itself keeps two runs from overlapping, so the lease of the last run can be taken away.
 */
export async function reconcileNow(
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
