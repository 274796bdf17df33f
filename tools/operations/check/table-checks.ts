import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type TableDescription,
} from "@aws-sdk/client-dynamodb";
import { byAttentionIndex } from "../../../shared/attention/attention.ts";
import { byDayIndex } from "../../../shared/orders/day.ts";
import { byDueIndex } from "../../../shared/orders/due.ts";
import { byAggregateIndex, byTimeIndex } from "../../../shared/records/time-bucket.ts";
import type { Target } from "../target/target.ts";
import {
  type Check,
  deployAgain,
  faultIf,
  faultsOr,
  problem,
  type Verdict,
  warning,
} from "./finding.ts";

interface CheckedTable {
  readonly name: string;
  readonly table: string;
  readonly indexes: readonly string[];
  readonly expires: boolean;
}

export function tableChecks({ tables }: Target): readonly Check[] {
  const checked: readonly CheckedTable[] = [
    {
      name: "table of callbacks",
      table: tables.callbacks,
      indexes: [byAggregateIndex, byTimeIndex, byAttentionIndex],
      expires: true,
    },
    {
      name: "table of orders",
      table: tables.orders,
      indexes: [byDayIndex, byDueIndex],
      expires: false,
    },
  ];
  return checked.map((one) => ({ name: one.name, run: (target) => checkTable(target, one) }));
}

/** What a table is, when old records leave it, and whether it can be restored. A disposable stack's table cannot be. */
async function checkTable(target: Target, checked: CheckedTable): Promise<readonly Verdict[]> {
  const command = new DescribeTableCommand({ TableName: checked.table });
  const { Table = {} } = await target.clients.dynamodb.send(command);
  const { GlobalSecondaryIndexes = [], DeletionProtectionEnabled } = Table;
  const isKept = !target.isDisposable;
  const faults = [
    ...stateFaults(Table, checked),
    ...(checked.expires ? await expiryFaults(target, checked.table) : []),
    ...faultIf(isKept && DeletionProtectionEnabled !== true, unprotected),
    ...(isKept ? await recoveryFaults(target, checked.table) : []),
  ];
  const names = GlobalSecondaryIndexes.map(({ IndexName }) => IndexName).join(", ");
  const indexes = names === "" ? "" : `, indexes ${names}`;
  return faultsOr(faults, `active${indexes}${isKept ? ", can be restored" : ""}`);
}

const unprotected = warning(
  "The table can be deleted by mistake: deletion protection is off.",
  deployAgain,
);

function stateFaults(table: TableDescription, { indexes }: CheckedTable): readonly Verdict[] {
  const { TableStatus = "unknown", GlobalSecondaryIndexes = [] } = table;
  const stateOf = (name: string) =>
    GlobalSecondaryIndexes.find(({ IndexName }) => IndexName === name)?.IndexStatus ?? "missing";
  return [
    ...(TableStatus === "ACTIVE" ? [] : [tableState(TableStatus)]),
    ...indexes
      .map((name) => ({ name, state: stateOf(name) }))
      .filter(({ state }) => state !== "ACTIVE")
      .map(({ name, state }) => indexState(name, state)),
  ];
}

function tableState(state: string): Verdict {
  if (state === "UPDATING") {
    return warning("The table is being changed.", "Wait until it is active, then check again.");
  }
  return problem(`The table is ${state}.`, "Look at the table in DynamoDB.");
}

/** DynamoDB fills a new index for minutes or hours. Until then it gives incomplete answers. */
function indexState(name: string, state: string): Verdict {
  if (state === "CREATING" || state === "UPDATING") {
    const message = `The index ${name} is being filled: commands may not find all records yet.`;
    return warning(message, "Wait until it is active, then check again.");
  }
  return problem(`The index ${name} is ${state.toLowerCase()}.`, deployAgain);
}

async function expiryFaults({ clients }: Target, TableName: string): Promise<readonly Verdict[]> {
  const command = new DescribeTimeToLiveCommand({ TableName });
  const { TimeToLiveDescription: expiry } = await clients.dynamodb.send(command);
  const isOn = /^ENABL(ED|ING)$/.test(expiry?.TimeToLiveStatus ?? "");
  if (isOn && expiry?.AttributeName === "expiresAt") return [];
  return [problem("Old records are never deleted: time to live is off.", deployAgain)];
}

async function recoveryFaults({ clients }: Target, TableName: string): Promise<readonly Verdict[]> {
  const command = new DescribeContinuousBackupsCommand({ TableName });
  const { ContinuousBackupsDescription: backups } = await clients.dynamodb.send(command);
  const status = backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
  if (status === "ENABLED") return [];
  return [problem("The table cannot be restored: point-in-time recovery is off.", deployAgain)];
}
