import { type ChildProcess, execFile } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import {
  ListTablesCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { startDynamodb } from "../../../../tools/local/aws/dynamodb.ts";
import { listenOnLoopback } from "../../../../tools/local/aws/listen-on-loopback.ts";
import { temporaryFolder } from "../../../setup/temporary-folder.ts";
import { createTable, dynamodbClient } from "./aws-clients.ts";

test("answers the SDK on loopback, and its program, which answers any web page, is hidden", async () => {
  const watch = watchPrograms();
  const dynamodb = await startDynamodb();
  const command = watch.stop().at(-1)!.spawnargs.join(" ");
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
  const foreign = { headers: { origin: "https://evil.example" } };
  expect((await fetch(dynamodb.endpoint, foreign)).status).toBe(403);
  const [, host, port] = / --host (\S+) --port (\d+)/.exec(command)!;
  expect((await fetch(`http://${host}:${port}`, foreign)).status).toBe(200);
  // macOS has no other address of loopback.
  expect(host === "127.0.0.1").toBe(process.platform === "darwin");
  await dynamodb.stop();
  await dynamodb.stop();
  await expect(fetch(dynamodb.endpoint)).rejects.toThrow();
});

test("tables kept in a folder are there after a restart, and nowhere else", async () => {
  const dataDirectory = join(temporaryFolder("tables"), "deep");
  const [first, other] = await Promise.all([startDynamodb({ dataDirectory }), startDynamodb()]);
  await dynamodbClient(first.endpoint).send(createTable("kept"));
  expect(await hasTable(other.endpoint, "kept")).toBe(false);
  await Promise.all([first.stop(), other.stop()]);
  const second = await startDynamodb({ dataDirectory });
  expect(await hasTable(second.endpoint, "kept")).toBe(true);
  await second.stop();
});

test("ends with the process that started it, even if that process is killed", async () => {
  const script = `
    import { subscribe } from "node:diagnostics_channel";
    import { startDynamodb } from "./tools/local/aws/dynamodb.ts";
    let emulator;
    subscribe("child_process", ({ process }) => { emulator = process; });
    await startDynamodb();
    console.log(emulator.pid);
    process.kill(process.pid, "SIGKILL");
  `;
  const pid = await new Promise<number>((resolve) => {
    const flags = ["--import", "tsx", "--input-type=module", "--eval", script];
    execFile(process.execPath, flags, (_error, output) => resolve(Number(output)));
  });
  expect(pid).toBeGreaterThan(0);
  await expect.poll(() => isRunning(pid), { timeout: 20_000 }).toBe(false);
});

/** A process that has ended keeps its id until the system has collected it. Linux shows it with the state Z. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

test("a port that is taken is an error, and the program is ended", async () => {
  const taken = await listenOnLoopback(createServer());
  const port = Number(new URL(taken.endpoint).port);
  const watch = watchPrograms();
  await expect(startDynamodb({ port })).rejects.toThrow(`Port ${port} is taken.`);
  expect(isRunning(watch.stop().at(-1)!.pid!)).toBe(false);
  await taken.stop();
});

/** The programs that are started from now on, until it is stopped. */
function watchPrograms() {
  const started: ChildProcess[] = [];
  const onStart = (message: unknown) => {
    started.push((message as { process: ChildProcess }).process);
  };
  subscribe("child_process", onStart);
  const stop = () => {
    unsubscribe("child_process", onStart);
    return started;
  };
  return { stop };
}

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
  await expect(startDynamodb({ environment })).rejects.toThrow(/nothing responds there/);
});

test("an emulator that does not start is an error with what it said", async () => {
  const dataDirectory = temporaryFolder("tables");
  mkdirSync(join(dataDirectory, "dynamodb.sqlite"));
  await expect(startDynamodb({ dataDirectory })).rejects.toThrow(/did not start: .*database/s);
});
