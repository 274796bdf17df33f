import { CreateSecretCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { describe, expect, test } from "vitest";
import { smokeName } from "../../shared/smoke-merchant.ts";
import { makeMerchant, merchantPair } from "../builders/merchant.ts";
import { randomName } from "./aws-stores.ts";
import { paymentCallback } from "./callbacks.ts";
import { to } from "./fault-proxy.ts";
import { eventsOf, logOf, messagesOf, post, pump } from "./flow.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();

const subscribers = [
  { name: "all" },
  { name: "first", merchants: ["208800000000000001"] },
  { name: smokeName, merchants: [smokeName] },
];

/** A world with a second merchant, the one of smoke tests, whose secret has no value yet. */
async function makeSmokeWorld() {
  const world = await makeWorld({ subscribers });
  const secretId = randomName("smoke-keys");
  await world.secrets.send(new CreateSecretCommand({ Name: secretId }));
  const { merchantId } = world.merchant;
  const receiver = await world.start("receive-callback", {
    CALLBACK_KEYS: JSON.stringify({ [merchantId]: world.secretId, [smokeName]: secretId }),
  });
  const smoke: World = { ...world, merchant: makeMerchant({ merchantId: smokeName }) };
  const putKeys = async ({ merchant }: World) => {
    const SecretString = merchant.callbackSecret();
    await world.secrets.send(new PutSecretValueCommand({ SecretId: secretId, SecretString }));
  };
  return { world, smoke, receiver, secretId, putKeys };
}

describe("a smoke test", () => {
  test("publishes to its own queue, and to no other subscriber", async () => {
    const { world, smoke, receiver, putKeys } = await makeSmokeWorld();
    await putKeys(smoke);
    expect((await post(receiver, paymentCallback(smoke))).statusCode).toBe(200);
    expect((await post(receiver, paymentCallback(world))).statusCode).toBe(200);
    await pump(world, await world.start("process-callback"));
    const [event, ...rest] = await eventsOf(world, smokeName);
    expect(event).toMatchObject({ data: { merchantId: smokeName } });
    expect(rest).toEqual([]);
    for (const name of ["all", "first"]) {
      const merchants = (await eventsOf(world, name)).map(({ data }) => data.merchantId);
      expect(merchants).toEqual([world.merchant.merchantId]);
    }
  });

  test("works with other keys the next time, also within a minute", async () => {
    const { world, smoke, receiver, putKeys } = await makeSmokeWorld();
    await putKeys(smoke);
    expect((await post(receiver, paymentCallback(smoke))).statusCode).toBe(200);
    const merchant = makeMerchant({ merchantId: smokeName, servicePair: merchantPair() });
    const next = { ...smoke, merchant };
    await putKeys(next);
    expect((await post(receiver, paymentCallback(next))).statusCode).toBe(200);
    expect(await messagesOf(world, "all")).toEqual([]);
  });

  test("is not counted: it would hide from an alarm that no callback of the service comes", async () => {
    const { world, smoke, receiver, putKeys } = await makeSmokeWorld();
    await putKeys(smoke);
    expect((await post(receiver, paymentCallback(smoke))).statusCode).toBe(200);
    expect((await post(receiver, paymentCallback(world))).statusCode).toBe(200);
    const lines = logOf(receiver).filter(({ outcome }) => outcome === "accepted");
    expect(lines.map(({ merchantId, Accepted }) => [merchantId, Accepted])).toEqual([
      [smokeName, undefined],
      [world.merchant.merchantId, 1],
    ]);
  });

  test("does not slow down a start: its keys are fetched when it comes", async () => {
    const { receiver, secretId, smoke, putKeys } = await makeSmokeWorld();
    const reads = () =>
      receiver.faults.calls.filter(
        (call) => to("secretsmanager")(call) && call.input["SecretId"] === secretId,
      ).length;
    expect(reads()).toBe(0);
    await putKeys(smoke);
    await post(receiver, paymentCallback(smoke));
    expect(reads()).toBeGreaterThan(0);
  });
});

describe("while the secret of smoke tests has no keys that work", () => {
  const badSecrets: [string, string | undefined][] = [
    ["no value", undefined],
    ["no JSON", "not-json-but-secret"],
  ];

  test.each(badSecrets)(
    "%s: its name gets the answer of an unknown merchant",
    async (_case, secret) => {
      const { world, smoke, receiver, secretId } = await makeSmokeWorld();
      if (secret !== undefined) {
        const command = new PutSecretValueCommand({ SecretId: secretId, SecretString: secret });
        await world.secrets.send(command);
      }
      const stranger = { ...world, merchant: makeMerchant({ merchantId: "stranger" }) };
      const answer = await post(receiver, paymentCallback(smoke));
      expect(answer.statusCode).toBe(401);
      expect(answer).toEqual(await post(receiver, paymentCallback(stranger)));
    },
  );

  test("Secrets Manager is down: also then", async () => {
    const { smoke, receiver } = await makeSmokeWorld();
    receiver.faults.fail(to("secretsmanager"), { kind: "cut" });
    expect((await post(receiver, paymentCallback(smoke))).statusCode).toBe(401);
  });

  test("nothing that an alarm watches is counted, whatever strangers send", async () => {
    const { smoke, receiver } = await makeSmokeWorld();
    for (const _turn of [1, 2, 3]) await post(receiver, paymentCallback(smoke));
    const lines = logOf(receiver);
    expect(lines).toContainEqual(
      expect.objectContaining({ outcome: "keys-problem", reason: "keys-unset" }),
    );
    expect(lines.filter((line) => Number(line["KeysProblem"] ?? 0) > 0)).toEqual([]);
    expect(lines.filter((line) => "NotStored" in line)).toEqual([]);
    expect(lines.at(-1)).toMatchObject({ outcome: "not-authentic", reason: "unknown-merchant" });
  });

  test("keys that are set then work after the pause of two seconds", async () => {
    const { smoke, receiver, putKeys } = await makeSmokeWorld();
    await post(receiver, paymentCallback(smoke));
    await putKeys(smoke);
    receiver.advance(2_000);
    expect((await post(receiver, paymentCallback(smoke))).statusCode).toBe(200);
  });
});
