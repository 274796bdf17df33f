import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  bytesOf,
  openCallback,
  openWith,
  orderResult,
  refusalOf,
  sealedCallback,
  sentAt,
  windowAt,
} from "../../builders/callback.ts";
import { makeMerchant } from "../../builders/merchant.ts";

const id = "6f1c2f0e-3b5e-4c59-9d3c-0c6a7b1f2d11";
const merchant = makeMerchant();
/** No other key fits. Without a tag, one key in 256 gives a right padding, and then it is the signature that is wrong. */
const tagged = { cipher: "GCM", iv: "prefixed" } as const;
const strangerPair = generateKeyPairSync("rsa", { modulusLength: 2048 });

test("an authentic callback opens with everything that was signed", () => {
  const result = orderResult({ msg: "支付 & ñ = 𝄞" });
  expect(openWith(merchant, sealedCallback(merchant, { id, result }))).toEqual({
    id,
    merchantId: merchant.merchantId,
    eventName: "payment.order.success",
    sentAtMilliseconds: sentAt,
    content: { kind: "text", text: JSON.stringify(result), result },
    deduplication: { key: "6f1c2f0e3b5e4c599d3c0c6a7b1f2d11", replayable: false },
    verifiedBy: { versionId: "version-1", stage: "current" },
  });
});

test("a plaintext that is no JSON opens without a result, since it is authentic all the same", () => {
  const opened = openWith(merchant, sealedCallback(merchant, { result: "not {JSON" }));
  expect(opened.content).toEqual({ kind: "text", text: "not {JSON", result: undefined });
});

test("fields that the interface does not name are covered by the signature, whatever their name", () => {
  const text = JSON.stringify(sealedCallback(merchant));
  for (const name of ["extra", "__proto__", "constructor", "toString"]) {
    const withExtra = Buffer.from(text.replace("{", `{"${name}":"x",`));
    expect(refusalOf(() => openWith(merchant, withExtra)).reason).toBe("wrong-signature");
  }
});

test("line breaks inside the body and the signature do not matter", () => {
  const sealed = sealedCallback(merchant);
  const wrap = (text: unknown) => String(text).replace(/(.{64})/g, "$1\r\n");
  const wrapped = { ...sealed, body: wrap(sealed["body"]), sign: wrap(sealed["sign"]) };
  expect(openWith(merchant, wrapped)).toEqual(openWith(merchant, sealed));
});

describe("each refusal has its private reason and the one public face", () => {
  const other = makeMerchant({ servicePair: strangerPair });
  const verifyFirst = makeMerchant({ profile: { signs: "ciphertext" } });
  const unbound = makeMerchant({ profile: { unsignedFields: ["merchantId"] } });
  const sealed = sealedCallback(merchant);
  const day = 24 * 3_600_000;

  const attempts: Record<string, () => unknown> = {
    "unknown-merchant": () => openWith(merchant, { ...sealed, merchantId: "another" }),
    "cannot-decrypt": () => openWith(merchant, { ...sealed, body: "AAAA" }),
    "cannot-decrypt, another key": () =>
      openWith(
        makeMerchant({ profile: tagged }),
        sealedCallback(makeMerchant({ profile: tagged })),
      ),
    "cannot-decrypt, not base64": () => openWith(merchant, { ...sealed, body: "?" }),
    "wrong-signature": () => openWith(merchant, { ...sealed, sign: "AAAA" }),
    "wrong-signature, not base64": () => openWith(merchant, { ...sealed, sign: "?" }),
    "wrong-signature, nothing in it": () => openWith(merchant, { ...sealed, sign: "\n" }),
    "wrong-signature, another signer": () =>
      openWith(
        merchant,
        sealedCallback({
          ...merchant,
          service: { ...other.service, aesKey: merchant.service.aesKey },
        }),
      ),
    "wrong-signature, before decryption": () =>
      openWith(verifyFirst, { ...sealedCallback(verifyFirst), body: "?" }),
    "merchant-differs": () =>
      openWith(
        unbound,
        sealedCallback(unbound, { result: orderResult({ merchantId: "another" }) }),
      ),
    "too-old": () => openWith(merchant, sealed, sentAt + 9 * day),
    "too-new": () => openWith(merchant, sealed, sentAt - day),
  };

  test.each(Object.entries(attempts))("%s", (reason, attempt) => {
    const refusal = refusalOf(attempt);
    expect(refusal).toMatchObject({
      refusalClass: "not-authentic",
      code: "not-authentic",
      message: "The callback is rejected.",
      retryable: false,
      detail: undefined,
      reason: reason.split(",")[0],
    });
    expect(refusal).not.toHaveProperty("cause");
  });
});

