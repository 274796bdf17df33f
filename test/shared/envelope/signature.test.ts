import { describe, expect, test } from "vitest";
import { readProfile } from "../../../shared/envelope/profile.ts";
import { canSign } from "../../../shared/envelope/signature.ts";
import { textOf } from "../../builders/callback.ts";
import { callbackKeysOf, openerWith, pssVectors, requestKeysOf } from "../../vectors/vectors.ts";

describe.each(pssVectors)("an RSA-PSS key of openssl, $name", (vector) => {
  test("verifies a signature whose salt length it allows", () => {
    const open = openerWith(callbackKeysOf(vector, vector.publicKey));
    expect(textOf(open(vector.envelope)).text).toBe(vector.plaintext);
  });

  test("can sign with the hash of its profile", () => {
    const { privateKey, profile } = requestKeysOf(vector, vector.privateKey);
    expect(canSign(privateKey, profile)).toBe(true);
  });
});

test("an RSA-PSS key cannot sign with a hash that it forbids", () => {
  const [, onlySha512] = pssVectors;
  const { privateKey } = requestKeysOf(onlySha512!, onlySha512!.privateKey);
  const other = readProfile({ signaturePadding: "PSS", signatureHash: "SHA-256" });
  expect(canSign(privateKey, other)).toBe(false);
});
