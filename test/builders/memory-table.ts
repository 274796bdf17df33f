import {
  type AttributeValue,
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";

import type { Database } from "../../shared/table/database.ts";

type Item = Record<string, AttributeValue>;
/** The items of all tables, by table and key. An item is replaced, never changed. */
export type MemoryItems = Map<string, Item>;

/** The fields of all the commands that the functions send. */
export interface Input {
  readonly TableName: string;
  readonly Key: Item;
  readonly Item: Item;
  readonly ConditionExpression?: string;
  readonly UpdateExpression: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues: Item;
  readonly TransactItems: readonly { readonly Put: Input }[];
  readonly ClientRequestToken: string;
}

const done = { $metadata: {}, message: "" };

/** As much of DynamoDB as the functions use, in memory: it answers the input of a command. */
export function memoryTables(items: MemoryItems = new Map()): (input: Input) => object {
  const tokens = new Set<string>();
  const placeOf = ({ TableName, Key, Item = Key }: Input) =>
    [TableName, (Item["callbackKey"] ?? Item["aggregateKey"])?.S, Item["receipt"]?.S].join();

  function transact({ TransactItems, ClientRequestToken }: Input): void {
    if (tokens.has(ClientRequestToken)) return;
    const reasons = TransactItems.map(({ Put }) => {
      const Item = items.get(placeOf(Put));
      return holds(Put, Item) ? {} : { Code: "ConditionalCheckFailed", ...(Item && { Item }) };
    });
    if (reasons.some((reason) => "Code" in reason)) {
      throw new TransactionCanceledException({ ...done, CancellationReasons: reasons });
    }
    for (const { Put } of TransactItems) items.set(placeOf(Put), Put.Item);
    tokens.add(ClientRequestToken);
  }

  return (input) => {
    if (input.TransactItems !== undefined) {
      transact(input);
      return done;
    }
    const Item = items.get(placeOf(input));
    if (input.Item !== undefined || input.UpdateExpression !== undefined) {
      const found = { ...done, ...(Item && { Item }) };
      if (!holds(input, Item)) throw new ConditionalCheckFailedException(found);
      items.set(placeOf(input), input.Item ?? updated(input, Item ?? input.Key));
    }
    return { ...done, ...(Item && { Item }) };
  };
}

/** What the functions do not use yet is a syntax error here. */
function holds(input: Input, item: Item | undefined): boolean {
  const script = (input.ConditionExpression ?? "true")
    .replace(/attribute_not_exists\((\w+)\)/g, "!item.$1")
    .replace(/attribute_exists\((\w+)\)/g, "item.$1")
    .replace(/contains\((\w+), (:\w+)\)/g, "item.$1?.SS.includes(values['$2'].S)")
    .replace(/(\w+) = (:\w+)/g, "JSON.stringify(item.$1) === JSON.stringify(values['$2'])")
    .replace(/\bAND\b/g, "&&")
    .replace(/\bOR\b/g, "||");
  const condition = new Function("item", "values", `return ${script};`);
  return Boolean(condition(item ?? {}, input.ExpressionAttributeValues));
}

function updated(input: Input, before: Item) {
  const { UpdateExpression, ExpressionAttributeValues: values } = input;
  const item = { ...before };
  if (Object.values(values ?? {}).some(({ SS }) => SS?.length === 0)) {
    throw new Error("DynamoDB rejects an empty set.");
  }
  for (const clause of UpdateExpression.trim().split(/ +(?=SET |REMOVE |DELETE |ADD )/)) {
    const [keyword, ...actions] = clause.trim().split(/ ?,? (?!=|:|,)/);
    for (const action of actions) {
      const [name = "", value = ""] = action.split(/[ =]+/);
      const remaining =
        item[name]?.SS?.filter((member) => !values[value]?.SS?.includes(member)) ?? [];
      const [map = "", place] = name.split(".");
      if (keyword === "SET" && place !== undefined) {
        const key = input.ExpressionAttributeNames?.[place] ?? place;
        item[map] = { M: { ...item[map]!.M, [key]: values[value]! } };
      } else if (keyword === "SET") item[name] = values[value]!;
      else if (keyword === "ADD") item[name] = { SS: [...remaining, ...values[value]!.SS!] };
      // DynamoDB has no empty sets.
      else if (keyword === "REMOVE" || remaining.length === 0) delete item[name];
      else item[name] = { SS: remaining };
    }
  }
  return item;
}

/** A database over such tables. The clock stands still. */
export function memoryDatabase(now = 0): Database {
  const answer = memoryTables();
  return databaseOver(
    async (input) => answer(input),
    () => now,
  );
}

/** A database whose calls these are. Nothing waits, and no time ends. */
export function databaseOver(
  answerTo: (input: Input) => Promise<object>,
  now: () => number,
): Database {
  const client = { send: ({ input }: { input: Input }) => answerTo(input) };
  return {
    client: client as unknown as Database["client"],
    endsAtMilliseconds: Number.MAX_SAFE_INTEGER,
    now,
    random: () => 0.5,
    pause: async () => {},
  };
}
