import { ScanCommand } from "@aws-sdk/client-dynamodb";
import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import type { RunSmoke } from "../../../operations/smoke/send-and-wait.ts";
import { makeSmokeKeys } from "../../../operations/smoke/smoke-keys.ts";
import type { Target } from "../../../operations/target/target.ts";

/** The same keys for every run of a file: a warm instance asks for other keys only once a minute. */
const keys = makeSmokeKeys();

export function smokeRun(change: Partial<RunSmoke> = {}): RunSmoke {
  return {
    timeoutMilliseconds: 90_000,
    signal: new AbortController().signal,
    now: Date.now,
    fetch,
    makeKeys: () => keys,
    leftoverMilliseconds: 15 * 60_000,
    onStage: () => {},
    ...change,
  };
}

/** Everything that smoke tests have left: keys of items, and a line for each event. */
export async function leftBehind({ clients, tables, smoke }: Target): Promise<readonly string[]> {
  const keysIn = async (TableName: string, name: string) => {
    const { Items = [] } = await clients.dynamodb.send(new ScanCommand({ TableName }));
    return Items.map((item) => item[name]?.S ?? "").filter((key) =>
      key.startsWith("paycast-smoke#"),
    );
  };
  const { Attributes = {} } = await clients.sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: smoke!.queueUrl,
      AttributeNames: ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"],
    }),
  );
  return [
    ...(await keysIn(tables.callbacks, "callbackKey")),
    ...(await keysIn(tables.orders, "aggregateKey")),
    ...Object.entries(Attributes).flatMap(([name, count]) => (count === "0" ? [] : [name])),
  ];
}
