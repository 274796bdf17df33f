import { describe, expect, test } from "vitest";
import { defaultProfile } from "../../../shared/envelope/profile.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { readCallbackKeys, readRequestKeys } from "../../../shared/keys/keys-in-secret.ts";
import { openWith, sealedCallback } from "../../builders/callback.ts";
import { makeMerchant, merchantPair, servicePair } from "../../builders/merchant.ts";
import { expectToHide, thrownBy } from "../../builders/thrown-by.ts";

const versionOf = (text: string) => ({ versionId: "v", createdAtMilliseconds: 0, text });
const merchant = makeMerchant();
const callbackFields = JSON.parse(merchant.callbackSecret());
const requestFields = JSON.parse(merchant.requestSecret());
const readers = { readCallbackKeys, readRequestKeys };

/** The error of a reader, after making sure that it shows no value. */
function errorOf(read: keyof typeof readers, text: string, hidden: string[]): PaycastError {
  const error = thrownBy(PaycastError, () => readers[read](versionOf(text)));
  expectToHide(error, hidden);
  return error;
}

test("callback keys open what the service sealed", () => {
  for (const profile of [{}, { keyEncoding: "hex" }, { keyEncoding: "utf-8" }] as const) {
    const candidate = makeMerchant({ profile });
    const keys = readCallbackKeys(versionOf(candidate.callbackSecret()));
    expect(keys.profile).toEqual(candidate.profile);
    const opened = openWith(
      { ...candidate, version: { ...candidate.version, keys } },
      sealedCallback(candidate),
    );
    expect(opened.merchantId).toBe(candidate.merchantId);
  }
});

test("callback keys hold no private key, request keys the merchant's", () => {
  const callback = readCallbackKeys(versionOf(merchant.callbackSecret()));
  expect(callback.servicePublicKey.equals(servicePair().publicKey)).toBe(true);
  const request = readRequestKeys(versionOf(merchant.requestSecret()));
  expect(request.privateKey.equals(merchantPair().privateKey)).toBe(true);
});

test.each([{}, { profile: null }, { note: "rotated by the night shift" }])(
  "a secret without a profile has the default one, and fields beside the keys are left alone: %j",
  (changes) => {
    const text = JSON.stringify({ ...callbackFields, ...changes });
    expect(readCallbackKeys(versionOf(text)).profile).toEqual(defaultProfile);
  },
);

describe.each([
  ["readCallbackKeys", callbackFields, "servicePublicKey"],
  ["readRequestKeys", requestFields, "merchantPrivateKey"],
] as const)("%s", (read, fields, rsaField) => {
  const hidden = [fields.aesKey, String(fields[rsaField]).slice(60, 90), "hunter2"];

  test.each(["aesKey", rsaField])("names %s when it is missing or of another type", (field) => {
    for (const wrong of [undefined, null, 7, ["hunter2"], { hunter2: "hunter2" }]) {
      const error = errorOf(read, JSON.stringify({ ...fields, [field]: wrong }), hidden);
      expect(error).toMatchObject({ code: "keys-invalid", retryable: false });
      expect(error.message).toContain(`${field} must be a string`);
    }
  });

  test.each(["aesKey", rsaField])("names %s when it is no key, and does not show it", (field) => {
    const error = errorOf(read, JSON.stringify({ ...fields, [field]: "hunter2" }), hidden);
    expect(error.code).toBe("keys-invalid");
    expect(error.message).toMatch(new RegExp(`^${field} must be`));
  });

  test.each([
    ...["", "hunter2", `{"aesKey":"${fields.aesKey}",`, "{hunter2}"].map((text) => [
      text,
      "not JSON",
    ]),
    ...["null", '"hunter2"', "[]", "7"].map((text) => [text, "JSON must be an object"]),
    [
      JSON.stringify({ ...fields, profile: { cipher: "hunter2" } }),
      'cipher must be one of "CBC", "GCM", "ECB"',
    ],
  ] as [string, string][])("says what is wrong with %s, without quoting it", (text, message) => {
    expect(errorOf(read, text, hidden).message).toContain(message);
  });
});
