import { CreateSecretCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { afterEach, expect, test } from "vitest";
import { defaultProfile } from "../../shared/envelope/profile.ts";
import {
  makeMerchant,
  merchantPair,
  privatePem,
  publicPem,
  servicePair,
} from "../builders/merchant.ts";
import { randomName } from "../integration/aws-stores.ts";
import { to } from "../integration/fault-proxy.ts";
import { useWorlds, type World } from "../integration/world.ts";
import { dueOrder, store } from "../reconciling/due-orders.ts";
import { useShops } from "../storefront/shop.ts";
import { startCallbacks } from "./callback-stage.ts";
import { createCanaries } from "./canary.ts";
import { type Fields, formsOf, loadedPayment, sealLoaded } from "./loaded.ts";
import { loadedOrder } from "./loaded-order.ts";
import { createWatch } from "./watch.ts";

const makeWorld = useWorlds();
const makeShop = useShops();
const canaries = createCanaries();
const watch = createWatch(canaries);
afterEach(() => watch.expectNoLeak());

const keysAreOld = 10 * 60_000;
/** Some forty secrets in one test. */
const profileFields = [...Object.keys(defaultProfile), "fixedIv"];

/** Secrets that make no sense, each with canaries at one place. `key` is the name of the RSA key. */
function brokenSecrets(key: string, sound: Fields): unknown[] {
  const inProfile = (profile: unknown) => ({ ...sound, profile });
  const pem = (text: string) => `-----BEGIN PUBLIC KEY-----\n${text}\n-----END PUBLIC KEY-----\n`;
  return [
    canaries.text("secret that is no JSON"),
    [canaries.text("secret that is a list")],
    ...["aesKey", key].flatMap((name) =>
      formsOf(canaries, `secret's ${name}`).map(([, value]) => ({ ...sound, [name]: value })),
    ),
    { ...sound, [key]: pem(canaries.text("PEM")) },
    inProfile(canaries.text("profile")),
    inProfile({ [canaries.text("name of a profile's field")]: canaries.text("profile's field") }),
    ...profileFields.map((name) => inProfile({ [name]: canaries.text(`profile's ${name}`) })),
  ];
}

async function putSecret({ secrets }: World, SecretId: string, secret: unknown): Promise<void> {
  const SecretString = typeof secret === "string" ? secret : JSON.stringify(secret);
  await secrets.send(new PutSecretValueCommand({ SecretId, SecretString }));
}

/** Nobody may see the keys themselves either. */
function watchForKeys(secret: Fields): void {
  for (const name of ["aesKey", "servicePublicKey", "merchantPrivateKey"]) {
    const lines = String(secret[name] ?? "").split("\n");
    for (const line of lines.filter((text) => text.length >= 16 && !text.startsWith("-----"))) {
      canaries.watchFor(name, line);
    }
  }
}

test("receive-callback says nothing of a secret that makes no sense", async () => {
  const world = await makeWorld();
  const { receiver, send } = await startCallbacks(world, canaries, watch);
  const sound: Fields = JSON.parse(world.merchant.callbackSecret());
  watchForKeys(sound);
  const broken = [
    ...brokenSecrets("servicePublicKey", sound),
    { ...sound, servicePublicKey: privatePem(merchantPair()) },
  ];
  watchForKeys({ merchantPrivateKey: privatePem(merchantPair()) });
  for (const secret of broken) {
    await putSecret(world, world.secretId, secret);
    receiver.advance(keysAreOld);
    await send(sealLoaded(canaries, world.merchant, { result: loadedPayment(canaries) }));
  }
  const problems = watch.seen({ service: "receive-callback", outcome: "keys-problem" });
  expect(problems.length).toBeGreaterThanOrEqual(broken.length);
  const reasons = new Set(problems.map(({ reason }) => reason));
  expect([...reasons]).toEqual(expect.arrayContaining(["keys-invalid", "profile-invalid"]));
});

test.each(["base64", "hex", "utf-8"] as const)(
  "receive-callback says nothing of keys that are in use (%s)",
  async (keyEncoding) => {
    const world = await makeWorld({ merchant: { profile: { keyEncoding } } });
    const sound: Fields = JSON.parse(world.merchant.callbackSecret());
    const bare = publicPem(servicePair()).replace(/-----[^\n]+\n?|\n/g, "");
    const pkcs1 = servicePair().publicKey.export({ type: "pkcs1", format: "pem" });
    const { receiver, send } = await startCallbacks(world, canaries, watch);
    const accepted = () => watch.seen({ service: "receive-callback", outcome: "accepted" }).length;
    const before = accepted();
    for (const servicePublicKey of [publicPem(servicePair()), bare, pkcs1]) {
      watchForKeys({ ...sound, servicePublicKey });
      await putSecret(world, world.secretId, { ...sound, servicePublicKey });
      receiver.advance(keysAreOld);
      const envelope = sealLoaded(canaries, world.merchant, {
        result: loadedPayment(canaries),
        nowMilliseconds: receiver.now(),
      });
      await send(envelope);
      await send({ ...envelope, sign: "AAAA" });
    }
    expect(accepted()).toBe(before + 3);
  },
);

/** A function that calls the service, with a secret of its own. */
async function startCaller(name: "create-order" | "query-order" | "reconcile-orders") {
  const shop = await makeShop();
  const merchant = makeMerchant();
  const sound: Fields = JSON.parse(merchant.requestSecret());
  watchForKeys(sound);
  const Name = randomName("request-keys");
  await shop.world.secrets.send(new CreateSecretCommand({ Name }));
  const REQUEST_KEYS = JSON.stringify({ [merchant.merchantId]: Name });
  const instance = await shop.start(name, { REQUEST_KEYS });
  const ask = async (event: object) => {
    instance.advance(keysAreOld);
    watch.outcome(await instance.invoke(event));
    watch.lines(instance);
  };
  const keep = (secret: unknown) => putSecret(shop.world, Name, secret);
  return { shop, ask, keep, broken: brokenSecrets("merchantPrivateKey", sound) };
}

test.each(["create-order", "query-order"] as const)(
  "%s says nothing of a secret that makes no sense",
  async (name) => {
    const { ask, keep, broken } = await startCaller(name);
    // Without its times, which are soon too long ago for a new order.
    const times = { paymentTime: undefined, paymentExpiryTime: undefined };
    const body = () => JSON.stringify({ ...loadedOrder(canaries), ...times });
    const payment = { routeKey: "GET /payments/{paymentId}", pathParameters: { paymentId: "P1" } };
    for (const secret of broken) {
      await keep(secret);
      await ask(name === "create-order" ? { body: body(), isBase64Encoded: false } : payment);
    }
    const problems = watch.seen({ service: name, outcome: "keys-problem" });
    expect(problems.length).toBeGreaterThanOrEqual(broken.length);
  },
);

test("reconcile-orders says nothing of a secret that makes no sense", async () => {
  const { shop, ask, keep, broken } = await startCaller("reconcile-orders");
  await store(shop, [dueOrder(shop, { orderNo: "DUE", lateMilliseconds: keysAreOld })]);
  await keep(broken[0]);
  await ask({});
  expect(watch.seen({ service: "reconcile-orders", outcome: "keys-problem" })).toHaveLength(1);
});

test("a failure of Secrets Manager is logged without what its message repeats", async () => {
  const world = await makeWorld();
  const { receiver, send } = await startCallbacks(world, canaries, watch);
  const fields = { message: canaries.text("message of Secrets Manager") };
  const error = { status: 400, type: "AccessDeniedException", fields };
  receiver.faults.fail(to("secretsmanager"), { kind: "refuse", error });
  receiver.advance(keysAreOld);
  await send(sealLoaded(canaries, world.merchant, { result: loadedPayment(canaries) }));
  expect(watch.seen({ reason: "keys-unreachable" }).length).toBeGreaterThan(0);
});
