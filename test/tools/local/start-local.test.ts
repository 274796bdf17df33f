import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import { GetSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import {
  DeleteMessageCommand,
  DeleteQueueCommand,
  type Message,
  ReceiveMessageCommand,
} from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { functionNames } from "../../../infra/config/function-names.ts";
import type { LocalStack } from "../../../tools/local/start-local.ts";
import type { LocalDescription } from "../../../tools/operations/local-stack/local-description.ts";
import { startTestStack, type TestStack } from "../../setup/start-stack.ts";
import { temporaryFolder } from "../../setup/temporary-folder.ts";
import { dynamodbClient, secretsClient, sqsClient } from "./aws/aws-clients.ts";

const folder = temporaryFolder("local");
const localJson = join(folder, "home", "local.json");
let lines: string[] = [];

const config = {
  merchants: ["shop-1"],
  subscribers: [
    { name: "fulfilment", types: ["payment.order.success"] },
    { name: "analytics", types: ["*"], ordered: false },
  ],
  gateway: { baseUrl: "https://payments.example.com" },
  storefront: { access: "iam", redirectOrigins: ["https://shop.example.com"] },
};

async function start(keepData: boolean, changes: object = {}): Promise<TestStack> {
  lines = [];
  return await startTestStack({
    config: { ...config, ...changes },
    clockSpeed: 50,
    directory: join(folder, "home"),
    keepData,
    print: (line) => lines.push(line),
  });
}

/** One start for the tests of a block. */
function useStart(keepData: boolean, changes: object = {}, prepare = () => {}): () => LocalStack {
  let stack: TestStack;
  beforeAll(async () => {
    prepare();
    stack = await start(keepData, changes);
  });
  afterAll(() => stack.stop());
  return () => stack;
}

/** Of a PEM, a line in the middle of the key. */
function longestLine(text: string): string {
  const lines = text.split("\n");
  return lines.reduce((left, right) => (right.length > left.length ? right : left));
}

async function createOrder({ api }: LocalDescription, orderNo: string) {
  const goods = [{ referenceGoodsId: "tea", goodsName: "Tea", goodsAmount: 9.9, goodsQuantity: 1 }];
  const response = await fetch(`${api}/orders`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      order: { orderNo, orderAmount: 9.9, goods },
      channel: "WEB",
      paymentAmount: 9.9,
      currency: "EUR",
    }),
  });
  expect(response.status).toBe(201);
  return (await response.json()) as { paymentId: string; checkoutUrl: string };
}

async function pay({ gateway }: LocalDescription, paymentId: string) {
  const init = { method: "POST", body: "{}" };
  const response = await fetch(`${gateway}/control/orders/${paymentId}/pay`, init);
  expect(response.ok).toBe(true);
}

/** Takes events from a subscriber's queue until one of this type is there. */
async function waitForEvent(
  { aws, queues }: LocalDescription,
  subscriber: string,
  type: string,
): Promise<{ subject: string; data: { flags: string[] } }> {
  const client = sqsClient(aws.sqs);
  const QueueUrl = queues.subscribers[subscriber]!.url;
  for (let attempt = 0; attempt < 40; attempt += 1) {
    const receive = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1 });
    for (const { Body, ReceiptHandle } of (await client.send(receive)).Messages ?? []) {
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      const event = JSON.parse(Body!);
      if (event.type === type) return event;
    }
  }
  throw new Error(`no ${type} came to ${subscriber}`);
}

const tokenOf = ({ description }: LocalStack) => new URL(description.console).search;
let token: string;
let leftByCrash: string;

