import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  CloudFormationClient,
  UpdateTerminationProtectionCommand,
} from "@aws-sdk/client-cloudformation";
import { ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { ListQueuesCommand, ReceiveMessageCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type AwsClients,
  createAwsClients,
  localCredentials,
} from "../../local/aws/aws-clients.ts";
import { localRegion } from "../../local/aws/emulator.ts";
import type { Simulator } from "../../simulator/start-simulator.ts";
import { until } from "../end-to-end/running-stack.ts";
import { openShop } from "../end-to-end/shop.ts";
import { scan } from "../integration/aws-stores.ts";
import type { Stack } from "./double/stacks.ts";
import { documentedConfig, documentedSteps, realApp, useOperator } from "./operator.ts";
import { type Running, runFunctions, startService } from "./running-functions.ts";

const slow = 240_000;
const config = documentedConfig();
const name = String(config["name"]);
const [findKept = "", importKept = "", deployRest = "", ...checks] =
  documentedSteps("A lost stack");
const operator = useOperator();
let aws: AwsClients;
let service: Simulator;
let lost: Stack;
let port = 0;

beforeAll(async () => {
  aws = createAwsClients(operator.emulators());
  writeFileSync(join(operator.folder, "prod.json"), JSON.stringify(config));
  operator.setApp(realApp);
  await succeed(deployRest);
  // Synthesizing takes seconds, and each later command would make the same app again.
  operator.setApp("cdk.out");
  lost = operator.aws().stacks.find(name);
  service = await startService("ShopEurope", lost, operator.emulators());
  await processOrder("PAID-1");
  await leaveInInbox("WAITING-1");
}, slow);

afterAll(async () => {
  await service.stop();
  aws.destroy();
});

test("termination protection keeps the stack from being deleted", { timeout: slow }, async () => {
  const { err, code } = await operator.type("npx cdk destroy -c config=prod.json --force");
  expect(err).toContain("TerminationProtection is enabled");
  expect(code).toBe(1);
  expect(lost.status).toBe("CREATE_COMPLETE");
});

test("a deleted stack leaves all that holds payments, and no function", {
  timeout: slow,
}, async () => {
  await switchProtectionOff();
  await succeed("npx cdk destroy -c config=prod.json --force");
  expect(lost.status).toBe("DELETE_COMPLETE");
  expect(typesLeft()).toEqual({
    "AWS::DynamoDB::Table": 2,
    "AWS::Logs::LogGroup": 1,
    "AWS::SecretsManager::Secret": 2,
    "AWS::SQS::Queue": 6,
    "AWS::SQS::QueuePolicy": 6,
  });
  expect([...operator.aws().account.others].join()).not.toContain("AWS::Lambda");
});

test("the documented commands put it into a new stack", { timeout: slow }, async () => {
  const before = await storesInAccount();
  await succeed(findKept);
  await succeed(importKept);
  expect(rebuilt()).toMatchObject({ status: "IMPORT_COMPLETE" });
  expect(rebuilt().resources.size).toBe(11);
  await succeed(deployRest);
  expect(rebuilt()).toMatchObject({ status: "UPDATE_COMPLETE", isProtected: true });
  expect(rebuilt().id).not.toBe(lost.id);
  expect(storesOf(rebuilt())).toEqual(storesOf(lost));
  // The queue of smoke tests was deleted with the stack and is made anew.
  expect((await storesInAccount()).length).toBe(before.length + 1);
  expect(checks).toEqual([
    `npx paycast check --stack ${name}`,
    `npx paycast smoke --stack ${name} --yes`,
  ]);
});

test("the functions go on where they stopped", { timeout: slow }, async () => {
  await withFunctions({ readsInbox: true }, async ({ stack, lines }) => {
    await until("the waiting callback", () => processed(lines, "WAITING-1"));
    await sendAgain("PAID-1");
    const again = await until("the old callback", () => processed(lines, "PAID-1"));
    expect(again["outcome"]).toBe("duplicate");
    const answer = await fetch(`${stack.api}/orders/PAID-1`);
    expect(await answer.json()).toMatchObject({ orderNo: "PAID-1", status: "success" });
  });
  const subjects = (await eventsIn("SubscribersledgerQueue")).map(({ subject }) => subject);
  expect(subjects.sort()).toEqual(["PAID-1", "WAITING-1"]);
});

async function succeed(line: string): Promise<void> {
  const { out, err, code } = await operator.type(line);
  expect({ code, told: code === 0 ? "" : `${line}\n${out}\n${err}` }).toEqual({
    code: 0,
    told: "",
  });
}

function rebuilt(): Stack {
  return operator.aws().stacks.find(name);
}

/** Gives the work the functions of the stack that there is now. */
async function withFunctions<T>(
  how: { readonly readsInbox: boolean },
  work: (running: Running) => Promise<T>,
): Promise<T> {
  const gateway = JSON.parse(JSON.stringify(config["gateway"])).baseUrl;
  const surroundings = {
    ...{ emulators: operator.emulators(), port, origins: { [gateway]: service.url } },
    assetDirectory: join(operator.folder, "cdk.out"),
  };
  const running = await runFunctions(rebuilt(), surroundings, how);
  port = Number(new URL(running.stack.api).port);
  try {
    return await work(running);
  } finally {
    await running.stack.stop();
  }
}

/** A paid order whose event waits in the subscribers' queues. */
async function processOrder(orderNo: string): Promise<void> {
  await withFunctions({ readsInbox: true }, async ({ stack, lines }) => {
    await pay(stack.api, orderNo);
    const { outcome } = await until("the callback", () => processed(lines, orderNo));
    expect(outcome).toBe("published");
  });
}

/** A paid order whose callback was acknowledged and is not yet processed. */
async function leaveInInbox(orderNo: string): Promise<void> {
  await withFunctions({ readsInbox: false }, async ({ stack, lines }) => {
    await pay(stack.api, orderNo);
    await until("the callback", () => lines.find(({ outcome }) => outcome === "accepted"));
  });
}

async function pay(api: string, orderNo: string): Promise<void> {
  const shop = openShop({ api, gateway: service.url } as Parameters<typeof openShop>[0]);
  const { status, body } = await shop.create(orderNo);
  expect({ status, body }).toMatchObject({ status: 201 });
  service.pay(body.paymentId);
}

function processed(lines: Running["lines"], orderNo: string) {
  return lines.find(
    (line) => line["service"] === "process-callback" && line["orderNo"] === orderNo,
  );
}

/** As SQS does at least once: the same message, long after its deduplication id was forgotten. */
async function sendAgain(orderNo: string): Promise<void> {
  const records = await scan(aws.dynamodb, physicalIdOf("RecordsCallbacks"));
  const record = records.find(({ message }) => String(message).includes(orderNo));
  await aws.sqs.send(
    new SendMessageCommand({
      QueueUrl: physicalIdOf("InboxMessagesQueue"),
      MessageBody: String(record?.["message"]),
      MessageGroupId: String(record?.["group"]),
      MessageDeduplicationId: "again",
    }),
  );
}

async function eventsIn(queue: string): Promise<{ subject: string }[]> {
  const QueueUrl = physicalIdOf(queue);
  const events: { subject: string }[] = [];
  for (let taken = 1; taken > 0; ) {
    const { Messages = [] } = await aws.sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
    );
    taken = Messages.length;
    events.push(...Messages.map(({ Body = "" }) => JSON.parse(Body)));
  }
  return events;
}

