import { generateKeyPairSync } from "node:crypto";
import { CreateSecretCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { describe, expect, test } from "vitest";
import type { AttemptEnd } from "../../shared/orders/creation.ts";
import { newOrder } from "../../shared/orders/order.ts";
import { createOrder } from "../../shared/storefront/create-order.ts";
import { randomName } from "../integration/aws-stores.ts";
import { to } from "../integration/fault-proxy.ts";
import { logOf } from "../integration/flow.ts";
import { orderBody, orderNoOf } from "./order.ts";
import { useShops } from "./shop.ts";

const makeShop = useShops();
const problem = (kind: string) => `urn:paycast:problem:${kind}`;

describe("keys of ours that cannot be used", () => {
  test.each([
    ["were never set", "keys-unset", undefined],
    [
      "are malformed",
      "keys-invalid",
      '{"aesKey":"canary-key-material","merchantPrivateKey":"none"}',
    ],
  ])(
    "because they %s are 503 unavailable; nothing is sent, and the number is free",
    async (_case, reason, SecretString) => {
      const shop = await makeShop();
      const { merchantId } = shop.world.merchant;
      const Name = randomName("request-keys");
      await shop.world.secrets.send(
        new CreateSecretCommand({ Name, ...(SecretString && { SecretString }) }),
      );
      const REQUEST_KEYS = JSON.stringify({ [merchantId]: Name });
      const instance = await shop.start("create-order", { REQUEST_KEYS });
      const body = orderBody();
      const event = { body: JSON.stringify(body), isBase64Encoded: false };
      const outcome = await instance.invoke(event);
      expect(outcome).toMatchObject({ kind: "returned", value: { statusCode: 503 } });
      expect(JSON.stringify(outcome)).toContain(problem("unavailable"));
      expect(JSON.stringify(outcome)).not.toMatch(/key/i);
      expect(logOf(instance)).toMatchObject([
        { outcome: "keys-problem", reason, merchantId },
        {
          outcome: "problem",
          reason: reason,
          merchantId,
          orderNo: orderNoOf(body),
          httpStatus: 503,
          ServerFault: 1,
        },
      ]);
      expect(shop.simulator.orders()).toEqual([]);
      expect((await shop.get(`/orders/${orderNoOf(body)}`)).status).toBe(404);
      expect(await shop.order(orderNoOf(body))).toMatchObject({ attempts: [{ state: "refused" }] });
    },
  );
});

describe("keys of ours that the service does not accept", () => {
  const wrongKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const wrongPem = wrongKey.export({ type: "pkcs8", format: "pem" });

  test.each([
    ["are read again before the next order after a refusal", [], 201],
    ["are not read again if the config says that the caller caused it", ["40102"], 502],
  ])("%s", async (_case, callerCodes, statusAfterCorrection) => {
    const shop = await makeShop({ gateway: { callerCodes } });
    const { merchantId, requestSecret } = shop.world.merchant;
    const right = requestSecret();
    const SecretId = randomName("request-keys");
    const wrong = JSON.stringify({ ...JSON.parse(right), merchantPrivateKey: wrongPem });
    const { secrets } = shop.world;
    await secrets.send(new CreateSecretCommand({ Name: SecretId, SecretString: wrong }));
    const REQUEST_KEYS = JSON.stringify({ [merchantId]: SecretId });
    const instance = await shop.start("create-order", { REQUEST_KEYS });
    const create = async () => {
      const body = JSON.stringify(orderBody());
      return await instance.invoke({ body, isBase64Encoded: false });
    };
    expect(await create()).toMatchObject({ value: { statusCode: 502 } });
    expect(logOf(instance).at(-1)).toMatchObject({ serviceCode: "40102" });
    await secrets.send(new PutSecretValueCommand({ SecretId, SecretString: right }));
    expect(await create()).toMatchObject({ value: { statusCode: statusAfterCorrection } });
  });
});

test("a table that is down is 503, and the service gets no call", async () => {
  const shop = await makeShop();
  const { faults } = await shop.creator();
  faults.fail(to("dynamodb"), { kind: "cut" });
  const answer = await shop.create();
  expect(answer).toMatchObject({ status: 503, body: { type: problem("unavailable") } });
  expect(shop.simulator.orders()).toEqual([]);
});

test("an error that nobody foresaw leaves the outcome unknown: the number is not free", async () => {
  const ends: AttemptEnd[] = [];
  const order = newOrder("M1", "A");
  const notUsed = () => Promise.reject(new Error("This is not used here."));
  const body = JSON.stringify(orderBody());
  const answer = await createOrder(
    { body, isBase64Encoded: false },
    {
      newId: () => "attempt",
      merchantIds: ["M1"],
      redirects: { loopback: false },
      shortOrderNumbers: false,
      exactSums: true,
      callerCodes: [],
      callbackUrl: "https://callbacks.example/callbacks",
      loadOrder: notUsed,
      loadPayments: notUsed,
      begin: async () => ({ beginning: { kind: "begun", order, attemptId: "one" }, order }),
      createPayment: () => Promise.reject(new TypeError("a fault of ours")),
      storePayment: notUsed,
      storeOtherOrder: notUsed,
      end: async (_order, _attempt, end) => void ends.push(end),
      now: Date.now,
      log: () => undefined,
      logAsCounter: () => undefined,
    },
  );
  expect(answer.statusCode).toBe(503);
  expect(ends).toEqual([{ state: "unknown" }]);
});

test("news that cannot be stamped is not reported: GET answers stale, and the order keeps its status", async () => {
  const shop = await makeShop();
  const { body } = await shop.create();
  const orderNo = String(body["orderNo"]);
  shop.simulator.pay(String(body["paymentId"]));
  const Name = randomName("stamp-key");
  await shop.world.secrets.send(new CreateSecretCommand({ Name }));
  const instance = await shop.start("query-order", { STAMP_KEY: Name });
  const outcome = await instance.invoke({
    routeKey: "GET /orders/{orderNo+}",
    pathParameters: { orderNo },
  });
  const value = { statusCode: 200, body: expect.stringContaining('"stale":true') };
  expect(outcome).toMatchObject({ kind: "returned", value });
  expect(JSON.stringify(outcome)).toContain('\\"status\\":\\"pending\\"');
  expect(logOf(instance)).toMatchObject([
    { outcome: "keys-problem", reason: "keys-unset", KeysProblem: 1 },
    { outcome: "query-failed", reason: "keys-unset" },
    { outcome: "stale", QueryFailed: 1 },
  ]);
});
