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
  TimeToLiveSpecification: z
    .object({ AttributeName: z.string(), Enabled: z.literal(true) })
    .optional(),
  BillingMode: ignored,
  DeletionProtectionEnabled: ignored,
  PointInTimeRecoverySpecification: ignored,
  SSESpecification: ignored,
});
export type TableProperties = z.infer<typeof tableSchema>;

/** Creates the table. With `keepData`, a table from an earlier start stays if it has the same keys and indexes. */
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
  const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes: indexes } = properties;
  await client.send(
    new CreateTableCommand({
      TableName,
      AttributeDefinitions,
      KeySchema,
      BillingMode: "PAY_PER_REQUEST",
      // DynamoDB rejects an empty list.
      GlobalSecondaryIndexes: indexes.length === 0 ? undefined : indexes,
    }),
  );
  const { TimeToLiveSpecification } = properties;
  if (TimeToLiveSpecification === undefined) return;
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
}

function refuseOtherShape(
  tableName: string,
  wanted: TableProperties,
  existing: TableDescription,
): void {
  if (shapeOf(wanted) === shapeOf(existing)) return;
  throw new StackError(
    "local-data-outdated",
    `The table ${tableName} of an earlier start has other keys or indexes than the current stack. Start once without --keep.`,
  );
}

function shapeOf(table: TableProperties | TableDescription): string {
  const indexes = table.GlobalSecondaryIndexes ?? [];
  const keys = indexes.map(({ IndexName, KeySchema }) => `${IndexName} ${describeKeys(KeySchema)}`);
  return [describeKeys(table.KeySchema), ...keys.sort()].join("; ");
}

function describeKeys(
  keys: readonly { AttributeName?: string | undefined; KeyType?: string | undefined }[] = [],
): string {
  return keys.map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName}`).join(", ");
}
