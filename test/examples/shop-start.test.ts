import { createHash, createHmac } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { CreateQueueCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterEach, expect, test } from "vitest";
import { testEvent } from "../../shared/consumer/test-events.ts";
import { type Listening, listenOnLoopback } from "../../tools/local/aws/listen-on-loopback.ts";
import { startSqs } from "../../tools/local/aws/sqs/start-sqs.ts";
import { chooseShopAddress } from "../../tools/local/shop-address.ts";
import { until } from "../end-to-end/running-stack.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";
import { sqsClient } from "../tools/local/aws/aws-clients.ts";
import { guideFlags } from "./guide-flags.ts";
import { type SpawnedShop, spawnShop } from "./running-shop.ts";

const folder = temporaryFolder("shop");
const listening: Listening[] = [];
const shops: SpawnedShop[] = [];

afterEach(async () => {
  for (const shop of shops.splice(0)) {
    shop.interrupt();
    await shop.ended;
  }
  await Promise.all(listening.splice(0).map(({ stop }) => stop()));
});

async function listen(server = createServer((_request, response) => void response.end())) {
  const started = await listenOnLoopback(server);
  listening.push(started);
  return started.endpoint;
}

function start(environment: Record<string, string> = {}) {
  const shop = spawnShop({ PAYCAST_DIRECTORY: folder, ...environment });
  shops.push(shop);
  return shop;
}

function describeStack(changes: object) {
  const subscribers = { fulfilment: { url: "http://127.0.0.1:1/queue" } };
  const description = {
    shop: "http://127.0.0.1:1",
    region: "us-east-1",
    aws: { sqs: "http://127.0.0.1:1" },
    queues: { subscribers, readInLab: [] },
    ...changes,
  };
  writeFileSync(join(folder, "local.json"), JSON.stringify(description));
}

async function expectRefusal(shop: SpawnedShop, message: string) {
  expect(await shop.ended).toBe(1);
  expect(shop.output()).toBe(`${message}\n`);
}

test("without a local stack the shop says how to start one", async () => {
  rmSync(join(folder, "local.json"), { force: true });
  const message = "No local stack is running here. Start it in another terminal: npm start";
  await expectRefusal(start(), message);
});

test("a port that is taken is an error that names it", async () => {
  const taken = await listen();
  describeStack({ api: await listen(), shop: taken });
  const { port } = new URL(taken);
  const message = `The shop cannot open ${taken}: listen EADDRINUSE: address already in use 127.0.0.1:${port}`;
  await expectRefusal(start(), message);
});

test("for a deployed stack the queue must be named", async () => {
  const message = "PAYCAST_QUEUE_URL must name your subscriber's queue.";
  await expectRefusal(start({ PAYCAST_API: "https://paycast.example" }), message);
});

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const checkoutUrl = "https://pay.example/checkout/1";
const credentials = { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "sample-secret" };

/** The shop of a deployed stack, whose API is a double that creates every order. */
async function openDeployed(environment: Record<string, string>, changes: object = {}) {
  const received: Received[] = [];
  const created = { status: "pending", stale: false, checkoutUrl };
  const api = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) });
    response.writeHead(201).end(JSON.stringify({ ...created, refunds: [], flags: [], ...changes }));
  });
  const address = await chooseShopAddress(0);
  const shop = start({
    ...credentials,
    AWS_REGION: "eu-west-1",
    // A queue in which nothing comes.
    AWS_ENDPOINT_URL_SQS: await listen(createServer(() => {})),
    PAYCAST_API: await listen(api),
    PAYCAST_QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/123456789012/fulfilment.fifo",
    SHOP_PORT: new URL(address).port,
    ...environment,
  });
  await until("the shop to open", () => (shop.output().includes("is open") ? true : undefined));
  return { shop, address, received };
}

/** Buys a packet of Sencha, and gives what the API received. */
async function buyFromDeployed(environment: Record<string, string>): Promise<Received> {
  const { address, received } = await openDeployed(environment);
  expect(await pressPay(address)).toBe(checkoutUrl);
  return received[0]!;
}

