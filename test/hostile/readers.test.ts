import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { PaycastEventError } from "../../shared/consumer/event-error.ts";
import { parseEvent } from "../../shared/consumer/parse-event.ts";
import { parseRecord } from "../../shared/consumer/parse-record.ts";
import { testEvent } from "../../shared/consumer/test-events.ts";
import { PaycastError } from "../../shared/errors/paycast-error.ts";
import { readFact } from "../../shared/facts/read-fact.ts";
import { type CallGateway, readSuccess } from "../../shared/gateway/call-gateway.ts";
import { GatewayError } from "../../shared/gateway/gateway-error.ts";
import { createPayment, queryPayment } from "../../shared/gateway/operations.ts";
import { queryMessageOf } from "../../shared/inbox/send-to-inbox.ts";
import { indentJson } from "../../shared/json/indent-json.ts";
import { parseJson } from "../../shared/json/parse-json.ts";
import { readOrder } from "../../shared/storefront/read-order.ts";
import { orderRequests } from "../../tools/contract/documents/openapi/examples.ts";
import { planCall } from "../../tools/operations/calling/call.ts";
import { callService } from "../../tools/operations/calling/call-service.ts";
import type { Target } from "../../tools/operations/ports/target.ts";
import { composeKeys, type GivenKeys } from "../../tools/operations/secrets/compose-keys.ts";
import { inspectKeys, type SecretKind } from "../../tools/operations/secrets/inspect-keys.ts";
import { orderResult } from "../builders/callback.ts";
import { makeMerchant, privatePem, publicPem } from "../builders/merchant.ts";
import { createBody, created, settingsOf } from "../shared/gateway/make-gateway.ts";
import { usualRules } from "../shared/storefront/order-body.ts";
import { keyPairs } from "../vectors/vectors.ts";
import { bodies, objects, spoilt } from "./corpus.ts";

const settings = settingsOf(new URL("http://127.0.0.1/"));
const texts = [...bodies.map((bytes) => bytes.toString("utf8")), ...objects];
const statuses = [0, 200, 204, 302, 400, 408, 429, 500, 599];
const [merchantId, orderNo, paymentId] = ["M1", "ORDER-1", "P1"];

/** Sealing each request would take longer than all the rest. */
const answering =
  (status: number, text: string): CallGateway =>
  async ({ read }) =>
    read(readSuccess({ status, text, retryAfter: "1e400" }));

/** Whether the service may have acted is a promise to the shop, so no other error may come of an answer. */
async function faultsOf(status: number, text: string): Promise<unknown[]> {
  const call = answering(status, text);
  const failed = (error: unknown) => (error instanceof GatewayError ? undefined : error);
  const ends = await Promise.all([
    createPayment(call, settings, merchantId, createBody).then(() => undefined, failed),
    queryPayment(call, settings, merchantId, paymentId).then(faultOfResult, failed),
  ]);
  return ends.filter((end) => end !== undefined);
}

/** What a query answers is read as the fact of a payment, or refused with a documented code. */
function faultOfResult(answer: object): unknown {
  const received = { receivedAtMilliseconds: 1, traceparent: "" };
  try {
    return void readFact(queryMessageOf({ merchantId, orderNo, paymentId, answer, ...received }));
  } catch (error) {
    return error instanceof PaycastError ? undefined : error;
  }
}

test("any answer of the payment service is data or a documented failure", async () => {
  const answer = (data: object) => ({ code: 20000, msg: "SUCCESS", data });
  const result = { ...orderResult({ merchantId }), paymentId };
  const cases = [
    ...statuses.flatMap((status) => texts.map((text) => [status, text] as const)),
    ...[created, result].flatMap((data) =>
      spoilt(answer(data)).map((json) => [200, json] as const),
    ),
    ...spoilt({ code: 50000, msg: "refused" }).map((json) => [400, json] as const),
  ];
  const faults: string[] = [];
  for (const [status, text] of cases) {
    const wrong = await faultsOf(status, text);
    faults.push(...wrong.map((error) => `${status} ${text.slice(0, 200)}: ${error}`));
  }
  expect(faults).toEqual([]);
});

/** What reading throws, unless it is a documented error: an error of one of these classes has a code of a list. */
function faultsOfReading(texts: readonly string[], read: (text: string) => unknown): string[] {
  return texts.flatMap((text) => {
    try {
      read(text);
    } catch (error) {
      const isDocumented = error instanceof PaycastError || error instanceof PaycastEventError;
      if (!isDocumented) return [`${text.slice(0, 200)}: ${error}`];
    }
    return [];
  });
}

