import { createPrivateKey, createSecretKey, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ProfileInput, readProfile } from "../../shared/envelope/profile.ts";
import { sealCallback } from "../builders/seal-callback.ts";
import type { OperatedStack } from "../operations/operated-stack.ts";

interface Sent {
  readonly id?: string;
  readonly eventName?: string;
  readonly profile?: ProfileInput;
}

/** Sends authentic callbacks that the simulator never sends. Gives the status of the answer. */
export function createCallbackSender(operated: OperatedStack, merchantId: string) {
  return async (result: object, sent: Sent = {}): Promise<number> => {
    const path = join(operated.directory, "simulator", merchantId, "simulator.json");
    const { aesKey, servicePrivateKey } = JSON.parse(readFileSync(path, "utf8"));
    const keys = {
      aesKey: createSecretKey(Buffer.from(aesKey, "base64")),
      privateKey: createPrivateKey(servicePrivateKey),
      profile: readProfile(sent.profile ?? {}),
    };
    const { id = randomUUID(), eventName = "payment.order.success" } = sent;
    const callback = { id, merchantId, eventName, result, nowMilliseconds: Date.now() };
    const answer = await fetch(`${operated.stack().description.api}/callbacks`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(sealCallback(callback, keys)),
    });
    return answer.status;
  };
}
