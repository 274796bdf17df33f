import { describe, expect, test } from "vitest";
import {
  requirementsOf,
  type ServiceCall,
} from "../../../../tools/local/permissions/requirements.ts";

const arn = (service: string, resource: string) =>
  `arn:aws:${service}:us-east-1:000000000000:${resource}`;
const keys = new Map([
  ["Orders", "aggregateKey"],
  ["Orders/index/by-due", "dueShard"],
]);

const needed = (service: ServiceCall["service"], operation: string, input: object) =>
  requirementsOf({ service, operation, input }, keys);

describe("SQS", () => {
  const QueueUrl = "http://127.0.0.1:1/000000000000/Inbox.fifo";

  test.each([
    ["SendMessage", "sqs:SendMessage"],
    ["SendMessageBatch", "sqs:SendMessage"],
    ["DeleteMessageBatch", "sqs:DeleteMessage"],
    ["ChangeMessageVisibilityBatch", "sqs:ChangeMessageVisibility"],
  ])("%s needs %s", (operation, action) => {
    const resource = arn("sqs", "Inbox.fifo");
    expect(needed("sqs", operation, { QueueUrl })).toEqual([{ action, resource, context: {} }]);
  });

  test("a name finds the URL of its queue", () => {
    const found = needed("sqs", "GetQueueUrl", { QueueName: "Inbox.fifo" });
    expect(found.map(({ resource }) => resource)).toEqual([arn("sqs", "Inbox.fifo")]);
  });

  test.each([
    ["beside a name", { QueueUrl, QueueName: "Own.fifo" }],
    ["with a longer path", { QueueUrl: `${QueueUrl}/Own.fifo` }],
    ["with a query", { QueueUrl: `${QueueUrl}?/Own.fifo` }],
  ])("a URL %s means the queue that the emulator finds", (_how, input) => {
    const [found] = needed("sqs", "SendMessage", input);
    expect(found?.resource).toBe(arn("sqs", "Inbox.fifo"));
  });

  test.each([
    ["ListQueues", {}],
    ["CreateQueue", { QueueName: "Own.fifo" }],
    ["StartMessageMoveTask", { SourceArn: arn("sqs", "Inbox.fifo") }],
    ["SendMessage", {}],
  ])("%s without a URL cannot be judged, so it is denied", (operation, input) => {
    expect(() => needed("sqs", operation, input)).toThrow(
      expect.objectContaining({ code: "AccessDeniedException" }),
    );
  });
});

describe("Secrets Manager", () => {
  const resource = arn("secretsmanager", "secret:Keys-a1b2c3");

  test.each([
    ["its ARN", resource],
    ["its name", "Keys-a1b2c3"],
  ])("a secret is meant by %s", (_what, SecretId) => {
    const action = "secretsmanager:GetSecretValue";
    const found = needed("secretsmanager", "GetSecretValue", { SecretId });
    expect(found).toEqual([{ action, resource, context: {} }]);
  });

  test("a call about all secrets cannot be judged, so it is denied", () => {
    expect(() => needed("secretsmanager", "ListSecrets", {})).toThrow(
      expect.objectContaining({ code: "AccessDeniedException" }),
    );
  });
});

