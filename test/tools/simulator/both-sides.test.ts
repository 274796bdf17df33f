import { describe, expect, expectTypeOf, test } from "vitest";
import { type Profile, readProfile } from "../../../shared/envelope/profile.ts";
import { sealRequest } from "../../../shared/envelope/seal-envelope.ts";
import { readCallbackKeys, readRequestKeys } from "../../../shared/keys/keys-in-secret.ts";
import { currencyCodes, currencyExponent } from "../../../shared/money/currencies.ts";
import { openRequest } from "../../../tools/simulator/gateway/open-request.ts";
import { makeMerchant, readMerchant } from "../../../tools/simulator/merchants/merchant.ts";
import { decimalsOf } from "../../../tools/simulator/orders/money.ts";
import { sealCallback } from "../../../tools/simulator/wire/callback-envelope.ts";
import { JsonNumber } from "../../../tools/simulator/wire/exact-json.ts";
import {
  merchantsProfile,
  profileSchema,
  type WireProfile,
  type WireProfileInput,
} from "../../../tools/simulator/wire/profile.ts";
import { openCallback, textOf } from "../../builders/callback.ts";

/**
 * The simulator has its own cryptography, so that an error in one implementation is not hidden by the same error in the
 * other. Here both meet, on profiles that combine every value with many others.
 */
const axes = {
  signing: [
    { signedForm: "sorted-pairs" },
    { signedForm: "canonical-json", signs: "ciphertext" },
    { signedForm: "json-as-sent" },
    { signedForm: "pairs-as-sent" },
    { signedForm: "canonical-json", bodyInJson: "json" },
    { signedForm: "body", signs: "ciphertext" },
    { signedForm: "json-as-sent", bodyInJson: "json" },
    { signedForm: "pairs-as-sent", signs: "ciphertext" },
    { signedForm: "canonical-json" },
    { signedForm: "body" },
    { signedForm: "json-as-sent", signs: "ciphertext" },
    { signedForm: "sorted-pairs", signs: "ciphertext" },
  ],
  jsonStyle: ["plain", "php", "php-unicode", "ascii", "python", "python-unicode", "go", "gson"],
  unsignedFields: [[], ["id", "timestamp"], ["eventName", "method", "format"], ["merchantId"]],
  signatureHash: ["SHA-256", "SHA-1", "SHA-512"],
  signaturePadding: ["PKCS1-v1_5", "PSS"],
  signatureEncoding: ["base64", "base64url", "hex"],
  cipher: [
    { cipher: "CBC", iv: "zero" },
    { cipher: "CBC", iv: "prefixed" },
    { cipher: "CBC", iv: "fixed", fixedIv: "00112233445566778899aabbccddeeff" },
    { cipher: "GCM", iv: "prefixed" },
    { cipher: "ECB", iv: "zero" },
  ],
  keyEncoding: ["base64", "hex", "utf-8"],
  bodyEncoding: ["base64", "base64url", "hex"],
  numbers: ["number", "string"],
} as const;

/** The nth combination. Each axis steps at its own pace, so that all pairs of values occur. */
function profileAt(index: number): WireProfileInput {
  const pick = <T>(values: readonly T[], pace: number): T =>
    values[Math.floor((index * pace) / 7) % values.length]!;
  return {
    ...pick<Pick<WireProfileInput, "signedForm" | "signs" | "bodyInJson">>(axes.signing, 7),
    jsonStyle: pick(axes.jsonStyle, 1),
    unsignedFields: [
      ...pick<readonly ("id" | "timestamp" | "eventName" | "method" | "format" | "merchantId")[]>(
        axes.unsignedFields,
        4,
      ),
    ],
    signatureHash: pick(axes.signatureHash, 11),
    signaturePadding: pick(axes.signaturePadding, 3),
    signatureEncoding: pick(axes.signatureEncoding, 13),
    ...pick<Pick<WireProfileInput, "cipher" | "iv" | "fixedIv">>(axes.cipher, 7),
    keyEncoding: pick(axes.keyEncoding, 2),
    bodyEncoding: pick(axes.bodyEncoding, 17),
    numbers: pick(axes.numbers, 9),
  };
}

const made = await makeMerchant("m1");
const { merchantPublicKey, servicePrivateKey } = made.service;

function sidesOf(profile: WireProfileInput) {
  const aesKey = {
    base64: "MDEyMzQ1Njc4OWFiY2RlZg==",
    hex: "0123456789abcdef0123456789abcdef",
    "utf-8": "0123456789abcdef",
  }[profile.keyEncoding ?? "base64"];
  const service = readMerchant({
    merchantId: "m1",
    aesKey,
    merchantPublicKey,
    servicePrivateKey,
    profile,
  });
  const version = (keys: object) => ({
    versionId: "v",
    createdAtMilliseconds: 0,
    text: JSON.stringify({ ...keys, aesKey, profile }),
  });
  return {
    service,
    callbackKeys: version(made.callbackKeys),
    requestKeys: version(made.requestKeys),
  };
}

