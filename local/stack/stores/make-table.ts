import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import * as z from "zod";
import { ignored, StackError } from "../template/template.ts";

const keySchema = z.array(
  z.object({ AttributeName: z.string(), KeyType: z.enum(["HASH", "RANGE"]) }),
);
const indexSchema = z.object({
  IndexName: z.string(),
  KeySchema: keySchema,
  Projection: z.object({
    ProjectionType: z.enum(["ALL", "KEYS_ONLY", "INCLUDE"]),
    NonKeyAttributes: z.array(z.string()).optional(),
  }),
});

export const tableSchema = z.strictObject({
  AttributeDefinitions: z.array(
    z.object({ AttributeName: z.string(), AttributeType: z.enum(["S", "N", "B"]) }),
  ),
  KeySchema: keySchema,
  GlobalSecondaryIndexes: z.array(indexSchema).default([]),
  LocalSecondaryIndexes: z.array(indexSchema).default([]),
  TimeToLiveSpecification: z
    .object({ AttributeName: z.string().optional(), Enabled: z.boolean() })
    .optional(),
  TableName: z.string().optional(),
  BillingMode: ignored,
  ContributorInsightsSpecification: ignored,
  DeletionProtectionEnabled: ignored,
  OnDemandThroughput: ignored,
  PointInTimeRecoverySpecification: ignored,
  ProvisionedThroughput: ignored,
  Replicas: ignored,
  ResourcePolicy: ignored,
  SSESpecification: ignored,
  TableClass: ignored,
  Tags: ignored,
  WriteOnDemandThroughputSettings: ignored,
});
export type TableProperties = z.infer<typeof tableSchema>;

/** Makes the table. With `keepData`, a table from an earlier start stays if its shape is the same. */
export async function makeTable(
  client: DynamoDBClient,
  tableName: string,
  properties: TableProperties,
  keepExisting: boolean,
): Promise<void> {
  const existing = await findTable(client, tableName);
  if (existing !== undefined && keepExisting) {
    refuseOtherShape(tableName, properties, existing);
    return;
  }
  if (existing !== undefined) await client.send(new DeleteTableCommand({ TableName: tableName }));
  await createTable(client, tableName, properties);
}

async function findTable(
  client: DynamoDBClient,
  TableName: string,
): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

async function createTable(
  client: DynamoDBClient,
  TableName: string,
  properties: TableProperties,
): Promise<void> {
  const { AttributeDefinitions, KeySchema } = properties;
  await client.send(
    new CreateTableCommand({
      TableName,
      AttributeDefinitions,
      KeySchema,
      BillingMode: "PAY_PER_REQUEST",
      // DynamoDB refuses an empty list.
      GlobalSecondaryIndexes: nonEmpty(properties.GlobalSecondaryIndexes),
      LocalSecondaryIndexes: nonEmpty(properties.LocalSecondaryIndexes),
    }),
  );
  const { AttributeName, Enabled } = properties.TimeToLiveSpecification ?? {};
  if (AttributeName === undefined || Enabled !== true) return;
  const TimeToLiveSpecification = { AttributeName, Enabled };
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
}

function nonEmpty<Item>(items: Item[]): Item[] | undefined {
  return items.length === 0 ? undefined : items;
}

function refuseOtherShape(
  tableName: string,
  wanted: TableProperties,
  existing: TableDescription,
): void {
  if (shapeOf(wanted) === shapeOf(existing)) return;
  throw new StackError(
    "local-data-outdated",
    `The table ${tableName} of an earlier start has other keys or indexes than the stack has now. Start once without keeping data.`,
  );
}

function shapeOf(table: TableProperties | TableDescription): string {
  const indexes = [
    ...(table.GlobalSecondaryIndexes ?? []),
    ...(table.LocalSecondaryIndexes ?? []),
  ].map((index) => `${index.IndexName} ${describeKeys(index.KeySchema)}`);
  return [describeKeys(table.KeySchema), ...indexes.sort()].join("; ");
}

function describeKeys(
  keys: readonly { AttributeName?: string | undefined; KeyType?: string | undefined }[] = [],
): string {
  return keys.map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName}`).join(", ");
}
