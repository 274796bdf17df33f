import { expect, test } from "vitest";
import { Refusal } from "../../../shared/envelope/refusal.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { describeRefusal } from "../../../shared/receiving/callback-line.ts";
import { smokeName } from "../../../shared/smoke-merchant.ts";

test("the empty request of check and a refused smoke test are counted apart, not as refused callbacks", () => {
  const metricsOf = (error: unknown, merchantId?: string) =>
    describeRefusal(error, { merchantId }, 0, 0)[1];
  expect(metricsOf(new Refusal("not-an-envelope", "empty-body"))).toEqual({ EmptyBody: 1 });
  const forged = new Refusal("not-authentic", "wrong-signature");
  expect(metricsOf(forged, smokeName)).toEqual({ SmokeRefused: 1 });
  expect(metricsOf(forged, "shop-1")).toMatchObject({ NotAuthentic: 1, WrongSignature: 1 });
});

test("each class of refusal, its reason, and each failure of our own has its metric", () => {
  const metricsOf = (error: unknown) => describeRefusal(error, {}, 0, 0)[1];
  expect(metricsOf(new Refusal("not-authentic", "too-old"))).toEqual({
    NotAuthentic: 1,
    TooOld: 1,
    Accepted: 0,
  });
  expect(metricsOf(new Refusal("not-an-envelope", "not-json"))).toEqual({
    NotAnEnvelope: 1,
    NotJson: 1,
    Accepted: 0,
  });
  expect(metricsOf(new Refusal("too-large", "too-large"))).toEqual({ TooLarge: 1, Accepted: 0 });
  expect(metricsOf(new Refusal("source-not-allowed", "source-not-allowed"))).toEqual({
    SourceNotAllowed: 1,
    Accepted: 0,
  });
  expect(metricsOf(new PaycastError("inbox-unavailable", ""))).toEqual({
    NotStored: 1,
    Accepted: 0,
  });
  for (const code of [
    "keys-unset",
    "keys-invalid",
    "keys-unreachable",
    "profile-invalid",
  ] as const) {
    expect(metricsOf(new PaycastError(code, ""))).toEqual({
      NotStored: 1,
      KeysUnavailable: 1,
      Accepted: 0,
    });
  }
});
