import fc from "fast-check";
import { expect, test } from "vitest";
import { requestBytes } from "../../../shared/envelope/envelope.ts";
import type { OpenedCallback } from "../../../shared/envelope/open-callback.ts";
import { Refusal } from "../../../shared/envelope/refusal.ts";
import { bytesOf, openCallback, sentAt, windowAt } from "../../builders/callback.ts";
import { makeMerchant } from "../../builders/merchant.ts";
import { anyProfile } from "../../builders/profile.ts";
import { draws } from "../../setup/draws.ts";

const profiles = [{}, ...fc.sample(anyProfile, 40)];
const versions = profiles.map((profile) => makeMerchant({ profile }).version);

/** Every id is known here, so that whatever looks like an envelope is decrypted and verified. */
function expectRefused(bytes: Buffer): void {
  let opened: OpenedCallback | undefined;
  try {
    opened = openCallback(bytes, () => versions, windowAt(sentAt));
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
  }
  expect(opened).toBeUndefined();
}

const oddName = fc.constantFrom(
  "__proto__",
  "constructor",
  "toString",
  "valueOf",
  "then",
  "length",
);
const oddText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("\ud800", "\udfff\ud800", "\u0000", "\u2028", "a".repeat(70_000)),
);
/** A value that no check can compare, since it turns into no primitive. */
const incomparable = fc.constant({ length: { toString: "", valueOf: "" } });
const anything = fc.anything({
  key: fc.oneof(fc.string(), oddName),
  values: [
    fc.string(),
    oddText,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.integer(),
    incomparable,
  ],
});

test("random bytes are refused and nothing else", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => expectRefused(Buffer.from(bytes))),
  );
});

test("random JSON is refused and nothing else", () => {
  fc.assert(
    fc.property(anything, (value) => expectRefused(Buffer.from(JSON.stringify(value) ?? ""))),
    { numRuns: draws(500) },
  );
});

const cipherish = fc.oneof(
  fc.base64String(),
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef") }),
  oddText,
  fc.constant("A".repeat(344)),
);
const envelopeLike = fc.record(
  {
    id: fc.oneof({ weight: 5, arbitrary: fc.uuid() }, anything),
    merchantId: fc.oneof({ weight: 5, arbitrary: fc.string({ minLength: 1 }) }, oddText),
    eventName: fc.oneof({ weight: 5, arbitrary: fc.string({ minLength: 1 }) }, oddText),
    timestamp: fc.oneof({ weight: 5, arbitrary: fc.constant(sentAt) }, anything),
    sign: cipherish,
    body: cipherish,
  },
  { requiredKeys: ["id", "merchantId", "eventName", "timestamp", "sign"] },
);
const extras = fc.dictionary(fc.oneof(fc.string(), oddName), fc.oneof(anything, fc.string()), {
  maxKeys: 3,
});

test("what looks like an envelope, with odd fields beside it, is refused and nothing else", () => {
  fc.assert(
    fc.property(envelopeLike, extras, (envelope, extra) => {
      expectRefused(bytesOf({ ...extra, ...envelope }));
      const withOwnProto = JSON.stringify(envelope).replace("{", '{"__proto__":{"id":"x"},');
      expectRefused(Buffer.from(withOwnProto));
    }),
    { numRuns: draws(300) },
  );
});

test("nesting and sizes that no sender has are refused and nothing else", () => {
  const nested = (depth: number) => `${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}`;
  const texts = [
    nested(30_000),
    '{"a":'.repeat(50_000),
    "[".repeat(262_144),
    `"${"\\ud800".repeat(40_000)}"`,
  ];
  for (const text of texts) {
    expectRefused(Buffer.from(text));
    expectRefused(Buffer.from(`{"id":"${sentAt}","body":${text}}`));
  }
  expectRefused(Buffer.alloc(50_000_000));
});

test("a request body of any text, flagged as base64 or not, gives bytes or a refusal", () => {
  fc.assert(
    fc.property(fc.oneof(oddText, fc.base64String(), fc.string()), fc.boolean(), (text, flag) => {
      try {
        expect(Buffer.isBuffer(requestBytes({ body: text, isBase64Encoded: flag }))).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(Refusal);
      }
    }),
  );
});