const indices = Array.from({ length: 240 }, (_item, index) => index);

describe("the simulator and the receiver understand each other", () => {
  test("a request that Paycast seals is opened by the simulator", () => {
    for (const index of indices) {
      const { service, requestKeys } = sidesOf(profileAt(index));
      const body = {
        paymentId: "p1",
        note: "Größe & Preis = <b>'杯'</b> 🙂\u2028\u007f",
        list: ["a, b: c", { d: "e" }],
      };
      const request = {
        merchantId: "m1",
        method: "service.trade.query",
        body,
        nowMilliseconds: Date.now(),
      };
      const envelope = sealRequest(request, readRequestKeys(requestKeys));
      const checks = {
        merchants: new Map([["m1", service]]),
        nowMilliseconds: Date.now(),
        windowSeconds: 300,
      };
      const opened = openRequest(Buffer.from(envelope), checks);
      expect(opened).toMatchObject({ method: "service.trade.query", body });
    }
  });

  test("a callback that the simulator seals is opened by Paycast", () => {
    for (const index of indices) {
      const { service, callbackKeys } = sidesOf(profileAt(index));
      const envelope = sealCallback({
        profile: service.profile,
        id: "0f8fad5b-d9cb-469f-a165-70867728950e",
        merchantId: "m1",
        eventName: "payment.order.success",
        timestampMilliseconds: Date.now(),
        result: {
          merchantId: "m1",
          referOrderNo: "杯 🙂",
          paymentAmount: new JsonNumber("25.10"),
          status: "success",
          msg: "<a href='x/?b=1&c=2'>\u2028\u007f</a>",
        },
        signingKey: service.sealing.servicePrivateKey,
        aesKey: service.sealing.aesKey,
      });
      const keys = readCallbackKeys(callbackKeys);
      const opened = openCallback(
        Buffer.from(envelope),
        () => [{ versionId: "v", stage: "current", keys }],
        {
          nowMilliseconds: Date.now(),
          maximumAgeMilliseconds: 60_000,
          maximumAheadMilliseconds: 60_000,
        },
      );
      expect(textOf(opened).result).toMatchObject({ referOrderNo: "杯 🙂", paymentAmount: 25.1 });
    }
  });

  test("both read the same profile out of the same JSON", () => {
    for (const index of indices) {
      const profile = profileAt(index);
      expect(merchantsProfile(profileSchema.parse(profile))).toEqual(readProfile(profile));
    }
    expect(merchantsProfile(profileSchema.parse({}))).toEqual(readProfile({}));
  });

  test("both have the same profile fields with the same values", () => {
    // `npm run check` compares these types: a value that only one side knows does not compile.
    type Simulators = ReturnType<typeof merchantsProfile<WireProfile>>;
    expectTypeOf<Omit<Simulators, "fixedIv">>().toEqualTypeOf<Omit<Profile, "fixedIv">>();
  });

  test("these profiles have every form of the signed text", () => {
    type Tried = (typeof axes.signing)[number]["signedForm"];
    expectTypeOf<Tried>().toEqualTypeOf<Profile["signedForm"]>();
  });

  test("both refuse the same profiles", () => {
    const wrong = [
      { cipher: "ECB", iv: "prefixed" },
      { iv: "fixed" },
      { fixedIv: "00" },
      { iv: "fixed", fixedIv: "00112233445566778899aabb" },
      { cipher: "GCM", iv: "fixed", fixedIv: "00112233445566778899aabbccddeeff" },
      { iv: "fixed", fixedIv: "zz112233445566778899aabbccddeeff" },
      { cipher: "DES" },
      { minimumRsaBits: 512 },
      { unsignedFields: ["body"] },
      { colour: "red" },
      { signs: "ciphertext", bodyInJson: "json" },
      { jsonStyle: "ruby" },
    ];
    for (const profile of wrong) {
      expect(profileSchema.safeParse(profile).success).toBe(false);
      expect(() => readProfile(profile)).toThrow();
    }
  });

  test("both know the same currencies with the same decimals", () => {
    for (const code of currencyCodes)
      expect([code, decimalsOf(code)]).toEqual([code, currencyExponent(code)]);
    const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
    const codes = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)));
    expect(codes.filter((code) => decimalsOf(code) !== undefined)).toEqual([...currencyCodes]);
  });
});
