import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
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

  test("takes its timestamp as a number or as digits, unless the signed text tells them apart", () => {
    const sent = vector.envelope["timestamp"];
    const outcome = opensAs({ timestamp: typeof sent === "number" ? String(sent) : Number(sent) });
    const isTold = keys.profile.signedForm === "canonical-json" && signs("timestamp");
    expect(outcome).toBe(isTold ? "not-authentic: wrong-signature" : vector.plaintext);
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

  test("reads an optional field that is absent, null or empty alike", () => {
    const missing = Object.keys(optionalFields).filter((name) => !vector.envelope[name]);
    const { ...sent } = vector.envelope;
    for (const name of missing) delete sent[name];
    expect(outcomeOf(() => opener(sent))).toBe(vector.plaintext);
    for (const value of [null, ""]) {
      const changed = Object.fromEntries(missing.map((name) => [name, value]));
      expect(opensAs(changed)).toBe(vector.plaintext);
    }
  });

  test("is refused with a character of the body changed, wherever it stands", () => {
    for (const body of oneCharacterAway(vector.envelope["body"])) {
      expect(opensAs({ body })).toMatch(notAuthentic);
    }
  });

  test("is refused with a character of the signature changed, wherever it stands", () => {
    for (const sign of oneCharacterAway(vector.envelope["sign"])) {
      expect(opensAs({ sign })).toBe("not-authentic: wrong-signature");
    }
  });
});

const gcmVectors = callbackVectors.filter(({ profile }) => profile["cipher"] === "GCM");

describe.each(gcmVectors.map((vector) => [vector.name, vector] as const))("%s", (_name, vector) => {
  const keys = callbackKeysOf(vector);
  const opener = openerFor(vector, keys);
  const encoding = keys.profile.bodyEncoding;
  const sealed = Buffer.from(String(vector.envelope["body"]), encoding);
  const opensWith = (body: Buffer) =>
    outcomeOf(() => opener({ ...vector.envelope, body: body.toString(encoding) }));

  test("is refused with any byte of its tag changed", () => {
    for (const tag of oneByteAway(sealed.subarray(-16))) {
      expect(opensWith(Buffer.concat([sealed.subarray(0, -16), tag]))).toMatch(notAuthentic);
    }
  });

  test("is refused with its tag cut short", () => {
    for (const kept of [0, 4, 8, 12, 13, 14, 15]) {
      expect(opensWith(sealed.subarray(0, sealed.length - 16 + kept))).toMatch(notAuthentic);
    }
  });
});

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

/**
 * Texts that differ in one character, the first and the last among them. 0 and 1 are digits of every text
 * encoding, and neither is a second spelling of the other.
 */
function oneCharacterAway(text: unknown): string[] {
  const sent = String(text);
  const places = [...sent]
    .map((_, at) => at)
    .filter((at) => at % 11 === 0 || at === sent.length - 1);
  return places.map(
    (at) => `${sent.slice(0, at)}${sent[at] === "0" ? "1" : "0"}${sent.slice(at + 1)}`,
  );
}

/** The bytes of an encoded text, each changed in one bit in turn, in the same encoding. */
function oneByteAway(bytes: Buffer): Buffer[] {
  return [...bytes].map((byte, at) => {
    const changed = Buffer.from(bytes);
    changed[at] = byte ^ (1 << (at % 8));
    return changed;
  });
}
