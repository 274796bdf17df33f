import { sign } from "node:crypto";
import { describe, expect, test } from "vitest";
import { NotDecrypted } from "../../../shared/envelope/not-decrypted.ts";
import type { ProfileInput } from "../../../shared/envelope/profile.ts";
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
import { makeMerchant, type TestMerchant } from "../../builders/merchant.ts";
import { thrownBy } from "../../builders/thrown-by.ts";

const latin1 = Buffer.from('{"msg":"caf\xe9"}', "latin1");

/** An envelope whose body is this text, whatever it is, under a good signature of the text. */
function signedCiphertext(merchant: TestMerchant, body: string): Record<string, unknown> {
  const { sign: _sign, ...sealed } = sealedCallback(merchant, {
    id: "6f1c2f0e3b5e4c599d3c0c6a7b1f2d11",
  });
  const fields = { ...sealed, body };
  const pairs = Object.entries(fields)
    .filter(([name]) => !merchant.profile.unsignedFields.some((unsigned) => unsigned === name))
    .map(([name, value]) => `${name}=${value}`);
  const text = merchant.profile.signedForm === "body" ? body : pairs.sort().join("&");
  const signature = sign("sha256", Buffer.from(text), merchant.service.privateKey);
  return { ...fields, sign: signature.toString("base64") };
}

const plaintextProfiles: readonly ProfileInput[] = [
  {},
  { signedForm: "body" },
  { cipher: "GCM", iv: "prefixed" },
  { cipher: "ECB" },
];
const ciphertextProfiles: readonly ProfileInput[] = [
  { signs: "ciphertext" },
  { signs: "ciphertext", signedForm: "canonical-json" },
];

test.each(plaintextProfiles)("a signed plaintext that is not UTF-8 opens: %j", (profile) => {
  const merchant = makeMerchant({ profile });
  const opened = openWith(merchant, sealedCallback(merchant, { result: latin1 }));
  expect(opened.content).toEqual({ kind: "not-utf-8", bytes: latin1 });
});

describe.each([...plaintextProfiles, ...ciphertextProfiles])("under %j", (profile) => {
  const merchant = makeMerchant({ profile });

  test("a byte order mark before the plaintext is kept, and its JSON is read", () => {
    const text = `\ufeff${JSON.stringify(orderResult())}`;
    const opened = openWith(merchant, sealedCallback(merchant, { result: text }));
    expect(opened.content).toEqual({ kind: "text", text, result: orderResult() });
  });
});

test("canonical JSON cannot hold bytes that are not UTF-8, so nobody has signed them", () => {
  const merchant = makeMerchant({ profile: { signedForm: "canonical-json" } });
  const replaced = sealedCallback(merchant, { result: latin1 });
  expect(refusalOf(() => openWith(merchant, replaced)).reason).toBe("wrong-signature");
});

describe("a signed ciphertext", () => {
  const merchant = makeMerchant({ profile: { signs: "ciphertext" } });

  const { merchantId } = merchant;
  const notDecrypted = (envelope: object) =>
    thrownBy(NotDecrypted, () => openWith(merchant, envelope));

  test.each(["AAAA", "?", "body"])("that does not decrypt names its event and id: %s", (body) => {
    expect(notDecrypted(signedCiphertext(merchant, body))).toMatchObject({
      code: "body-not-decrypted",
      retryable: true,
      callback: {
        merchantId,
        id: "6f1c2f0e3b5e4c599d3c0c6a7b1f2d11",
        eventName: "payment.order.success",
      },
    });
  });

  /** A wrong key passes the check of the padding once in 256 times, and a wrong IV spoils only the first block. */
  test.each<[string, string | Buffer]>([
    ["is not UTF-8", latin1],
    ["is empty", ""],
    ["begins with other text", `garbage ${JSON.stringify(orderResult())}`],
    ["is JSON of another kind", "[]"],
  ])("whose plaintext %s was not decrypted with the right key", (_case, result) => {
    notDecrypted(sealedCallback(merchant, { result }));
  });

  test("whose plaintext begins like a result was, even if the rest is no JSON", () => {
    const opened = openWith(merchant, sealedCallback(merchant, { result: ' \r\n{"status":' }));
    expect(opened.content).toMatchObject({ kind: "text", result: undefined });
  });

  test("names only what is signed", () => {
    const unsigned = makeMerchant({
      profile: { signs: "ciphertext", unsignedFields: ["id", "eventName"] },
    });
    const opening = () => openWith(unsigned, signedCiphertext(unsigned, "AAAA"));
    expect(thrownBy(NotDecrypted, opening).callback).toEqual({ merchantId });
  });

  test("is read with the version whose AES key fits, if both verify it", () => {
    const older = makeMerchant({
      profile: { signs: "ciphertext" },
      versionId: "old",
      stage: "previous",
    });
    const versions = [merchant.version, older.version];
    const opened = openCallback(bytesOf(sealedCallback(older)), () => versions, windowAt(sentAt));
    expect(opened.content.kind).toBe("text");
    expect(opened.verifiedBy).toEqual({ versionId: "old", stage: "previous" });
    const neither = bytesOf(signedCiphertext(merchant, "AAAA"));
    thrownBy(NotDecrypted, () => openCallback(neither, () => versions, windowAt(sentAt)));
  });
});

describe.each<ProfileInput>([{ unsignedFields: ["merchantId"] }, { signedForm: "body" }])(
  "where a ciphertext is signed and its recipient is not, with %j",
  (profile) => {
    const merchant = makeMerchant({ profile: { signs: "ciphertext", ...profile } });
    const reasonOf = (envelope: object) => refusalOf(() => openWith(merchant, envelope)).reason;

    test("another merchant's envelope, sent to us, is refused", () => {
      const other = makeMerchant({
        merchantId: "another",
        profile: { signs: "ciphertext", ...profile },
      });
      const stolen = { ...sealedCallback(other), merchantId: merchant.merchantId };
      expect(reasonOf(stolen)).toBe("merchant-differs");
    });

    test("a body says nothing of its recipient if it is not decrypted, not UTF-8 or not JSON", () => {
      expect(reasonOf(signedCiphertext(merchant, "AAAA"))).toBe("merchant-differs");
      for (const result of [latin1, "not {JSON", ""]) {
        expect(reasonOf(sealedCallback(merchant, { result }))).toBe("merchant-differs");
      }
      const named = sealedCallback(merchant, { result: orderResult({ merchantId: "another" }) });
      expect(reasonOf(named)).toBe("merchant-differs");
    });

    test("JSON that our AES key gives is ours, also if it names nobody", () => {
      const sealed = sealedCallback(merchant, { result: orderResult({ merchantId: undefined }) });
      expect(openWith(merchant, sealed).content.kind).toBe("text");
    });
  },
);

test("a signed plaintext that is no JSON is authentic, also under an unsigned merchant id", () => {
  const merchant = makeMerchant({ profile: { unsignedFields: ["merchantId"] } });
  const opened = openWith(merchant, sealedCallback(merchant, { result: latin1 }));
  expect(opened.content).toEqual({ kind: "not-utf-8", bytes: latin1 });
});