describe("a first start", () => {
  const stack = useStart(true);

  test("everything that local.json names works with plain clients, on loopback alone", async () => {
    const { description } = stack();
    expect(JSON.parse(readFileSync(localJson, "utf8"))).toEqual(description);
    const { aws, api, gateway, tables, merchants, region } = description;
    expect(region).toBe("us-east-1");
    for (const address of [api, gateway, ...Object.values(aws)]) {
      expect(new URL(address).hostname).toBe("127.0.0.1");
    }
    const [merchant] = merchants;
    const secrets = secretsClient(aws.secretsmanager);
    const read = async (SecretId: string) =>
      JSON.parse((await secrets.send(new GetSecretValueCommand({ SecretId }))).SecretString!);
    const callbackKeys = Object.keys(await read(merchant!.callbackKeys)).sort();
    expect(callbackKeys).toEqual(["aesKey", "servicePublicKey"]);
    const requestKeys = Object.keys(await read(merchant!.requestKeys)).sort();
    expect(requestKeys).toEqual(["aesKey", "merchantPrivateKey"]);
    const Key = { aggregateKey: { S: "x" } };
    const command = new GetItemCommand({ TableName: tables.orders, Key });
    expect((await dynamodbClient(aws.dynamodb).send(command)).Item).toBeUndefined();
    const sqs = sqsClient(aws.sqs);
    const queues = [
      description.queues.inbox,
      description.queues.inboxDeadLetters,
      ...Object.values(description.queues.subscribers).flatMap(({ url, deadLetters }) => [
        url,
        deadLetters,
      ]),
    ];
    for (const QueueUrl of queues) await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
    expect(new Set(queues).size).toBe(6);
    expect(description).not.toHaveProperty("smoke");
    expect(description.queues).not.toHaveProperty("captured");
  });

  test("an order is created unsigned, paid at the simulator with rotated keys, published and settled", async () => {
    const { description } = stack();
    const { gateway, merchants, aws } = description;
    const secrets = secretsClient(aws.secretsmanager);
    const read = async (VersionStage: string) => {
      const SecretId = merchants[0]!.callbackKeys;
      const command = new GetSecretValueCommand({ SecretId, VersionStage });
      return (await secrets.send(command)).SecretString;
    };
    const before = await read("AWSCURRENT");
    const rotating = { method: "POST", body: JSON.stringify({ merchantId: "shop-1" }) };
    expect((await fetch(`${gateway}/control/rotate`, rotating)).status).toBe(200);
    expect(await read("AWSCURRENT")).not.toBe(before);
    expect(await read("AWSPREVIOUS")).toBe(before);
    const { paymentId, checkoutUrl } = await createOrder(description, "A-1");
    expect(checkoutUrl.startsWith(`${gateway}/`)).toBe(true);
    await pay(description, paymentId);
    const event = await waitForEvent(description, "fulfilment", "payment.order.success");
    expect(event).toMatchObject({ subject: "A-1", data: { flags: [] } });
    await waitForEvent(description, "analytics", "payment.order.confirming");
    const order = await (await fetch(`${description.api}/orders/A-1`)).json();
    expect(order).toMatchObject({ orderNo: "A-1", status: "success" });
    // Two callbacks on their way at the same time may arrive the other way round.
    const reported = () => lines.map((line) => line.replace(" [regressed]", "")).sort();
    await expect
      .poll(reported)
      .toEqual([
        "A-1 confirming → analytics ✓",
        `A-1 created, payment ${paymentId}`,
        "A-1 success → fulfilment ✓ analytics ✓",
        "payment service: keys of shop-1 rotated",
      ]);
  });

  test("a second start in the same folder is refused", async () => {
    const { api } = stack().description;
    await expect(start(false)).rejects.toThrow(`is already running in this folder, at ${api}.`);
  });

  test("what the next start must find is there", async () => {
    const { description } = stack();
    token = tokenOf(stack());
    await createOrder(description, "D-1");
    const { paymentId } = await createOrder(description, "D-2");
    await pay(description, paymentId);
    await expect.poll(() => lines).toContainEqual("D-2 success → fulfilment ✓ analytics ✓");
  });
});

