import { describe, expect, test, vi } from "vitest";
import type { ProfileInput } from "../../../shared/envelope/profile.ts";
import { Refusal } from "../../../shared/envelope/refusal.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { createKeyRing } from "../../../shared/keys/key-ring.ts";
import { readCallbackKeys } from "../../../shared/keys/keys-in-secret.ts";
import type { RefusedEnvelope } from "../../../shared/receiving/capture-refused.ts";
import {
  type ReceiveCallback,
  receiveCallback,
} from "../../../shared/receiving/receive-callback.ts";
import { smokeName } from "../../../shared/smoke-merchant.ts";
import type { LogFields, Metrics } from "../../../shared/telemetry/log-line.ts";
import { refundResult, sealedCallback, sentAt } from "../../builders/callback.ts";
import { makeMerchant, merchantPair } from "../../builders/merchant.ts";

const merchant = makeMerchant();
const { merchantId } = merchant;
const stale = { ...merchant.version, stage: "previous" as const, versionId: "version-0" };
const stranger = makeMerchant({ servicePair: merchantPair() });
const minute = 60_000;

type Over = Partial<ReceiveCallback> & { readonly knownMerchant?: string };

/** What the flow answers and does with an envelope. The clock moves by 5 ms with each look at it. */
async function received(envelope: object | string, over: Over = {}) {
  const stored: { message: string; group: string }[] = [];
  const captured: RefusedEnvelope[] = [];
  const lines: { fields: LogFields; metrics: Metrics | undefined }[] = [];
  let now = sentAt - 5;
  const deps: ReceiveCallback = {
    keys: keysThat(async () => [merchant.version], over.knownMerchant),
    sendToInbox: async (entry) => void stored.push(entry),
    now: () => (now += 5),
    maximumAgeMilliseconds: 10 * minute,
    maximumAheadMilliseconds: minute,
    traceparent: () => "00-1-2-01",
    log: (fields, metrics) => void lines.push({ fields, metrics }),
    capture: async (refused) => void captured.push(refused),
    ...over,
  };
  const body = typeof envelope === "string" ? envelope : JSON.stringify(envelope);
  const requestContext = { http: { sourceIp: "192.0.2.1" } };
  const answer = await receiveCallback({ body, isBase64Encoded: false, requestContext }, deps);
  const { statusCode, headers } = answer;
  return {
    said: [statusCode, JSON.parse(answer.body)],
    headers,
    stored,
    captured,
    line: lines[0]!,
  };
}

/** `refreshed` are the keys after a refusal; undefined if none are fetched. */
function keysThat(
  keysFor: ReceiveCallback["keys"]["keysFor"],
  known = merchantId,
  refreshAfterRefusal: ReceiveCallback["keys"]["refreshAfterRefusal"] = async () => false,
): ReceiveCallback["keys"] {
  const knows = (id: string) => id === known;
  return { knows, keysFor, refreshAfterRefusal };
}

const accepted = [200, { code: 20000, msg: "" }];
const notAuthentic = [401, { code: 40100, msg: "not authentic" }];
const notStored = [503, { code: 50300, msg: "not stored, send it again" }];

test("an authentic callback is stored, acknowledged and logged, with cached keys", async () => {
  const refresh = () => Promise.reject(new Error("must not be called"));
  const keys = keysThat(async () => [merchant.version], merchantId, refresh);
  const { said, headers, stored, captured, line } = await received(sealedCallback(merchant), {
    keys,
  });
  expect(said).toEqual(accepted);
  expect(headers).toEqual({ "content-type": "application/json" });
  expect(stored).toHaveLength(1);
  expect(JSON.parse(stored[0]!.message)).toMatchObject({
    merchantId,
    receivedAtMilliseconds: sentAt,
    traceparent: "00-1-2-01",
  });
  expect(captured).toEqual([]);
  expect(line).toEqual({
    fields: {
      merchantId,
      callbackId: expect.any(String),
      eventName: "payment.order.success",
      orderNo: "ORDER-2026-000042",
      outcome: "accepted",
      httpStatus: 200,
      keyVersion: "version-1",
      keyStage: "current",
      traceparent: "00-1-2-01",
      durationMilliseconds: 10,
    },
    metrics: { Accepted: 1, VerifiedByCurrent: 1 },
  });
});

test("a refund's line names the payment, and an unknown event name is not logged", async () => {
  const refund = { eventName: "payment.refund.success", result: refundResult() };
  const { line } = await received(sealedCallback(merchant, refund));
  expect(line.fields).toMatchObject({ paymentId: "PAY20261115000000000000000000042" });
  expect(line.fields).not.toHaveProperty("orderNo");
  const unknown = await received(sealedCallback(merchant, { eventName: "payment.gift" }));
  expect(unknown.said).toEqual(accepted);
  for (const field of ["eventName", "orderNo", "paymentId"]) {
    expect(unknown.line.fields).not.toHaveProperty(field);
  }
});