async function pressPay(address: string, orderNo = "TEA-0123456789ABCDEF") {
  const answer = await fetch(`${address}/orders`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: address },
    body: new URLSearchParams({ orderNo, tea: "sencha" }),
  });
  return answer.headers.get("location");
}

test("on a deployed stack each call is signed with AWS credentials, as API Gateway checks it", async () => {
  const { headers, body } = await buyFromDeployed({});
  const { authorization = "" } = headers;
  const [, scope = "", names = "", signature = ""] =
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/(\S+), SignedHeaders=(\S+), Signature=(\w+)$/.exec(
      authorization,
    ) ?? [];
  const [date = "", region = "", service = ""] = scope.split("/");
  expect([region, service]).toEqual(["eu-west-1", "execute-api"]);
  expect(names.split(";")).toContain("host");
  const signed = names.split(";").map((name) => `${name}:${headers[name]}\n`);
  const canonical = `POST\n/orders\n\n${signed.join("")}\n${names}\n${hash(body)}`;
  const toSign = `AWS4-HMAC-SHA256\n${headers["x-amz-date"]}\n${scope}\n${hash(canonical)}`;
  const key = [date, region, service, "aws4_request"].reduce<Buffer>(
    (above, part) => hmac(above, part),
    Buffer.from("AWS4sample-secret"),
  );
  expect(signature).toBe(hmac(key, toSign).toString("hex"));
  expect(JSON.parse(body)).toMatchObject({
    paymentAmount: "6.40",
    order: { orderAmount: "6.40", goods: [{ referenceGoodsId: "sencha", goodsQuantity: 1 }] },
  });
});

test("on a stack that wants tokens each call carries one", async () => {
  const { headers } = await buyFromDeployed({ PAYCAST_TOKEN: "a.b.c" });
  expect(headers.authorization).toBe("Bearer a.b.c");
});

test.each([
  ["stale, so that there is no button: nobody pays twice", true, []],
  ["certain, so that the next try has the next number", false, ["TEA-0123456789ABCDEF-2"]],
])("the end of an order may be %s", async (_case, stale, offered) => {
  const { address } = await openDeployed({}, { status: "timeout", stale });
  const orderNo = "TEA-0123456789ABCDEF";
  await pressPay(address, orderNo);
  const page = await (await fetch(`${address}/orders/${orderNo}`)).text();
  expect(page).toContain("The time to pay is over");
  const numbers = [...page.matchAll(/name="orderNo" value="([\w-]+)"/g)].map(
    ([, number]) => number,
  );
  expect(numbers).toEqual(offered);
});

test("a payment that a person must look at is not packed, and every other one is", async () => {
  const sqs = await startSqs();
  const client = sqsClient(sqs.endpoint);
  const create = new CreateQueueCommand({
    QueueName: "shop.fifo",
    Attributes: { FifoQueue: "true" },
  });
  const QueueUrl = (await client.send(create)).QueueUrl!;
  const queue = { AWS_ENDPOINT_URL_SQS: sqs.endpoint, PAYCAST_QUEUE_URL: QueueUrl };
  const { shop, address } = await openDeployed(queue);
  /** What the terminal says about a payment with this flag. */
  const packPaid = async (flag: string, index: number) => {
    const orderNo = `TEA-${String(index).padStart(16, "0")}`;
    await pressPay(address, orderNo);
    const event = testEvent("payment.order.success", { orderNo, flags: [flag] });
    const MessageBody = JSON.stringify(event);
    const group = { MessageGroupId: orderNo, MessageDeduplicationId: orderNo };
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody, ...group }));
    const line = new RegExp(`^(.*pack .*)${orderNo}(.*)$`, "m");
    return await until("the shop's line", () => line.exec(shop.output())?.slice(1).join("IT"));
  };
  const flags = [...guideFlags.stopping, ...guideFlags.others];
  const said = await Promise.all(flags.map(packPaid));
  for (const [index, flag] of flags.entries()) {
    const isStopping = guideFlags.stopping.includes(flag);
    expect(said[index], flag).toMatch(
      isStopping ? /^do not pack IT: .+\.$/ : /^pack Sencha for IT$/,
    );
  }
  await sqs.stop();
});

function hash(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}

function hmac(key: Buffer, content: string): Buffer {
  return createHmac("sha256", key).update(content).digest();
}
