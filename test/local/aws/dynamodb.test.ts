import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ListTablesCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { startDynamodb } from "../../../local/aws/dynamodb.ts";
import { listenOnLoopback } from "../../../local/aws/listen-on-loopback.ts";
import { createTable, dynamodbClient } from "./aws-clients.ts";

test("answers the SDK on loopback, transactions and their reasons included", async () => {
  const dynamodb = await startDynamodb();
  const client = dynamodbClient(dynamodb.endpoint);
  expect(new URL(dynamodb.endpoint).hostname).toBe("127.0.0.1");
  await client.send(createTable("orders"));
  const Item = { k: { S: "1" } };
  await client.send(new PutItemCommand({ TableName: "orders", Item }));
  const Put = { TableName: "orders", Item, ConditionExpression: "attribute_not_exists(k)" };
  const writing = client.send(new TransactWriteItemsCommand({ TransactItems: [{ Put }] }));
  await expect(writing).rejects.toMatchObject({
    name: "TransactionCanceledException",
    CancellationReasons: [expect.objectContaining({ Code: "ConditionalCheckFailed" })],
  });
  await dynamodb.stop();
});

test("two run beside each other with their own tables, and can be stopped twice", async () => {
  const [one, two] = await Promise.all([startDynamodb(), startDynamodb()]);
  await dynamodbClient(one.endpoint).send(createTable("only-in-one"));
  expect(await hasTable(two.endpoint, "only-in-one")).toBe(false);
  await Promise.all([one.stop(), two.stop()]);
  await one.stop();
  await expect(fetch(one.endpoint)).rejects.toThrow();
});

test("tables kept in a folder are there after a restart", async () => {
  const folder = mkdtempSync(join(tmpdir(), "paycast-tables-"));
  const dataDirectory = join(folder, "deep");
  const first = await startDynamodb({ dataDirectory });
  await dynamodbClient(first.endpoint).send(createTable("kept"));
  await first.stop();
  const second = await startDynamodb({ dataDirectory });
  expect(await hasTable(second.endpoint, "kept")).toBe(true);
  await second.stop();
  rmSync(folder, { recursive: true });
});

test("ends with the process that started it, even if that process is killed", async () => {
  const script = `
    import { startDynamodb } from "./local/aws/dynamodb.ts";
    import { createTable, dynamodbClient } from "./test/local/aws/aws-clients.ts";
    const { endpoint } = await startDynamodb();
    await dynamodbClient(endpoint).send(createTable("marked"));
    console.log(endpoint);
    process.kill(process.pid, "SIGKILL");
  `;
  const endpoint = await new Promise<string>((resolve) => {
    const flags = ["--import", "tsx", "--input-type=module", "--eval", script];
    execFile(process.execPath, flags, (_error, output) => resolve(output.trim()));
  });
  expect(endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  // Another emulator may get the same port next, so this one is recognised by its table.
  const stillThere = () => hasTable(endpoint, "marked").catch(() => false);
  await expect.poll(stillThere, { timeout: 20_000 }).toBe(false);
});

async function hasTable(endpoint: string, name: string): Promise<boolean> {
  const { TableNames = [] } = await dynamodbClient(endpoint).send(new ListTablesCommand({}));
  return TableNames.includes(name);
}

test("an endpoint from the environment is used as it is and left running", async () => {
  const server = await listenOnLoopback(createServer((_request, response) => response.end()));
  const environment = { PAYCAST_DYNAMODB_ENDPOINT: server.endpoint };
  const dynamodb = await startDynamodb({ environment });
  expect(dynamodb.endpoint).toBe(server.endpoint);
  await dynamodb.stop();
  expect((await fetch(server.endpoint)).ok).toBe(true);
  await server.stop();
  await expect(startDynamodb({ environment })).rejects.toThrow(/nothing answers there/);
});

test("an emulator that does not start is an error with what it said", async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), "paycast-tables-"));
  mkdirSync(join(dataDirectory, "dynamodb.sqlite"));
  await expect(startDynamodb({ dataDirectory })).rejects.toThrow(/did not start: .*database/s);
  rmSync(dataDirectory, { recursive: true });
});
