import { type AttributeValue, BatchWriteItemCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { groupOf } from "../../../shared/facts/subject.ts";
import { dayPlaceOf } from "../../../shared/orders/day.ts";
import { hourBucket, shardOf } from "../../../shared/records/time-bucket.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { merchantId, type World } from "./world.ts";

/** What the stack stored of one paid order, by table: two records, the order and its payment. */
export interface Sample {
  readonly orderNo: string;
  readonly paymentId: string;
  readonly stored: readonly (readonly [table: string, items: readonly Item[]])[];
}

type Item = Readonly<Record<string, AttributeValue>>;

/** The tables hold this order and nothing else. */
export async function takeSample(
  { aws, target }: World,
  paid: { readonly orderNo: string; readonly paymentId: string },
): Promise<Sample> {
  const scan = async (TableName: string) => {
    const { Items = [] } = await aws.dynamodb.send(new ScanCommand({ TableName }));
    return [TableName, Items] as const;
  };
  return {
    ...paid,
    stored: await Promise.all([target.records.table, target.orders.table].map(scan)),
  };
}

/** The time range over which the records are spread, until now. */
const spreadMilliseconds = 2 * 86_400_000;

/** A large table on a slow machine may take hours. */
const longestMilliseconds = 30 * 60_000;

/** An order has four items, and a call takes 25. */
const ordersInCall = 6;
const callsAtOnce = 4;

/**
 * Adds copies of the sample, each with two records, until there are `wanted` or half an hour has passed. Returns how
 * many there are.
 */
export async function fill({ aws }: World, sample: Sample, stored: number, wanted: number) {
  const endsAt = Date.now() + longestMilliseconds;
  let next = stored / 2;
  const writeOn = async () => {
    while (next < wanted / 2 && Date.now() < endsAt) {
      const count = Math.min(ordersInCall, wanted / 2 - next);
      const numbers = Array.from({ length: count }, (_item, index) => next + index);
      next += count;
      const RequestItems = sample.stored.map(([table, items]) => [
        table,
        numbers.flatMap((number) => items.map((item) => copyOf(sample, item, number))),
      ]);
      const command = { RequestItems: Object.fromEntries(RequestItems) };
      await aws.dynamodb.send(new BatchWriteItemCommand(command));
    }
  };
  await Promise.all(Array.from({ length: callsAtOnce }, writeOn));
  return next * 2;
}

/** The sample's item with other names, and with the attributes by which indexes find it. */
function copyOf({ orderNo, paymentId }: Sample, item: Item, number: number) {
  const digits = number.toString().padStart(7, "0");
  const order = { kind: "order", merchantId, orderNo: `GROWTH-${digits}` } as const;
  const text = JSON.stringify(item).replaceAll(orderNo, order.orderNo);
  const copy: Record<string, AttributeValue> = JSON.parse(
    text.replaceAll(paymentId, `PAY-${digits}`),
  );
  // Multiples of the golden ratio spread evenly, wherever they end.
  const share = (number * 0.618033988749895) % 1;
  const atMilliseconds = Math.round(Date.now() - share * spreadMilliseconds);
  const [group, recordedAt] = [groupOf(order), toRfc3339(atMilliseconds)];
  const places: Readonly<Record<string, string>> = {
    group,
    recordedAt,
    timeBucket: hourBucket(recordedAt, shardOf(group)),
    ...dayPlaceOf(order, atMilliseconds),
    callbackKey: `${item["callbackKey"]?.S?.slice(0, -7)}${digits}`,
  };
  for (const name of Object.keys(places)) if (name in item) copy[name] = { S: places[name] ?? "" };
  return { PutRequest: { Item: copy } };
}
