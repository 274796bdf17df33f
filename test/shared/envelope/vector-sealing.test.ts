import { describe, expect, test } from "vitest";
import { readProfile } from "../../../shared/envelope/profile.ts";
import { sealRequest } from "../../../shared/envelope/seal-envelope.ts";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { textOf } from "../../builders/callback.ts";
import { sealCallback } from "../../builders/seal-callback.ts";
import {
  type CallbackVector,
  callbackKeysOf,
  callbackVectors,
  keyPairs,
  openerFor,
  type RequestVector,
  requestKeysOf,
  requestVectors,
} from "../../vectors/vectors.ts";

describe("a request is sealed to the same bytes that the other tools made", () => {
  test.each(requestVectors.map((vector) => [vector.name, vector] as const))("%s", (_, vector) => {
    expect(sealedWith(vector, keyPairs[vector.privateKey]!.private.pkcs8Pem)).toEqual(
      vector.envelope,
    );
  });
});

describe("a callback is sealed to the same bytes that the other tools made", () => {
  test.each(reproducible().map((vector) => [vector.name, vector] as const))("%s", (_, vector) => {
    const { id, merchantId, eventName, timestamp } = vector.envelope;
    const callback = {
      id: String(id),
      merchantId: String(merchantId),
      eventName: String(eventName),
      result: vector.plaintext,
      nowMilliseconds: Number(timestamp),
    };
    const keys = requestKeysOf(vector, keyPairs[vector.publicKey]!.private.pkcs8Pem);
    expect(sealCallback(callback, keys)).toEqual(vector.envelope);
  });
});

describe.each(Object.entries(keyPairs))("%s, in every spelling", (name, pair) => {
  const opened = callbackVectors.find((vector) => vector.publicKey === name)!;
  const sealed = { ...requestVectors[0]!, privateKey: name };
  const lenient = { ...sealed.profile, minimumRsaBits: 1024 };
  const spellings = (texts: Readonly<Record<string, string>>) => [
    ...Object.entries(texts),
    ...Object.entries(texts).map(
      ([key, text]) => [`${key} in indented lines`, inIndentedLines(text)] as const,
    ),
  ];

  test.each(spellings(pair.public))("public key %s verifies", (_, text) => {
    const open = openerFor(opened, callbackKeysOf(opened, text));
    expect(textOf(open(opened.envelope)).text).toBe(opened.plaintext);
  });

  test.each(spellings(pair.private))("private key %s signs", (_, text) => {
    const request = { ...sealed, profile: lenient };
    expect(sealedWith(request, text)).toEqual(sealedWith(request, pair.private.pkcs8Pem));
  });
});

test("an RSA key under 2048 bits is refused unless the profile says otherwise", () => {
  const short = callbackVectors.find(({ publicKey }) => keyPairs[publicKey]!.bits < 2048)!;
  const strict = { ...short, profile: {} };
  expect(() => callbackKeysOf(strict)).toThrow(PaycastError);
  expect(() => callbackKeysOf(strict)).toThrow(/servicePublicKey.*1024.*2048/);
  const { pkcs8Pem } = keyPairs[short.publicKey]!.private;
  expect(() => requestKeysOf(strict, pkcs8Pem)).toThrow(/merchantPrivateKey.*1024.*2048/);
  expect(readProfile(short.profile).minimumRsaBits).toBe(1024);
  expect(textOf(openerFor(short)(short.envelope)).text).toBe(short.plaintext);
});

function sealedWith(vector: RequestVector, privateKey: string) {
  const { merchantId, method, timestamp } = vector.envelope;
  const request = {
    merchantId: String(merchantId),
    method: String(method),
    body: vector.body,
    nowMilliseconds: Number(timestamp),
  };
  return sealRequest(request, requestKeysOf(vector, privateKey));
}

/** The callbacks with all optional fields in their usual spelling, and with no chance in them. */
function reproducible(): CallbackVector[] {
  return callbackVectors.filter(({ name }) =>
    /^(?:default-(?:openssl|jdk|python)|unsigned-|padding-)/.test(name),
  );
}

/** The same key as a Windows editor or a YAML file leaves it. */
function inIndentedLines(text: string): string {
  const lines = text.includes("\n") ? text.split("\n") : (text.match(/.{1,64}/g) ?? []);
  return lines.join("\r\n  ");
}
