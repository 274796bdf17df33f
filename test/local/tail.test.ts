import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startSqs } from "../../local/aws/sqs.ts";
import { writeDescription } from "../../local/description-file.ts";
import { sqsClient } from "./aws/aws-clients.ts";

const folder = mkdtempSync(join(tmpdir(), "paycast-tail-"));
let sqs: Awaited<ReturnType<typeof startSqs>>;
let queueUrl: string;
let child: ChildProcess | undefined;

beforeAll(async () => {
  sqs = await startSqs();
  const create = new CreateQueueCommand({ QueueName: "fulfilment" });
  queueUrl = (await sqsClient(sqs.endpoint).send(create)).QueueUrl!;
});
afterEach(() => {
  child?.kill("SIGKILL");
});
afterAll(async () => {
  await sqs.stop();
  rmSync(folder, { recursive: true });
});

function describeRunningStack() {
  const none = "http://127.0.0.1:1";
  const subscribers = { fulfilment: { url: queueUrl, deadLetters: "" } };
  writeDescription(folder, {
    api: none,
    gateway: none,
    aws: { sqs: sqs.endpoint, dynamodb: none, secretsmanager: none },
    region: "us-east-1",
    queues: { inbox: "", inboxDeadLetters: "", subscribers },
    tables: { callbacks: "", orders: "" },
    merchants: [],
    functions: {},
  });
}

function tail(...names: string[]) {
  const started = spawn(process.execPath, ["--import", "tsx", "local/tail.ts", ...names], {
    env: { ...process.env, PAYCAST_DIRECTORY: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child = started;
  let output = "";
  for (const stream of [started.stdout, started.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const ended = new Promise<number | null>((resolve) => started.once("exit", resolve));
  return { ended, output: () => output };
}

test("without a local stack the message says how to start one", async () => {
  const { ended, output } = tail("fulfilment");
  expect(await ended).toBe(1);
  expect(output()).toBe("No local stack is running here. Start it with npm start.\n");
});

test("without a name, or with a wrong one, the message lists the names", async () => {
  describeRunningStack();
  for (const names of [[], ["fulfillment"]]) {
    const { ended, output } = tail(...names);
    expect(await ended).toBe(1);
    expect(output()).toContain("The stack has: fulfilment.");
  }
});

test("events are printed as they arrive, a line each, and taken from the queue", async () => {
  describeRunningStack();
  const client = sqsClient(sqs.endpoint);
  const { output } = tail("fulfilment");
  for (const MessageBody of ['{"id":"1"}', '{"id":"2"}']) {
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody }));
  }
  await expect
    .poll(() => output().split("\n").sort(), { timeout: 20_000 })
    .toEqual(["", '{"id":"1"}', '{"id":"2"}']);
  const left = async () => {
    const AttributeNames = ["All" as const];
    const command = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames });
    const { Attributes } = await client.send(command);
    return [
      Attributes?.["ApproximateNumberOfMessages"],
      Attributes?.["ApproximateNumberOfMessagesNotVisible"],
    ];
  };
  await expect.poll(left).toEqual(["0", "0"]);
});
