/** What DynamoDB says that a call has consumed, a table's indexes included. */
export interface Consumed {
  readonly TableName: string;
  readonly CapacityUnits: number;
  /** Without the indexes. */
  readonly Table: { readonly CapacityUnits: number };
}

/** The same request, asking for what it consumes. */
export function askForConsumption(input: Record<string, unknown>): Buffer {
  return Buffer.from(JSON.stringify({ ...input, ReturnConsumedCapacity: "INDEXES" }));
}

/** One call may touch several tables. */
export function consumptionIn(answer: Buffer): readonly Consumed[] {
  const { ConsumedCapacity = [] } = JSON.parse(answer.toString());
  return [ConsumedCapacity].flat();
}