describe("the next start with --keep, with smoke tests and capturing in its config", () => {
  const captureUntil = new Date(Date.now() + 3_600_000).toISOString();
  const stack = useStart(true, { smoke: true, callbacks: { captureUntil } });

  test("has the orders, the messages and the console's token", async () => {
    const { description } = stack();
    leftByCrash = readFileSync(localJson, "utf8");
    expect(tokenOf(stack())).toBe(token);
    expect((await fetch(`${description.api}/orders/D-1`)).status).toBe(200);
    const atService = await (await fetch(`${description.gateway}/control/orders`)).json();
    expect(atService).toMatchObject({
      orders: [{ orderNo: "D-2", status: "success" }, { orderNo: "D-1" }, { orderNo: "A-1" }],
    });
    const event = await waitForEvent(description, "fulfilment", "payment.order.success");
    expect(event.subject).toBe("D-2");
  });

  test("names what smoke tests, capturing and commands need, without a secret's value", async () => {
    const { description } = stack();
    const { aws, gateway, queues, merchants, smoke, functions } = description;
    expect(merchants.map(({ merchantId }) => merchantId)).toEqual(["shop-1"]);
    expect(Object.keys(queues.subscribers)).toEqual(["fulfilment", "analytics"]);
    const sqs = sqsClient(aws.sqs);
    for (const QueueUrl of [smoke!.queue, queues.captured!]) {
      await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
    }
    expect(smoke!.merchantId).toBe("paycast-smoke");
    const rotating = { method: "POST", body: JSON.stringify({ merchantId: "paycast-smoke" }) };
    expect((await fetch(`${gateway}/control/rotate`, rotating)).ok).toBe(false);
    const secrets = secretsClient(aws.secretsmanager);
    const read = (SecretId: string) => secrets.send(new GetSecretValueCommand({ SecretId }));
    await expect(read(smoke!.callbackKeys)).rejects.toThrow("AWSCURRENT");
    expect(Object.keys(functions).sort()).toEqual([...functionNames].sort());
    const { environment } = functions["process-callback"]!;
    expect(JSON.parse(environment["SUBSCRIBERS"]!)).toContainEqual({
      name: "paycast-smoke",
      types: ["*"],
      merchants: ["paycast-smoke"],
      queue: smoke!.queue.split("/").at(-1),
    });
    const described = JSON.stringify(description);
    for (const id of [merchants[0]!.callbackKeys, merchants[0]!.requestKeys]) {
      const { profile: _profile, ...keys } = JSON.parse((await read(id)).SecretString!);
      for (const key of Object.values<string>(keys))
        expect(described).not.toContain(longestLine(key));
    }
    expect(described).not.toMatch(/AWS_SECRET_ACCESS_KEY|BEGIN/);
  });

  test("captures a refused callback", async () => {
    const { description } = stack();
    const { api, aws, queues } = description;
    const body = JSON.stringify({
      id: "00000000-0000-4000-8000-000000000001",
      merchantId: "shop-1",
      eventName: "payment.order.success",
      sign: "AAAA",
      timestamp: Date.now(),
      body: "AAAA",
    });
    const receive = new ReceiveMessageCommand({ QueueUrl: queues.captured!, WaitTimeSeconds: 1 });
    let received: Message | undefined;
    // The answer waits for the queue for a short time only, so a busy machine may need a second callback.
    while (received === undefined) {
      const answer = await fetch(`${api}/callbacks`, { method: "POST", body });
      expect(answer.status).toBe(401);
      received = (await sqsClient(aws.sqs).send(receive)).Messages?.[0];
    }
    const message = JSON.parse(received.Body!);
    expect(message).toMatchObject({ version: 1, merchantId: "shop-1", body });
  });
});

describe("a start without --keep, after a crash left local.json", () => {
  const stack = useStart(false, {}, () => writeFileSync(localJson, leftByCrash));

  test("has none of the orders, and the same console's token", async () => {
    expect(tokenOf(stack())).toBe(token);
    expect((await fetch(`${stack().description.api}/orders/D-1`)).status).toBe(404);
  });

  test("tells what was refused, quarantined, returned and refunded, and which faults are on", async () => {
    const { description } = stack();
    const { gateway, aws, queues } = description;
    const tellsOf = (line: string | RegExp) =>
      expect
        .poll(() => lines)
        .toContainEqual(typeof line === "string" ? line : expect.stringMatching(line));
    const post = async (path: string, body: object) =>
      expect((await fetch(gateway + path, { method: "POST", body: JSON.stringify(body) })).ok).toBe(
        true,
      );
    await post("/control/faults", { kind: "wrong-key", orderNo: "S-1", times: 1 });
    const paid = await createOrder(description, "S-1");
    await pay(description, paid.paymentId);
    await tellsOf("rejected wrong-signature shop-1");
    await tellsOf("S-1 success → fulfilment ✓ analytics ✓");
    const faultLines = lines.filter((line) => line.includes("fault wrong-key"));
    const hints = ["on", "off"].map(
      (state) => `payment service: fault wrong-key for S-1 is ${state}`,
    );
    expect(faultLines).toEqual(hints);
    await post("/control/faults", { kind: "unknown-event", orderNo: "S-2" });
    await tellsOf("payment service: fault unknown-event for S-2 is on");
    await pay(description, (await createOrder(description, "S-2")).paymentId);
    await tellsOf(/^process-callback quarantined event-unknown S-2 \(.+\)$/);
    const QueueUrl = queues.subscribers["fulfilment"]!.url;
    await sqsClient(aws.sqs).send(new DeleteQueueCommand({ QueueUrl }));
    await post(`/control/orders/${paid.paymentId}/refund`, {});
    await tellsOf(/^S-1 refund success → analytics ✓$/);
    await pay(description, (await createOrder(description, "S-3")).paymentId);
    await tellsOf(
      /^S-3 success → analytics ✓ fulfilment ✗ \w*QueueDoesNotExist\w* \(will retry\)$/,
    );
    expect(lines.filter((line) => /GET|POST|from |schedule|[{}]/.test(line))).toEqual([]);
  });
});
