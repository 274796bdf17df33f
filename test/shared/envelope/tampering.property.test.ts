import fc from "fast-check";
import { expect, test } from "vitest";
import { encryptBody } from "../../../shared/envelope/cipher.ts";
import type { OpenedCallback } from "../../../shared/envelope/open-callback.ts";
import { Refusal } from "../../../shared/envelope/refusal.ts";
import { bytesOf, openWith, sealedCallback, textOf } from "../../builders/callback.ts";
import { makeMerchant, type TestMerchant } from "../../builders/merchant.ts";
import { anyProfile, canSeal } from "../../builders/profile.ts";
import { draws } from "../../setup/draws.ts";

type Envelope = Record<string, unknown>;

/** What opening gives, or the refusal; anything else that is thrown fails the test. */
function attempt(merchant: TestMerchant, input: Buffer | Envelope): OpenedCallback | Refusal {
  try {
    return openWith(merchant, input);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** Either it is refused, or it is one of those that the service did send, whole. */
function expectGenuine(opened: OpenedCallback | Refusal, genuine: readonly OpenedCallback[]) {
  if (!(opened instanceof Refusal)) expect(genuine).toContainEqual(opened);
}

const fieldNames = [
  "id",
  "merchantId",
  "eventName",
  "sign",
  "timestamp",
  "body",
  "format",
] as const;
const anyValue = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.integer({ min: 1e12, max: 1e13 - 1 }),
  fc.base64String(),
  fc.uuid(),
  fc.constantFrom(null, true, "", [], {}, -0, 1e308, "utf-8", "UTF-8", "json"),
);

/** Ways to change an envelope without any key. */
const anyChange: fc.Arbitrary<(envelope: Envelope, other: Envelope) => Envelope> = fc.oneof(
  fc
    .tuple(fc.constantFrom(...fieldNames), anyValue)
    .map(([name, value]) => (envelope: Envelope) => ({ ...envelope, [name]: value })),
  fc.tuple(fc.string(), anyValue).map(([name, value]) => (envelope: Envelope) => {
    return { ...envelope, [name]: value };
  }),
  fc.constantFrom(...fieldNames).map((name) => (envelope: Envelope) => {
    return Object.fromEntries(Object.entries(envelope).filter(([field]) => field !== name));
  }),
  fc.constantFrom(...fieldNames).map((name) => (envelope: Envelope, other: Envelope) => {
    return { ...envelope, [name]: other[name] };
  }),
  fc
    .tuple(fc.constantFrom("body", "sign"), fc.nat(), fc.string({ maxLength: 3 }))
    .map(([name, at, text]) => (envelope: Envelope) => {
      const value = String(envelope[name]);
      const start = at % value.length;
      return { ...envelope, [name]: `${value.slice(0, start)}${text}${value.slice(start + 1)}` };
    }),
);

test("no change to an envelope's fields opens to another callback", () => {
  fc.assert(
    fc.property(
      anyProfile.filter(canSeal),
      fc.array(anyChange, { minLength: 1, maxLength: 3 }),
      (profile, changes) => {
        const merchant = makeMerchant({ profile });
        const sealed = sealedCallback(merchant);
        const other = sealedCallback(merchant, { result: '{"status":"failed"}', eventName: "x" });
        const changed = changes.reduce((envelope, change) => change(envelope, other), sealed);
        const genuine = [sealed, other].map((envelope) => openWith(merchant, envelope));
        expectGenuine(attempt(merchant, changed), genuine);
      },
    ),
    { numRuns: draws(300) },
  );
});

test("no change to its bytes does", () => {
  const merchants = fc
    .sample(anyProfile.filter(canSeal), 12)
    .map((profile) => makeMerchant({ profile }));
  const sealed = merchants.map((merchant) => ({
    merchant,
    bytes: bytesOf(sealedCallback(merchant)),
  }));
  const edit = fc.tuple(fc.nat(), fc.nat({ max: 2 }), fc.uint8Array({ maxLength: 2 }));
  fc.assert(
    fc.property(fc.constantFrom(...sealed), edit, ({ merchant, bytes }, [at, removed, added]) => {
      const start = at % bytes.length;
      const changed = Buffer.concat([
        bytes.subarray(0, start),
        added,
        bytes.subarray(start + removed),
      ]);
      expectGenuine(attempt(merchant, changed), [openWith(merchant, bytes)]);
    }),
    { numRuns: draws(1_500) },
  );
});

test("who holds the AES key but not the signing key cannot make another result", () => {
  const moved = fc.constantFrom("charset", "encryptType", "format");
  const text = fc.oneof(fc.json(), fc.string(), fc.constant('{"status":"failed"}'));
  fc.assert(
    fc.property(anyProfile.filter(canSeal), moved, text, (profile, name, replacement) => {
      const merchant = makeMerchant({ profile });
      const sealed = sealedCallback(merchant);
      const original = openWith(merchant, sealed);
      const { [name]: value, ...rest } = sealed;
      const encrypt = (plaintext: string) =>
        encryptBody(Buffer.from(plaintext), merchant.service.aesKey, profile);
      const swallowed = { ...rest, body: encrypt(`${textOf(original).text}&${name}=${value}`) };
      for (const forged of [{ ...sealed, body: encrypt(replacement) }, swallowed]) {
        const opened = attempt(merchant, forged);
        if (opened instanceof Refusal) continue;
        const { text, result } = textOf(opened);
        if (text !== textOf(original).text) expect(result).toBeUndefined();
      }
    }),
    { numRuns: draws(200) },
  );
});
