import { randomUUID } from "node:crypto";
import { PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { describe, expect, test } from "vitest";
import { type InboxMessage, readInboxMessage } from "../../shared/inbox/inbox-message.ts";
import { makeMerchant, merchantPair } from "../builders/merchant.ts";
import { drain } from "./aws-stores.ts";
import { paymentCallback } from "./callbacks.ts";
import { to } from "./fault-proxy.ts";
import { logOf, post } from "./flow.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();
const keyVersionOf = (message: InboxMessage) =>
  message.origin === "callback" ? message.keyVersion : undefined;

const notStored = {
  statusCode: 503,
  headers: { "content-type": "application/json" },
  body: '{"code":50300,"msg":"not stored, send it again"}',
};
const minute = 60_000;
const day = 24 * 60 * minute;

async function rotate(world: World) {
  const next = makeMerchant({ merchantId: world.merchant.merchantId, servicePair: merchantPair() });
  await world.secrets.send(
    new PutSecretValueCommand({ SecretId: world.secretId, SecretString: next.callbackSecret() }),
  );
  return { ...world, merchant: next };
}

describe("keys that cannot be used are no reason to refuse a callback", () => {
  const { servicePublicKey } = JSON.parse(makeMerchant().callbackSecret());
  test.each([
    ["never set", null, "keys-unset"],
    ["no JSON", "not-json-but-secret", "keys-invalid"],
    ["without a key", '{"aesKey":"QUJDREVGR0hJSktMTU5PUA=="}', "keys-invalid"],
    [
      "a key of a wrong length",
      JSON.stringify({ aesKey: "QUJD", servicePublicKey }),
      "keys-invalid",
    ],
    [
      "a profile that is none",
      JSON.stringify({ aesKey: "QUJDREVGR0hJSktMTU5PUA==", servicePublicKey, profile: { iv: 7 } }),
      "profile-invalid",
    ],
  ])("503: a secret that is %s", async (_case, secret, errorCode) => {
    const world = await makeWorld({ secret });
    if (secret !== null) world.canaries.add(secret);
    const receiver = await world.start("receive-callback");
    expect(await post(receiver, paymentCallback(world))).toEqual(notStored);
    expect(logOf(receiver).at(-1)).toMatchObject({
      outcome: "not-stored",
      reason: errorCode,
      NotStored: 1,
      KeysUnavailable: 1,
    });
  });

  test("503: a secret that does not exist", async () => {
    const world = await makeWorld();
    const CALLBACK_KEYS = JSON.stringify({ [world.merchant.merchantId]: "no-such-secret" });
    const receiver = await world.start("receive-callback", { CALLBACK_KEYS });
    expect(await post(receiver, paymentCallback(world))).toEqual(notStored);
  });

  test("as soon as they are set, callbacks are taken", async () => {
    const world = await makeWorld({ secret: null });
    const receiver = await world.start("receive-callback");
    expect(await post(receiver, paymentCallback(world))).toEqual(notStored);
    const SecretString = world.merchant.callbackSecret();
    await world.secrets.send(new PutSecretValueCommand({ SecretId: world.secretId, SecretString }));
    receiver.advance(3_000);
    expect((await post(receiver, paymentCallback(world))).statusCode).toBe(200);
  });

  test.each(["cut", "stall"] as const)(
    "503 on a cold instance: Secrets Manager's answer is %s",
    async (kind) => {
      const world = await makeWorld();
      const receiver = await world.start("receive-callback", {}, (faults) =>
        faults.fail(to("secretsmanager"), { kind }),
      );
      expect(await post(receiver, paymentCallback(world))).toEqual(notStored);
      receiver.faults.heal();
      receiver.advance(3_000);
      expect((await post(receiver, paymentCallback(world))).statusCode).toBe(200);
    },
  );

  test("503 on a cold instance that may not read the secret", async () => {
    const world = await makeWorld();
    const error = { status: 400, type: "AccessDeniedException" };
    const receiver = await world.start("receive-callback", {}, (faults) =>
      faults.fail(to("secretsmanager"), { kind: "refuse", error }),
    );
    expect(await post(receiver, paymentCallback(world))).toEqual(notStored);
  });
});

describe("keys that are cached", () => {
  test("go on serving while Secrets Manager is down, however old they are", async () => {
    const world = await makeWorld();
    const receiver = await world.start("receive-callback");
    receiver.faults.fail(to("secretsmanager"), { kind: "cut" });
    receiver.advance(3 * day);
    for (const _turn of "12") {
      const envelope = paymentCallback(world, {}, { nowMilliseconds: Date.now() + 3 * day });
      expect((await post(receiver, envelope)).statusCode).toBe(200);
    }
    const tries = receiver.faults.calls.filter(to("secretsmanager")).length;
    const envelope = paymentCallback(world, {}, { nowMilliseconds: Date.now() + 3 * day });
    await post(receiver, envelope);
    expect(receiver.faults.calls.filter(to("secretsmanager"))).toHaveLength(tries);
    expect(logOf(receiver)).toContainEqual(
      expect.objectContaining({ outcome: "keys-problem", reason: "keys-unreachable" }),
    );
  });

  test("are looked up again after five minutes, once for all who come at the same time", async () => {
    const world = await makeWorld();
    const receiver = await world.start("receive-callback");
    const primed = receiver.faults.calls.length;
    receiver.advance(6 * minute);
    await Promise.all(Array.from({ length: 20 }, () => post(receiver, paymentCallback(world))));
    // Not those for the previous version: the SDK repeats a refused call when it finds its clock wrong.
    const lookups = receiver.faults.calls
      .slice(primed)
      .filter(({ input }) => input["VersionStage"] === "AWSCURRENT");
    const secrets = lookups.map(({ input }) => input["SecretId"]);
    expect(secrets.sort()).toEqual([world.secretId, world.stampKeyId].sort());
  });
});

describe("a rotation", () => {
  test("is picked up by the first callback under the new keys, which is taken", async () => {
    const world = await makeWorld();
    const receiver = await world.start("receive-callback");
    expect((await post(receiver, paymentCallback(world))).statusCode).toBe(200);
    const rotated = await rotate(world);
    expect((await post(receiver, paymentCallback(rotated))).statusCode).toBe(200);
    expect(logOf(receiver).at(-1)).toMatchObject({ keyStage: "current", Accepted: 1 });
    expect(logOf(receiver).at(-1)).toHaveProperty("VerifiedByCurrent", 1);
  });

  test("is picked up at most once a minute: a forger cannot make us ask again and again", async () => {
    const world = await makeWorld();
    const receiver = await world.start("receive-callback");
    await post(receiver, { ...paymentCallback(world), id: randomUUID() });
    const rotated = await rotate(world);
    expect((await post(receiver, paymentCallback(rotated))).statusCode).toBe(401);
    receiver.advance(61_000);
    expect((await post(receiver, paymentCallback(rotated))).statusCode).toBe(200);
  });

  test("leaves the previous keys good for their time, and counts who uses them after a day", async () => {
    const world = await makeWorld();
    const receiver = await world.start("receive-callback");
    const rotated = await rotate(world);
    await post(receiver, paymentCallback(rotated));
    expect((await post(receiver, paymentCallback(world))).statusCode).toBe(200);
    expect(logOf(receiver).at(-1)).toMatchObject({ keyStage: "previous", Accepted: 1 });
    expect(logOf(receiver).at(-1)).not.toHaveProperty("OutdatedKeys");
    receiver.advance(day + minute);
    const nextDay = paymentCallback(world, {}, { nowMilliseconds: Date.now() + day });
    expect((await post(receiver, nextDay)).statusCode).toBe(200);
    const outdated = { OutdatedKeys: 1, VerifiedByCurrent: 0 };
    expect(logOf(receiver).at(-1)).toMatchObject({ keyStage: "previous", ...outdated });
    const messages = await drain(world.sqs, world.inboxUrl);
    const versions = messages
      .map(({ Body }) => readInboxMessage(JSON.parse(Body!).message))
      .map(keyVersionOf);
    expect(new Set(versions).size).toBe(2);
    receiver.advance(8 * day);
    const late = paymentCallback(world, {}, { nowMilliseconds: Date.now() + 9 * day });
    expect((await post(receiver, late)).statusCode).toBe(401);
  });

  test("to a secret that makes no sense leaves the keys in use, on warm and cold instances, and is counted", async () => {
    const world = await makeWorld();
    const warm = await world.start("receive-callback");
    const broken = new PutSecretValueCommand({ SecretId: world.secretId, SecretString: "broken" });
    await world.secrets.send(broken);
    warm.advance(6 * minute);
    const cold = await world.start("receive-callback");
    for (const receiver of [warm, cold]) {
      expect((await post(receiver, paymentCallback(world))).statusCode).toBe(200);
      expect(logOf(receiver)).toContainEqual(
        expect.objectContaining({
          outcome: "keys-problem",
          reason: "keys-invalid",
          KeysProblem: 1,
        }),
      );
    }
  });

  test("of the AES key alone is picked up by the first callback, though its signature is good under the old keys", async () => {
    const world = await makeWorld({ merchant: { profile: { signs: "ciphertext" } } });
    const receiver = await world.start("receive-callback");
    const { merchantId } = world.merchant;
    const merchant = makeMerchant({ merchantId, profile: { signs: "ciphertext" } });
    await world.secrets.send(
      new PutSecretValueCommand({
        SecretId: world.secretId,
        SecretString: merchant.callbackSecret(),
      }),
    );
    expect((await post(receiver, paymentCallback({ ...world, merchant }))).statusCode).toBe(200);
    const [message] = await drain(world.sqs, world.inboxUrl);
    expect(message!.Body).toContain("referOrderNo");
  });
});
