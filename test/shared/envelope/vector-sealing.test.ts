import { describe, expect, test } from "vitest";
import { sealRequest } from "../../../shared/envelope/seal-envelope.ts";
import { sealCallback } from "../../builders/seal-callback.ts";
import {
  type CallbackVector,
  callbackVectors,
  keyPairs,
  requestKeysOf,
  requestVectors,
} from "../../vectors/vectors.ts";

describe("a request is sealed to the same bytes that the other tools made", () => {
  test.each(requestVectors.map((vector) => [vector.name, vector] as const))(
    "%s",
    (_case, vector) => {
      const { merchantId, method, timestamp } = vector.envelope;
      const request = {
        merchantId: String(merchantId),
        method: String(method),
        body: vector.body,
        nowMilliseconds: Number(timestamp),
      };
      const keys = requestKeysOf(vector, keyPairs[vector.privateKey]!.private.pkcs8Pem);
      expect(JSON.parse(sealRequest(request, keys))).toEqual(vector.envelope);
    },
  );
});

describe("a callback is sealed to the same bytes that the other tools made", () => {
  test.each(reproducible().map((vector) => [vector.name, vector] as const))(
    "%s",
    (_case, vector) => {
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
    },
  );
});

/** The callbacks with all optional fields in their usual spelling, and with no chance in them. */
function reproducible(): CallbackVector[] {
  return callbackVectors.filter(({ name }) =>
    /^(?:default-(?:openssl|jdk|python)|unsigned-|padding-)/.test(name),
  );
}