describe("DynamoDB", () => {
  const TableName = "Orders";
  const table = arn("dynamodb", "table/Orders");

  test("an item has its key", () => {
    const Item = { aggregateKey: { S: "shop#1" }, status: { S: "paid" } };
    expect(needed("dynamodb", "PutItem", { TableName, Item })).toEqual([
      {
        action: "dynamodb:PutItem",
        resource: table,
        context: {
          "dynamodb:Attributes": ["aggregateKey", "status"],
          "dynamodb:LeadingKeys": ["shop#1"],
          "dynamodb:ReturnValues": undefined,
        },
      },
    ]);
  });

  test("an update names the attributes of its expressions", () => {
    const [found] = needed("dynamodb", "UpdateItem", {
      TableName,
      Key: { aggregateKey: { S: "shop#1" } },
      UpdateExpression: "SET #0 = :d, checks = if_not_exists(checks, :zero) REMOVE claim.token",
      ConditionExpression: "attribute_exists(paymentId) AND NOT #s IN (:a, :b)",
      ExpressionAttributeNames: { "#0": "dueAt", "#s": "status" },
    });
    expect(found?.context["dynamodb:Attributes"]).toEqual([
      "aggregateKey",
      "dueAt",
      "checks",
      "claim",
      "paymentId",
      "status",
    ]);
  });

  test("a query of an index needs the index, and has its key", () => {
    const query = {
      TableName,
      IndexName: "by-due",
      KeyConditionExpression: "#a = :shard AND dueAt <= :now",
      ExpressionAttributeNames: { "#a": "dueShard" },
      ExpressionAttributeValues: { ":shard": { S: "3" }, ":now": { N: "5" } },
    };
    expect(needed("dynamodb", "Query", query)).toMatchObject([
      {
        action: "dynamodb:Query",
        resource: `${table}/index/by-due`,
        context: { "dynamodb:LeadingKeys": ["3"] },
      },
    ]);
  });

  test("a transaction needs what each of its items needs", () => {
    const Key = { aggregateKey: { S: "shop#1" } };
    const TransactItems = [
      { Put: { TableName, Item: Key } },
      { Update: { TableName, Key, UpdateExpression: "SET a = :a" } },
      { Delete: { TableName, Key } },
      { ConditionCheck: { TableName, Key, ConditionExpression: "attribute_exists(a)" } },
    ];
    const found = needed("dynamodb", "TransactWriteItems", { TransactItems });
    expect(found.map(({ action }) => action)).toEqual([
      "dynamodb:PutItem",
      "dynamodb:UpdateItem",
      "dynamodb:DeleteItem",
      "dynamodb:ConditionCheckItem",
    ]);
    const read = needed("dynamodb", "TransactGetItems", {
      TransactItems: [{ Get: { TableName, Key } }],
    });
    expect(read.map(({ action }) => action)).toEqual(["dynamodb:GetItem"]);
  });

  const Key = { aggregateKey: { S: "shop#1" } };
  const contextOf = (operation: string, input: object) =>
    needed("dynamodb", operation, input).map(({ context }) => context);

  test("each of five parts is looked at", () => {
    const part = (shop: string) => ({ Put: { TableName, Item: { aggregateKey: { S: shop } } } });
    const shops = ["a", "b", "c", "d", "e"];
    const contexts = contextOf("TransactWriteItems", { TransactItems: shops.map(part) });
    expect(contexts.map((context) => context["dynamodb:LeadingKeys"])).toEqual(
      shops.map((shop) => [shop]),
    );
  });

  test("a batch needs itself on each table, with all keys and attributes", () => {
    const reads = {
      Orders: {
        Keys: [Key, { aggregateKey: { S: "shop#2" } }],
        ProjectionExpression: "#s",
        ExpressionAttributeNames: { "#s": "status" },
      },
      Callbacks: { Keys: [{ callbackKey: { S: "c" } }] },
    };
    expect(needed("dynamodb", "BatchGetItem", { RequestItems: reads })).toMatchObject([
      {
        action: "dynamodb:BatchGetItem",
        resource: table,
        context: { "dynamodb:LeadingKeys": ["shop#1", "shop#2"] },
      },
      { action: "dynamodb:BatchGetItem", resource: arn("dynamodb", "table/Callbacks") },
    ]);
    const [read] = contextOf("BatchGetItem", { RequestItems: reads });
    expect(new Set(read!["dynamodb:Attributes"])).toEqual(new Set(["aggregateKey", "status"]));
    const writes = {
      Orders: [{ PutRequest: { Item: { ...Key, note: { S: "x" } } } }, { DeleteRequest: { Key } }],
      Callbacks: [{ DeleteRequest: { Key: { callbackKey: { S: "c" } } } }],
    };
    const found = needed("dynamodb", "BatchWriteItem", { RequestItems: writes });
    expect(found.map(({ action, resource }) => `${action} ${resource}`)).toEqual([
      `dynamodb:BatchWriteItem ${table}`,
      `dynamodb:BatchWriteItem ${arn("dynamodb", "table/Callbacks")}`,
    ]);
    expect(found[0]!.context["dynamodb:LeadingKeys"]).toEqual(["shop#1", "shop#1"]);
  });

  test("a read names what it projects, and its key", () => {
    const [context] = contextOf("GetItem", {
      TableName,
      Key,
      ProjectionExpression: "a.b, #c[0]",
      ExpressionAttributeNames: { "#c": "refunds" },
    });
    expect(context!["dynamodb:Attributes"]).toEqual(["aggregateKey", "a", "refunds"]);
  });

  test("an update says what it returns, only if it says it", () => {
    const update = { TableName, Key, UpdateExpression: "SET a = :a" };
    const [silent] = contextOf("UpdateItem", update);
    expect(silent!["dynamodb:ReturnValues"]).toBeUndefined();
    const [returning] = contextOf("UpdateItem", { ...update, ReturnValues: "ALL_OLD" });
    expect(returning!["dynamodb:ReturnValues"]).toEqual(["ALL_OLD"]);
  });

  test("neither a scan nor a query without its partition key has a leading key, as in AWS", () => {
    const scan = { TableName, FilterExpression: "a = :a" };
    const query = { TableName, KeyConditionExpression: "dueAt = :now" };
    for (const [operation, input] of Object.entries({ Scan: scan, Query: query })) {
      expect(contextOf(operation, input)[0]!["dynamodb:LeadingKeys"]).toEqual([]);
    }
  });

  test("a table named by its ARN is the same table", () => {
    const [found] = needed("dynamodb", "GetItem", { TableName: table, Key });
    expect(found).toMatchObject({
      resource: table,
      context: { "dynamodb:LeadingKeys": ["shop#1"] },
    });
  });

  test.each([
    ["PartiQL", "ExecuteStatement", { Statement: 'SELECT * FROM "Orders"' }],
    ["PartiQL in a transaction", "ExecuteTransaction", { TransactStatements: [] }],
    ["an operation that no function needs", "DeleteTable", { TableName }],
    ["an older parameter", "GetItem", { TableName, Key, AttributesToGet: ["a"] }],
    ["an older condition", "Query", { TableName, KeyConditions: {} }],
    ["an older update", "UpdateItem", { TableName, Key, AttributeUpdates: {} }],
    ["nothing", "BatchWriteItem", { RequestItems: { Orders: [] } }],
    [
      "two writes in one",
      "BatchWriteItem",
      { RequestItems: { Orders: [{ PutRequest: { Item: Key }, DeleteRequest: { Key } }] } },
    ],
    ["a key beside an item", "PutItem", { TableName, Item: Key, Key }],
    ["a key beside a query", "Query", { TableName, Key }],
    ["an item instead of a key", "DeleteItem", { TableName, Item: Key }],
    ["an update of no item", "UpdateItem", { TableName, UpdateExpression: "SET a = :a" }],
  ])("%s cannot be judged, so it is denied", (_what, operation, input) => {
    expect(() => needed("dynamodb", operation, input)).toThrow(
      expect.objectContaining({ code: "AccessDeniedException" }),
    );
  });
});