/** A stack as far as `paycast call` needs it. */
const stack = {
  stack: { gateway: settings, merchants: [{ merchantId, requestKeys: "keys" }] },
  clock: { now: Date.now },
  audit: { write: async () => {} },
  keys: {
    stagesOf: async () => ({ current: "v" }),
    read: async () => ({ versionId: "v", createdAtMilliseconds: 0, text: requestSecret }),
  },
} as unknown as Target;
const requestSecret = makeMerchant().requestSecret();

test("paycast call takes or refuses any body, and can show any answer", async () => {
  const sent = { method: "m", path: "/p" };
  const objectsSent = [...texts, ...spoilt({ amount: 1 })];
  expect(faultsOfReading(objectsSent, (body) => planCall(stack, { ...sent, body }))).toEqual([]);
  const plan = planCall(stack, { ...sent, body: "{}" });
  const answers = [...texts, ...spoilt({ code: 20000, msg: "SUCCESS", data: 1 })];
  for (const text of answers) {
    const result = await callService(stack, plan, async () => ({ status: 200, text }));
    expect(() => JSON.stringify(result), text.slice(0, 200)).not.toThrow();
  }
});

test("an operator can look at any text that is kept", () => {
  expect(faultsOfReading(texts, indentJson)).toEqual([]);
});

test("parseEvent and parseRecord give an event or a documented error, whatever is in the queue", () => {
  const types = ["payment.order.success", "payment.refund.failed"] as const;
  const all = [...texts, ...types.flatMap((type) => spoilt(testEvent(type)))];
  expect(faultsOfReading(all, (text) => parseEvent(parseJson(text)))).toEqual([]);
  expect(faultsOfReading(all, (body) => parseRecord({ body, messageId: "m-1" }))).toEqual([]);
});

test("a body of POST /orders is an order or a documented problem, whatever a field holds", () => {
  const merchantIds = [orderRequests.complete.merchantId];
  const all = [...texts, ...spoilt(orderRequests.complete)];
  expect(faultsOfReading(all, (json) => readOrder(json, { ...usualRules, merchantIds }))).toEqual(
    [],
  );
});

const pair = keyPairs["test-openssl-2048"]!;
const others = [generateKeyPairSync("ed25519"), generateKeyPairSync("ec", { namedCurve: "P-256" })];
const rsaKeys = [...Object.values(pair.public), ...Object.values(pair.private)];
const badKeys = [
  ...rsaKeys.flatMap((key) => [1, 2, 9].map((part) => key.slice(0, (key.length * part) / 10))),
  ...rsaKeys.map((key) => key.replace("A", "\0")),
  ...rsaKeys.map((key) => key.replaceAll("-----", "----")),
  ...others.flatMap((candidate) => [publicPem(candidate), privatePem(candidate)]),
  "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----",
  ...rsaKeys,
];

/** As `keys set` reads them: composed to a secret, then parsed and tried like a stored version. */
function readKeys(kind: SecretKind, given: GivenKeys): unknown {
  const text = composeKeys({ kind }, given);
  return text === undefined ? undefined : inspectKeys(kind, "M1", text);
}

test("files of keys are keys or a documented error, also if they are cut or of another kind", () => {
  const [aesKey, profile] = [
    "3q2+796tvu/erb7v3q2+796tvu/erb7v",
    { cipher: "CBC", minimumRsaBits: 2048 },
  ];
  const { spkiPem: servicePublicKey = "" } = pair.public;
  const { pkcs8Pem: merchantPrivateKey = "" } = pair.private;
  const callback = [...texts, ...spoilt({ aesKey, servicePublicKey, profile })];
  const request = [...texts, ...spoilt({ aesKey, merchantPrivateKey, profile })];
  const faults = [
    ...faultsOfReading(callback, (text) => readKeys("callback", { callbackKeys: text })),
    ...faultsOfReading(request, (text) => readKeys("request", { requestKeys: text })),
    ...faultsOfReading(badKeys, (text) => readKeys("callback", { aesKey, servicePublicKey: text })),
    ...faultsOfReading(badKeys, (text) =>
      readKeys("request", { aesKey, merchantPrivateKey: text }),
    ),
    ...faultsOfReading(texts, (text) => readKeys("request", { aesKey: text, merchantPrivateKey })),
    ...faultsOfReading(texts, (profile) =>
      readKeys("callback", { aesKey, servicePublicKey, profile }),
    ),
  ];
  expect(faults).toEqual([]);
});