test.each([
  ["a day ago", 24 * 60 * minute, { Accepted: 1 }],
  ["longer ago", 24 * 60 * minute + 1, { Accepted: 1, OutdatedKeys: 1, VerifiedByCurrent: 0 }],
])(
  "what only keys verify that were replaced %s is counted as such",
  async (_case, age, metrics) => {
    // The line is written ten milliseconds after the callback came.
    const replaced = { ...stale, replacedAtMilliseconds: sentAt + 10 - age };
    const keys = keysThat(async () => [makeMerchant().version, replaced]);
    expect((await received(sealedCallback(merchant), { keys })).line.metrics).toEqual(metrics);
  },
);

test("a smoke test is not counted", async () => {
  const smoke = makeMerchant({ merchantId: smokeName });
  const keys = keysThat(async () => [smoke.version], smokeName);
  const { said, line } = await received(sealedCallback(smoke), { keys });
  expect(said).toEqual(accepted);
  expect(line.metrics).toEqual({});
});

describe("a refusal", () => {
  test.each<[string, object | string, unknown[], object]>([
    ["no envelope", "{}", [400, { code: 40000, msg: "not a callback envelope" }], {}],
    ["too large", "x".repeat(300_000), [413, { code: 41300, msg: "over 256 KiB" }], {}],
    ["a forged signature", sealedCallback(stranger), notAuthentic, { merchantId }],
    ["another merchant", sealedCallback(makeMerchant({ merchantId: "m" })), notAuthentic, {}],
    [
      "too old",
      sealedCallback(merchant, { nowMilliseconds: sentAt - 11 * minute }),
      notAuthentic,
      { merchantId, reason: "too-old" },
    ],
    [
      "too far in the future",
      sealedCallback(merchant, { nowMilliseconds: sentAt + 2 * minute }),
      notAuthentic,
      { merchantId },
    ],
  ])(
    "of %s is answered by its class and stores nothing",
    async (_case, envelope, expected, fields) => {
      const { said, stored, line } = await received(envelope);
      expect(said).toEqual(expected);
      expect(stored).toEqual([]);
      expect(line.fields).toMatchObject({ ...fields, httpStatus: expected[0] });
      expect(line.fields.durationMilliseconds).toBeLessThan(50);
      if (!("merchantId" in fields)) expect(line.fields.merchantId).toBeUndefined();
    },
  );

  test("by the address comes first, and only if addresses are listed", async () => {
    const asked: string[] = [];
    const allowsSource = (address: string) => asked.push(address) === 0;
    const { said, captured, line } = await received("{", { allowsSource });
    expect(line.fields.reason).toBe("source-not-allowed");
    expect(said).toEqual([403, { code: 40300, msg: "not from this address" }]);
    expect([asked, captured]).toEqual([["192.0.2.1"], []]);
    const allowed = await received(sealedCallback(merchant), { allowsSource: () => true });
    expect(allowed.said).toEqual(accepted);
  });

  test("of what is not authentic is captured for a configured merchant", async () => {
    const { captured, line } = await received(sealedCallback(stranger));
    expect(captured).toEqual([
      {
        request: expect.anything(),
        sourceAddress: "192.0.2.1",
        merchantId,
        reason: line.fields.reason,
        receivedAtMilliseconds: sentAt,
      },
    ]);
    expect(line.fields.claimedCallbackId).toEqual(expect.any(String));
    const none = await received(sealedCallback(stranger), { capture: undefined });
    expect(none.said).toEqual(notAuthentic);
    expect((await received("{}")).captured).toEqual([]);
  });

  test("of the smoke merchant is captured as nobody's", async () => {
    const smoke = makeMerchant({ merchantId: smokeName, servicePair: merchantPair() });
    const { captured } = await received(sealedCallback(smoke), { knownMerchant: smokeName });
    expect(captured.map((envelope) => envelope.merchantId)).toEqual([undefined]);
  });
});

describe("keys that have changed", () => {
  /** The first look finds a stranger's keys, every later one the merchant's. */
  function changing(fetches: boolean) {
    let isFetched = false;
    const keysFor = async () => [isFetched ? merchant.version : stranger.version];
    return keysThat(keysFor, merchantId, async () => {
      isFetched = fetches;
      return fetches;
    });
  }

  test("are fetched after a refusal, and the callback is tried once more", async () => {
    const { said } = await received(sealedCallback(merchant), { keys: changing(true) });
    expect(said).toEqual(accepted);
    const refused = await received(sealedCallback(merchant), { keys: changing(false) });
    expect(refused.said).toEqual(notAuthentic);
  });

  test("are not fetched for an unknown merchant, nor after a failure that is no refusal", async () => {
    const refresh = async () => {
      throw new Error("must not be called");
    };
    const unset = async () => {
      throw new PaycastError("keys-unset", "No keys.");
    };
    const other = sealedCallback(makeMerchant({ merchantId: "m" }));
    const unknown = await received(other, { keys: keysThat(unset, merchantId, refresh) });
    expect(unknown.said).toEqual(notAuthentic);
    expect(unknown.line.fields.reason).toBe("unknown-merchant");
    const keys = keysThat(unset, merchantId, refresh);
    const { said, line, captured } = await received(sealedCallback(merchant), { keys });
    expect(said).toEqual(notStored);
    expect(line.metrics).toEqual({ NotStored: 1, KeysUnavailable: 1, Accepted: 0 });
    expect(captured).toEqual([]);
  });

  test("that the smoke merchant does not have look like an unknown merchant", async () => {
    const unset = () => Promise.reject(new PaycastError("keys-unset", "No keys."));
    const smoke = sealedCallback(makeMerchant({ merchantId: smokeName }));
    const { said, line } = await received(smoke, { keys: keysThat(unset, smokeName) });
    expect([said, line.fields.reason]).toEqual([notAuthentic, "unknown-merchant"]);
  });
});

