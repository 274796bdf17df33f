import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import { callbackRequests } from "../../tools/contract/documents/openapi/examples.ts";
import { randomName } from "../integration/aws-stores.ts";
import { eventFrom } from "../integration/capturing.ts";
import { to } from "../integration/fault-proxy.ts";
import { callbackVectors, keyPairs } from "../vectors/vectors.ts";
import { readAnswer, type Situation } from "./example-answers.ts";
import type { Answer, Shop } from "./shop.ts";

/** POST /callbacks with the keys and at the time of the example. */
async function receive(
  shop: Shop,
  body: string,
  { inboxIsDown = false, environment = {} } = {},
): Promise<Answer> {
  const vector = callbackVectors.find(
    ({ envelope }) => envelope["sign"] === callbackRequests.paid.sign,
  )!;
  const servicePublicKey = keyPairs[vector.publicKey]!.public.spkiPem;
  const Name = randomName("callback-keys");
  const SecretString = JSON.stringify({ aesKey: vector.aesKey, servicePublicKey });
  await shop.world.secrets.send(new CreateSecretCommand({ Name, SecretString }));
  const CALLBACK_KEYS = JSON.stringify({ [callbackRequests.paid.merchantId]: Name });
  const receiver = await shop.start("receive-callback", { CALLBACK_KEYS, ...environment });
  receiver.advance(callbackRequests.paid.timestamp - Date.now());
  if (inboxIsDown) receiver.faults.fail(to("sqs"), { kind: "cut" });
  return readAnswer(await receiver.invoke(eventFrom("198.51.100.7", body)));
}

const callback = JSON.stringify(callbackRequests.paid);

export const receiving: Record<string, Situation> = {
  "200 stored": (shop) => receive(shop, callback),
  "400 not-an-envelope": (shop) => receive(shop, "{}"),
  "401 not-authentic": (shop) => receive(shop, callback.replace("order.success", "order.failed")),
  "403 source-not-allowed": (shop) =>
    receive(shop, callback, { environment: { ALLOWED_SOURCES: '["192.0.2.1"]' } }),
  "413 too-large": (shop) => receive(shop, `${callback}${" ".repeat(256 * 1024)}`),
  "503 not-stored": (shop) => receive(shop, callback, { inboxIsDown: true }),
};
