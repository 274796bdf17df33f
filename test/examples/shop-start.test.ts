import { createHash, createHmac } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { type Listening, listenOnLoopback } from "../../tools/local/aws/listen-on-loopback.ts";
import { chooseShopAddress } from "../../tools/local/shop-address.ts";
import { until } from "../end-to-end/running-stack.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";
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
    queues: { subscribers },
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
  const message = "No local stack runs here. Start it in another terminal: npm start";
  await expectRefusal(start(), message);
});

test("a file that a crashed stack left behind is no stack", async () => {
  const api = await chooseShopAddress(0);
  describeStack({ api });
  const message = `The local stack does not answer at ${api}. Start it again: npm start`;
  await expectRefusal(start(), message);
});

test("a config without the shop's subscriber is refused by name", async () => {
  describeStack({ api: await listen(), queues: { subscribers: {} } });
  const message = "The stack's config has no subscriber fulfilment. The shop reads its queue.";
  await expectRefusal(start(), message);
});

test("a port that is taken is an error that says why it must be this one", async () => {
  const taken = await listen();
  describeStack({ api: await listen(), shop: taken });
  const { port } = new URL(taken);
  await expectRefusal(
    start(),
    `The shop cannot open port ${port}: another program uses it. It must be this port, since the checkout sends people back to it. Is the shop already open?`,
  );
});

test("for a deployed stack the queue must be named", async () => {
  const message = "PAYCAST_QUEUE_URL must name the queue of your subscriber.";
  await expectRefusal(start({ PAYCAST_API: "https://paycast.example" }), message);
});

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const checkoutUrl = "https://pay.example/checkout/1";
const credentials = { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "sample-secret" };

/** Buys a packet of Sencha through the shop of a deployed stack, and gives what its API received. */
async function buyFromDeployed(environment: Record<string, string>): Promise<Received> {
  const received: Received[] = [];
  const created = { status: "pending", stale: false, checkoutUrl };
  const api = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) });
    response.writeHead(201).end(JSON.stringify({ ...created, refunds: [], flags: [] }));
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
  expect(await pressPay(address)).toBe(checkoutUrl);
  return received[0]!;
}

async function pressPay(address: string) {
  const post = (path: string, cookie: string, fields: Record<string, string>) =>
    fetch(address + path, {
      method: "POST",
      redirect: "manual",
      headers: { origin: address, cookie },
      body: new URLSearchParams(fields),
    });
  const cookie = (await fetch(address)).headers.get("set-cookie")!.split(";")[0]!;
  await post("/basket", cookie, { add: "sencha" });
  const shelf = await (await fetch(address, { headers: { cookie } })).text();
  const [, basket = ""] = /name="basket" value="(\w+)"/.exec(shelf) ?? [];
  return (await post("/pay", cookie, { basket })).headers.get("location");
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

function hash(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}

function hmac(key: Buffer, content: string): Buffer {
  return createHmac("sha256", key).update(content).digest();
}