describe("a replay of an authentic callback that cannot be read", () => {
  const minutes = 3;
  const ciphertext = { profile: { signs: "ciphertext" as const } };
  const signer = makeMerchant(ciphertext);
  const otherKey = makeMerchant(ciphertext);

  /** 200 replays within three minutes, to a receiver whose keys are these. */
  async function replay(envelopes: readonly object[], secret: string) {
    const readSecret = vi.fn(async (_id: string, stage: string) =>
      stage === "AWSCURRENT"
        ? { versionId: "one", createdAtMilliseconds: 0, text: secret }
        : undefined,
    );
    let now = sentAt;
    const keys = createKeyRing({
      secretIds: { [merchantId]: "secret" },
      readSecret,
      parse: readCallbackKeys,
      now: () => now,
      previousLifetimeMilliseconds: 0,
      onProblem: () => {},
    });
    await keys.prime([merchantId]);
    const answers = new Set<unknown>();
    for (let turn = 0; turn < 200; turn++) {
      now = sentAt + Math.floor((turn * minutes * minute) / 200);
      const { said } = await received(envelopes[turn % envelopes.length]!, {
        keys,
        now: () => now,
      });
      answers.add(JSON.stringify(said));
    }
    return { answers: [...answers], looks: readSecret.mock.calls.length - 1 };
  }

  test("is no reason to fetch keys if the signature covers what was read", async () => {
    const envelope = sealedCallback(merchant, { result: Buffer.from([0x7b, 0xff]) });
    const { answers, looks } = await replay([envelope], merchant.callbackSecret());
    expect([answers, looks]).toEqual([[JSON.stringify(accepted)], 0]);
  });

  test("fetches them at most once a minute if it does not decrypt, also beside forgeries", async () => {
    const envelopes = [sealedCallback(signer), sealedCallback(stranger)];
    const { answers, looks } = await replay(envelopes, otherKey.callbackSecret());
    expect(answers).toEqual([notStored, notAuthentic].map((said) => JSON.stringify(said)));
    expect(looks).toBe(minutes);
  });
});

describe("a callback that verifies and does not decrypt", () => {
  const ciphertext = { signs: "ciphertext" as const };
  const id = "6f1c2f0e3b5e4c599d3c0c6a7b1f2d11";
  const receivedWithOtherKey = async (profile: ProfileInput) => {
    const keys = keysThat(async () => [makeMerchant({ profile }).version]);
    return await received(sealedCallback(makeMerchant({ profile }), { id }), { keys });
  };

  test("is not stored, and is counted by a metric that stops no rollout", async () => {
    const { said, stored, captured, line } = await receivedWithOtherKey(ciphertext);
    expect([said, stored, captured]).toEqual([notStored, [], []]);
    expect(line.fields).toMatchObject({
      outcome: "not-stored",
      httpStatus: 503,
      reason: "body-not-decrypted",
      merchantId,
      eventName: "payment.order.success",
      callbackId: id,
    });
    expect(line.metrics).toEqual({ NotDecrypted: 1 });
  });

  test("may be another merchant's if the merchant id is not signed, so it is refused", async () => {
    const profile = { ...ciphertext, unsignedFields: ["merchantId" as const] };
    const { said, line } = await receivedWithOtherKey(profile);
    expect([said, line.fields.reason]).toEqual([notAuthentic, "merchant-differs"]);
  });
});

test("what the inbox does not accept is not acknowledged", async () => {
  const error = new PaycastError("inbox-unavailable", "No.", { retryable: true });
  const sendToInbox = () => Promise.reject(error);
  const { said, line, captured } = await received(sealedCallback(merchant), { sendToInbox });
  expect(said).toEqual(notStored);
  expect(captured).toEqual([]);
  expect(line).toMatchObject({
    fields: { outcome: "not-stored", httpStatus: 503, orderNo: "ORDER-2026-000042" },
    metrics: { NotStored: 1 },
  });
  expect(line.fields.errorName).toEqual(expect.any(String));
  expect(error).not.toBeInstanceOf(Refusal);
});
