import { describe, expect, test } from "vitest";
import { sealRequest } from "../../../shared/envelope/seal-envelope.ts";
import { textOf } from "../../builders/callback.ts";
import {
  callbackKeysOf,
  openerWith,
  outcomeOf,
  pssVectors,
  requestKeysOf,
} from "../../vectors/vectors.ts";

const [anyHash, onlySha512] = pssVectors;
const request = { merchantId: "m", method: "service.trade.query", body: {}, nowMilliseconds: 1e12 };

describe.each(pssVectors)("a key of openssl marked as RSA-PSS, $name", (vector) => {
  const keys = callbackKeysOf(vector, vector.publicKey);

  test("verifies what openssl signed with it", () => {
    expect(textOf(openerWith(keys)(vector.envelope)).text).toBe(vector.plaintext);
  });

  test("verifies nothing else", () => {
    const changed = { ...vector.envelope, eventName: "payment.order.success" };
    expect(outcomeOf(() => openerWith(keys)(changed))).toBe("not-authentic: wrong-signature");
  });

  test("seals a request", () => {
    const sealing = requestKeysOf(vector, vector.privateKey);
    expect(JSON.parse(sealRequest(request, sealing))["sign"]).toEqual(expect.any(String));
  });

  test("is refused by a profile without PSS, with a reason", () => {
    const plain = { ...vector, profile: {} };
    const reason = /must be a plain RSA key, or the profile's signaturePadding "PSS"/;
    expect(() => callbackKeysOf(plain, vector.publicKey)).toThrow(reason);
    expect(() => requestKeysOf(plain, vector.privateKey)).toThrow(reason);
  });
});

describe("a key whose parameters contradict the profile's hash", () => {
  const other = { ...onlySha512!, profile: { signaturePadding: "PSS", signatureHash: "SHA-256" } };

  test("has signed nothing, and that is no exception", () => {
    const open = openerWith(callbackKeysOf(other, other.publicKey));
    expect(outcomeOf(() => open(other.envelope))).toBe("not-authentic: wrong-signature");
    expect(outcomeOf(() => open(anyHash!.envelope))).toBe("not-authentic: wrong-signature");
  });

  test("cannot sign requests, which its secret is refused for", () => {
    const problem = expect.objectContaining({
      code: "keys-invalid",
      message: expect.stringMatching(/^merchantPrivateKey must allow .* SHA-256/),
    });
    expect(() => requestKeysOf(other, other.privateKey)).toThrow(problem);
  });
});