function physicalIdOf(beginning: string): string {
  const ids = [...rebuilt().resources].filter(([id]) =>
    new RegExp(`^${beginning}[0-9A-F]{8}$`).test(id),
  );
  expect(ids).toHaveLength(1);
  return ids[0]![1].physicalId;
}

async function switchProtectionOff(): Promise<void> {
  const client = new CloudFormationClient({
    ...{ endpoint: operator.aws().endpoint, region: localRegion, credentials: localCredentials },
  });
  await client.send(
    new UpdateTerminationProtectionCommand({ StackName: name, EnableTerminationProtection: false }),
  );
  client.destroy();
}

/** How many resources of each type the deleted stack left. */
function typesLeft(): Record<string, number> {
  const left = [...lost.resources.values()].filter(({ status }) => status === "DELETE_SKIPPED");
  const types = left.map(({ type }) => type).sort();
  return Object.fromEntries(
    [...new Set(types)].map((type) => [type, types.filter((one) => one === type).length]),
  );
}

/** Tables and queues that are there, whoever they belong to. */
async function storesInAccount(): Promise<string[]> {
  const { TableNames = [] } = await aws.dynamodb.send(new ListTablesCommand({}));
  const { QueueUrls = [] } = await aws.sqs.send(new ListQueuesCommand({}));
  return [...TableNames, ...QueueUrls];
}

/** What the stack keeps when it is deleted, by logical id. */
function storesOf({ resources, template }: Stack): Record<string, string> {
  const kept = [...resources].filter(
    ([id, { type }]) =>
      type !== "AWS::SQS::QueuePolicy" &&
      template.Resources[id]?.DeletionPolicy?.startsWith("Retain"),
  );
  return Object.fromEntries(kept.map(([id, { physicalId }]) => [id, physicalId]));
}
