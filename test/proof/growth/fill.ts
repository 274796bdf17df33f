import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AttributeValue, ScanCommand } from "@aws-sdk/client-dynamodb";
import { groupOf } from "../../../shared/facts/subject.ts";
import { dayPlaceOf } from "../../../shared/orders/day.ts";
import { hourBucket, shardOf } from "../../../shared/records/time-bucket.ts";
import { fromAttributes, itemBytes } from "../../../shared/table/attributes.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { merchantId, type World } from "./world.ts";

/** What the stack stored of one order, for fill.py: two records, the order and its payment. */
export type Sample = readonly (readonly [table: string, text: string, bytes: number])[];

interface Paid {
  readonly orderNo: string;
  readonly paymentId: string;
}

/** The tables hold this order and nothing else. */
export async function takeSample({ aws, target }: World, paid: Paid): Promise<Sample> {
  const items = await Promise.all(
    Object.values(target.tables).map(async (table) => {
      const { Items = [] } = await aws.dynamodb.send(new ScanCommand({ TableName: table }));
      return Items.map((item) => [table, ...sampleOf(item, paid)] as const);
    }),
  );
  return items.flat();
}

/** The attributes by which indexes find an item. The rest of a copy is the sample's, with other names. */
const places = ["group", "recordedAt", "timeBucket", "dayShard", "dayPlace"];

function sampleOf(item: Record<string, AttributeValue>, { orderNo, paymentId }: Paid) {
  const own = places.filter((name) => name in item).map((name) => [name, { S: mark(name) }]);
  const key = item["callbackKey"]?.S;
  const marked = {
    ...item,
    ...Object.fromEntries(own),
    ...(key !== undefined && { callbackKey: { S: `${key.slice(0, -7)}${mark("number")}` } }),
  };
  const text = JSON.stringify(marked).replaceAll("%", "%%").replaceAll("%%(", "%(");
  const named = text.replaceAll(orderNo, mark("orderNo")).replaceAll(paymentId, mark("paymentId"));
  return [named, itemBytes(fromAttributes(item))] as const;
}

/** As Python's own formatting wants it, which is fast. */
const mark = (name: string) => `%(${name})s`;

/** Over which time the records are spread, up to now. */
const spreadMilliseconds = 2 * 86_400_000;

/** A large table on a slow machine may take hours. */
const longestMilliseconds = 10 * 60_000;

/** Adds copies of the sample, each with two records, until there are `wanted`. Tells how many there are after ten minutes. */
export async function fill(world: World, sample: Sample, stored: number, wanted: number) {
  const script = fileURLToPath(new URL("fill.py", import.meta.url));
  const file = join(world.directory, "data", "dynamodb.sqlite");
  const python = spawn("python3", [script, file], { stdio: ["pipe", "inherit", "inherit"] });
  const ended = once(python, "close");
  const startedAt = Date.now();
  python.stdin.write(`${JSON.stringify(sample)}\n`);
  let number = stored / 2;
  while (number < wanted / 2 && Date.now() < startedAt + longestMilliseconds) {
    // Multiples of the golden ratio spread evenly, wherever they end.
    const share = (number * 0.618033988749895) % 1;
    const values = valuesOf(number, Math.round(startedAt - share * spreadMilliseconds));
    if (!python.stdin.write(`${JSON.stringify(values)}\n`)) await once(python.stdin, "drain");
    number += 1;
  }
  python.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`fill.py ended with ${code}`);
  return number * 2;
}

function valuesOf(number: number, atMilliseconds: number): Readonly<Record<string, string>> {
  const digits = number.toString().padStart(7, "0");
  const order = { kind: "order", merchantId, orderNo: `GROWTH-${digits}` } as const;
  const group = groupOf(order);
  const recordedAt = toRfc3339(atMilliseconds);
  return {
    ...{ orderNo: order.orderNo, paymentId: `PAY-${digits}`, group, recordedAt, number: digits },
    timeBucket: hourBucket(recordedAt, shardOf(group)),
    ...dayPlaceOf(order, atMilliseconds),
  };
}
