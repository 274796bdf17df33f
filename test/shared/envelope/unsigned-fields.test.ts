import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { ProfileInput } from "../../../shared/envelope/profile.ts";
import {
  openWith,
  orderResult,
  refusalOf,
  sealedCallback,
  sentAt,
} from "../../builders/callback.ts";
import { makeMerchant } from "../../builders/merchant.ts";

/** An unsigned id is anybody's to change: each of these profiles leaves it out in its own way. */
const idUnsigned: [string, ProfileInput][] = [
  ["the id is left out", { unsignedFields: ["id"] }],
  ["the body alone is signed", { signedForm: "body" }],
  ["the encrypted body alone is signed", { signedForm: "body", signs: "ciphertext" }],
];

describe.each(idUnsigned)("when %s", (_how, profile) => {
  const merchant = makeMerchant({ profile });
  const sealed = sealedCallback(merchant);
  const opened = openWith(merchant, sealed);

  test("the id is not exposed, and the record must not expire", () => {
    expect(opened.id).toBeUndefined();
    expect(opened.deduplication.replayable).toBe(true);
    expect(opened.deduplication.key).toMatch(/^[0-9a-f]{64}$/);
  });

  test("a replay under a new id has the same key", () => {
    const replayed = openWith(merchant, { ...sealed, id: randomUUID() });
    expect(replayed.deduplication).toEqual(opened.deduplication);
  });

  test("another plaintext, and another merchant, have other keys", () => {
    const result = orderResult({ referOrderNo: "ANOTHER" });
    const changed = openWith(merchant, sealedCallback(merchant, { result }));
    const twin = { ...merchant, merchantId: "208800000000000002" };
    const result2 = { ...orderResult(), merchantId: undefined };
    const keys = [merchant, twin].map(
      (candidate) =>
        openWith(candidate, sealedCallback(candidate, { result: result2 })).deduplication.key,
    );
    const all = [opened.deduplication.key, changed.deduplication.key, ...keys];
    expect(new Set(all).size).toBe(4);
  });
});

describe("an event name", () => {
  test("that is signed counts in the deduplication key", () => {
    const merchant = makeMerchant({ profile: { unsignedFields: ["id"] } });
    const [first, two] = ["payment.order.success", "payment.order.failed"].map((eventName) =>
      openWith(merchant, sealedCallback(merchant, { eventName })),
    );
    expect(first?.eventName).toBe("payment.order.success");
    expect(first?.deduplication.key).not.toBe(two?.deduplication.key);
  });

  test("that is not signed is neither exposed nor counts", () => {
    const merchant = makeMerchant({ profile: { unsignedFields: ["id", "eventName"] } });
    const sealed = sealedCallback(merchant);
    const opened = openWith(merchant, sealed);
    const renamed = openWith(merchant, { ...sealed, eventName: "payment.refund.success" });
    expect(opened.eventName).toBeUndefined();
    expect(renamed).toEqual(opened);
  });
});

test("a timestamp that is not signed is not exposed, its window holds, and the record must not expire", () => {
  const merchant = makeMerchant({ profile: { unsignedFields: ["timestamp"] } });
  const sealed = sealedCallback(merchant);
  const { id, deduplication, sentAtMilliseconds } = openWith(merchant, sealed);
  expect(sentAtMilliseconds).toBeUndefined();
  expect(deduplication).toEqual({ key: id?.replaceAll("-", ""), replayable: true });
  expect(openWith(merchant, { ...sealed, timestamp: sentAt - 1 }).content.kind).toBe("text");
  const old = () => openWith(merchant, { ...sealed, timestamp: 1e12 });
  expect(refusalOf(old).reason).toBe("too-old");
});

describe("the merchant inside the result object", () => {
  const bound = makeMerchant();
  const unbound = makeMerchant({ profile: { unsignedFields: ["merchantId"] } });
  const withInner = (merchant: typeof bound, merchantId: unknown) =>
    sealedCallback(merchant, { result: { ...orderResult(), merchantId } });

  test("may differ where the envelope's is signed: that is authentic, and for a later stage", () => {
    for (const inner of ["another", undefined]) {
      const opened = openWith(bound, withInner(bound, inner));
      expect(opened).toMatchObject({ merchantId: bound.merchantId });
    }
  });

  test("must not differ where the envelope's is not signed", () => {
    for (const inner of ["another", 2088, {}, [unbound.merchantId], false]) {
      const refusal = refusalOf(() => openWith(unbound, withInner(unbound, inner)));
      expect(refusal.reason).toBe("merchant-differs");
    }
  });

  test("may be a number there, which is read by its text", () => {
    const { merchantId } = unbound;
    const openedWith = (number: string) =>
      JSON.stringify(orderResult()).replace(`"${merchantId}"`, number);
    const seal = (number: string) => sealedCallback(unbound, { result: openedWith(number) });
    expect(openWith(unbound, seal(merchantId))).toMatchObject({ merchantId });
    const refusal = refusalOf(() => openWith(unbound, seal(`${BigInt(merchantId) + 1n}`)));
    expect(refusal.reason).toBe("merchant-differs");
  });

  test("may be absent there, and then only the keys vouch for the merchant", () => {
    const results = [undefined, null, "", unbound.merchantId].map((merchantId) =>
      orderResult({ merchantId }),
    );
    for (const result of [...results, "null", "7", '"text"', "[]"]) {
      const opened = openWith(unbound, sealedCallback(unbound, { result }));
      expect(opened).toMatchObject({ merchantId: unbound.merchantId });
    }
  });

  test("a callback for one merchant does not open for another that shares its keys", () => {
    const twin = { ...unbound, merchantId: "208800000000000002" };
    const stolen = { ...sealedCallback(unbound), merchantId: twin.merchantId };
    expect(refusalOf(() => openWith(twin, stolen)).reason).toBe("merchant-differs");
  });
});
