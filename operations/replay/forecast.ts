import { DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import { byTimeIndex } from "../../shared/records/time-bucket.ts";
import type { Target } from "../target/target.ts";

/** What reading the whole history takes, and then sending all of it. */
interface Forecast {
  readonly events: number;
  readonly indexBytes: number;
  readonly indexReadUnits: number;
  readonly readDollars: number;
  /** If every event is sent, each in a request of its own. */
  readonly sendDollars: number;
}

/** List prices of us-east-1, as docs/cost.md has them. */
const readUnitDollars = 0.125e-6;
const sendDollars = 0.5e-6;

/** A read unit is a consistent read of so much, or two reads that are not. */
const unitBytes = 4_096;

/** Said before the first page is read. A forecast that cannot be had stops nothing. */
export async function forecastText(target: Target, stopped: AbortSignal): Promise<string> {
  try {
    return textOf(await forecastScan(target, stopped));
  } catch {
    return "This reads the whole history. DynamoDB did not say how much that is.";
  }
}

/** As DynamoDB has counted, which is up to six hours ago. It costs nothing to ask. */
async function forecastScan({ clients, tables }: Target, abortSignal: AbortSignal) {
  const command = new DescribeTableCommand({ TableName: tables.callbacks });
  const { Table = {} } = await clients.dynamodb.send(command, { abortSignal });
  const { ItemCount: records = 0, TableSizeBytes: bytes = 0, GlobalSecondaryIndexes = [] } = Table;
  const index = GlobalSecondaryIndexes.find(({ IndexName }) => IndexName === byTimeIndex);
  const { ItemCount: events = 0, IndexSizeBytes: indexBytes = 0 } = index ?? {};
  const indexReadUnits = Math.ceil(indexBytes / unitBytes / 2);
  const unitsOfRecord = Math.ceil(bytes / Math.max(1, records) / unitBytes);
  return {
    ...{ events, indexBytes, indexReadUnits, readDollars: indexReadUnits * readUnitDollars },
    sendDollars: events * (unitsOfRecord * readUnitDollars + sendDollars),
  };
}

function textOf(forecast: Forecast): string {
  const { events, indexBytes, indexReadUnits, readDollars } = forecast;
  if (events === 0) return notCounted;
  const [count, units] = [events, indexReadUnits].map((one) => one.toLocaleString("en-US"));
  const megabytes = (indexBytes / 1024 ** 2).toLocaleString("en-US", { maximumFractionDigits: 1 });
  return (
    `This reads the whole history: about ${count} events, ${megabytes} MB of the index by time, ` +
    `${units} read units, ${dollarText(readDollars)}. ` +
    `Sending all of them would cost ${dollarText(forecast.sendDollars)} more.`
  );
}

const notCounted =
  "This reads the whole history. DynamoDB has not counted it yet, so nobody knows how much it is.";

function dollarText(dollars: number): string {
  return dollars < 0.01 ? "less than $0.01" : `about $${dollars.toFixed(2)}`;
}
