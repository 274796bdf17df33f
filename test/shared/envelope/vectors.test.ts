import { describe, expect, test } from "vitest";
import { isJsonForm } from "../../../shared/envelope/profile.ts";
import { isSigned } from "../../../shared/envelope/signed-bytes.ts";
import { textOf } from "../../builders/callback.ts";
import {
  type CallbackVector,
  callbackKeysOf,
  callbackVectors,
  openerFor,
  outcomeOf,
  type WireEnvelope,
} from "../../vectors/vectors.ts";

const optionalFields = {
  format: "json",
  charset: "utf-8",
  encryptType: "AES",
  signType: "RSA",
} as const;
const notAuthentic = /^not-authentic: (?:wrong-signature|cannot-decrypt)$/;

const each = describe.each(callbackVectors.map((vector) => [vector.name, vector] as const));

each("%s", (_name, vector) => {
  const keys = callbackKeysOf(vector);
  const opener = openerFor(vector, keys);
  const opensAs = (changed: WireEnvelope) =>
    outcomeOf(() => opener({ ...vector.envelope, ...changed }));
  const form = keys.profile.signedForm;
  const signs = (field: string) =>
    keys.profile.signedForm !== "body" &&
    !keys.profile.unsignedFields.some((unsigned) => unsigned === field);

  test("opens to exactly its plaintext, and exposes what is signed and nothing else", () => {
    const opened = opener(vector.envelope);
    const { id, merchantId, eventName, timestamp } = vector.envelope;
    expect(textOf(opened).text).toBe(vector.plaintext);
    expect(textOf(opened).result).toEqual(JSON.parse(vector.plaintext));
    expect(opened.merchantId).toBe(merchantId);
    expect(opened.eventName).toBe(signs("eventName") ? eventName : undefined);
    expect(opened.id).toBe(signs("id") ? id : undefined);
    expect(opened.sentAtMilliseconds).toBe(signs("timestamp") ? Number(timestamp) : undefined);
  });

  test("is refused with one character changed in a signed field, and only there", () => {
    const required = ["id", "eventName", "timestamp"];
    for (const name of [...required, ...unknownFields(vector)]) {
      const outcome = opensAs({ [name]: changedValue(vector.envelope[name]!) });
      if (signs(name)) expect(outcome, name).toMatch(notAuthentic);
      else expect(outcome, name).toBe(vector.plaintext);
    }
  });

  test("takes its timestamp as a number or as digits, unless the signed text distinguishes them", () => {
    const sent = vector.envelope["timestamp"];
    const outcome = opensAs({ timestamp: typeof sent === "number" ? String(sent) : Number(sent) });
    const isChanged = isJsonForm(keys.profile) && signs("timestamp");
    expect(outcome).toBe(isChanged ? "not-authentic: wrong-signature" : vector.plaintext);
  });

  test("is refused under another merchant's id, signed or not", () => {
    const outcome = opensAs({ merchantId: changedValue(vector.envelope["merchantId"]!) });
    const reason = isSigned(keys.profile, "merchantId") ? "wrong-signature" : "merchant-differs";
    expect(outcome).toBe(`not-authentic: ${reason}`);
  });

  test("is refused when a signed optional field comes or goes", () => {
    for (const [name, value] of Object.entries(optionalFields)) {
      const sent = vector.envelope[name] ? null : value;
      const outcome = opensAs({ [name]: sent });
      if (signs(name)) expect(outcome, name).toMatch(notAuthentic);
      else expect(outcome, name).toBe(vector.plaintext);
    }
  });

  test("is refused when a field that nobody knows is added, unless the body alone is signed", () => {
    const outcome = opensAs({ added: "1" });
    if (keys.profile.signedForm === "body") expect(outcome).toBe(vector.plaintext);
    else expect(outcome).toMatch(notAuthentic);
  });

  test("reads an optional field that is absent, null or empty alike, unless it is signed as it was sent", () => {
    const missing = Object.keys(optionalFields).filter((name) => !vector.envelope[name]);
    for (const value of [undefined, null, ""]) {
      const sent = Object.fromEntries(missing.map((name) => [name, value]));
      const isChanged = missing.some((name) => signs(name) && vector.envelope[name] !== value);
      const outcome = outcomeOf(() => opener({ ...vector.envelope, ...sent }));
      if (isChanged && form === "json-as-sent") expect(outcome).toMatch(notAuthentic);
      else expect(outcome).toBe(vector.plaintext);
    }
  });

  test("is refused with two signed fields in another order, if the order is signed", () => {
    const swapped = withSwapped(vector.envelope, "id", "eventName");
    const orderOf = (envelope: WireEnvelope) => Object.keys(envelope).filter(signs).join();
    const isChanged = form.endsWith("as-sent") && orderOf(swapped) !== orderOf(vector.envelope);
    const outcome = outcomeOf(() => opener(swapped));
    expect(outcome).toBe(isChanged ? "not-authentic: wrong-signature" : vector.plaintext);
  });
});

/** The same fields with the same values, two of them in each other's place. */
function withSwapped(envelope: WireEnvelope, candidate: string, other: string): WireEnvelope {
  const places: Record<string, string> = { [candidate]: other, [other]: candidate };
  const names = Object.keys(envelope).map((name) => places[name] ?? name);
  return Object.fromEntries(names.map((name) => [name, envelope[name]!]));
}

function unknownFields({ envelope }: CallbackVector): string[] {
  const known = ["id", "merchantId", "eventName", "timestamp", "sign", "body"];
  return Object.keys(envelope).filter((name) => !known.includes(name) && !(name in optionalFields));
}

/** Another value of the same kind, one character away. */
function changedValue(value: string | number | boolean): string | number | boolean {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 1;
  const characters = [...value];
  const last = characters.pop();
  return `${characters.join("")}${last === "0" ? "1" : "0"}`;
}