describe("the window on the timestamp", () => {
  const sealed = sealedCallback(merchant);
  const { maximumAgeMilliseconds, maximumAheadMilliseconds } = windowAt(0);
  const openAt = (now: number) => openWith(merchant, sealed, now);

  test("is 8 days back, to the millisecond", () => {
    expect(openAt(sentAt + maximumAgeMilliseconds).sentAtMilliseconds).toBe(sentAt);
    expect(refusalOf(() => openAt(sentAt + maximumAgeMilliseconds + 1)).reason).toBe("too-old");
  });

  test("is 5 minutes ahead, to the millisecond", () => {
    expect(openAt(sentAt - maximumAheadMilliseconds).sentAtMilliseconds).toBe(sentAt);
    expect(refusalOf(() => openAt(sentAt - maximumAheadMilliseconds - 1)).reason).toBe("too-new");
  });

  test("a stranger learns nothing of it: the signature is looked at first", () => {
    const forged = { ...sealed, timestamp: 1e12 };
    expect(refusalOf(() => openWith(merchant, forged)).reason).toBe("wrong-signature");
  });
});

describe("two versions of the keys", () => {
  const current = makeMerchant({ versionId: "new", servicePair: strangerPair, profile: tagged });
  const previous = makeMerchant({
    versionId: "old",
    stage: "previous",
    profile: { cipher: "ECB" },
  });
  const open = (envelope: object, now = sentAt) =>
    openCallback(bytesOf(envelope), () => [current.version, previous.version], windowAt(now));

  test("both open, each by its own profile, and the result says which did", () => {
    expect(open(sealedCallback(current)).verifiedBy).toEqual({
      versionId: "new",
      stage: "current",
    });
    expect(open(sealedCallback(previous)).verifiedBy).toEqual({
      versionId: "old",
      stage: "previous",
    });
  });

  test("what opens with neither is refused for the current one's reason", () => {
    const sealed = sealedCallback(current);
    expect(refusalOf(() => open({ ...sealed, sign: "AAAA" })).reason).toBe("wrong-signature");
    expect(refusalOf(() => open(sealed, sentAt - 1e9)).reason).toBe("too-new");
  });

  test("what the previous one signed is refused for the reason found behind its signature", () => {
    const day = 24 * 3_600_000;
    const sealed = sealedCallback(previous);
    expect(refusalOf(() => open(sealed, sentAt + 9 * day)).reason).toBe("too-old");
    expect(refusalOf(() => open(sealed, sentAt - day)).reason).toBe("too-new");
    const unbound = makeMerchant({
      stage: "previous",
      profile: { unsignedFields: ["merchantId"] },
    });
    const foreign = sealedCallback(unbound, { result: orderResult({ merchantId: "another" }) });
    const versions = () => [current.version, unbound.version];
    const opening = () => openCallback(bytesOf(foreign), versions, windowAt(sentAt));
    expect(refusalOf(opening).reason).toBe("merchant-differs");
  });

  test("a body of one version under the signature of the other opens with neither", () => {
    const [newer, older] = [sealedCallback(current, { id }), sealedCallback(previous, { id })];
    expect(refusalOf(() => open({ ...newer, sign: older["sign"] })).reason).toBe("wrong-signature");
    expect(refusalOf(() => open({ ...older, sign: newer["sign"] })).reason).toBe("cannot-decrypt");
  });
});
