import fc from "fast-check";
import { expect, test } from "vitest";
import type { Profile } from "../../../shared/envelope/profile.ts";
import { isSigned } from "../../../shared/envelope/signed-bytes.ts";
import { openWith, sealedCallback } from "../../builders/callback.ts";
import { makeMerchant } from "../../builders/merchant.ts";
import { anyProfile, canHold, canSeal } from "../../builders/profile.ts";
import { draws } from "../../setup/draws.ts";

const fieldText = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
  .map((text) => text.replace(/[&=]/g, "_"));

const anyCallback = fc.record({
  id: fc.uuid().chain((id) => fc.constantFrom(id, id.toUpperCase(), id.replaceAll("-", ""))),
  merchantId: fieldText,
  eventName: fieldText,
  result: fc.oneof(fc.json(), fc.string({ unit: "grapheme" }), fc.constant("&sign=x&id=1")),
  nowMilliseconds: fc.integer({ min: 1e12, max: 1e13 - 1 }),
});

const aesKeyBytes = fc.constantFrom(16 as const, 24 as const, 32 as const);

test("seal then open is the identity, for every profile", () => {
  fc.assert(
    fc.property(
      anyProfile.filter(canSeal),
      aesKeyBytes,
      anyCallback,
      (profile, bytes, callback) => {
        const { id, merchantId, eventName, nowMilliseconds } = callback;
        const result = resultUnder(profile, callback.result);
        fc.pre(canHold(profile, result));
        const merchant = makeMerchant({ merchantId, profile, aesKeyBytes: bytes });
        const sealed = sealedCallback(merchant, { ...callback, result });
        const opened = openWith(merchant, sealed, nowMilliseconds);
        expect(opened).toMatchObject({
          merchantId,
          content: { kind: "text", text: result },
          verifiedBy: { versionId: "version-1", stage: "current" },
        });
        const only = <T>(field: Parameters<typeof isSigned>[1], value: T) =>
          isSigned(profile, field) ? value : undefined;
        expect(opened.id).toBe(only("id", id));
        expect(opened.eventName).toBe(only("eventName", eventName));
        expect(opened.sentAtMilliseconds).toBe(only("timestamp", nowMilliseconds));
      },
    ),
    { numRuns: draws(300) },
  );
});

/**
 * A signed ciphertext must decrypt to something that begins like a result object: nothing else shows that the AES key is
 * right. Under an unsigned merchant id it must be JSON: nothing else shows whose it is.
 */
function resultUnder(profile: Profile, result: string): string {
  if (profile.signs === "plaintext") return result;
  return isSigned(profile, "merchantId") ? `{${result}` : JSON.stringify({ result });
}
