import { createPrivateKey, createSecretKey, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ProfileInput, readProfile } from "../../shared/envelope/profile.ts";
import { type CallbackToSeal, sealCallback } from "../builders/seal-callback.ts";
import type { OperatedStack } from "../operations/operated-stack.ts";

interface Sent {
  readonly id?: string;
  readonly eventName?: string;
  readonly profile?: ProfileInput;
}

/** The body of an authentic callback that the simulator never sends. */
export function serviceCallback(
  operated: OperatedStack,
  merchantId: string,
  result: CallbackToSeal["result"],
  { id = randomUUID(), eventName = "payment.order.success", profile = {} }: Sent = {},
): string {
  const path = join(operated.directory, "simulator", merchantId, "simulator.json");
  const { aesKey, servicePrivateKey } = JSON.parse(readFileSync(path, "utf8"));
  const keys = {
    aesKey: createSecretKey(Buffer.from(aesKey, "base64")),
    privateKey: createPrivateKey(servicePrivateKey),
    profile: readProfile(profile),
  };
  const callback = { id, merchantId, eventName, result, nowMilliseconds: Date.now() };
  return JSON.stringify(sealCallback(callback, keys));
}

/** Sends such callbacks. Gives the status of the answer. */
export function createCallbackSender(operated: OperatedStack, merchantId: string) {
  return async (result: object, sent: Sent = {}): Promise<number> => {
    const answer = await fetch(`${operated.stack().description.api}/callbacks`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: serviceCallback(operated, merchantId, result, sent),
    });
    return answer.status;
  };
}
