import { Buffer } from "node:buffer";
import { readEnvelope } from "./envelope.ts";
import { type CallbackKeys, type KeyVersion, openEnvelope } from "./open-callback.ts";

/**
 * Opens an envelope that cannot be authentic, once for each merchant. The first verification of a process takes several
 * times as long, and this way the first real callback does not pay for it.
 */
export async function warmUp(
  merchantIds: readonly string[],
  keysFor: (merchantId: string) => Promise<readonly KeyVersion<CallbackKeys>[]>,
): Promise<void> {
  for (const merchantId of merchantIds) {
    try {
      openEnvelope(readEnvelope(sample(merchantId)), await keysFor(merchantId), {
        nowMilliseconds: 0,
        maximumAgeMilliseconds: 0,
        maximumAheadMilliseconds: 0,
      });
    } catch {
      // The sample is always rejected. If the keys are missing, the first request gets the same error and reports it.
    }
  }
}

function sample(merchantId: string): Buffer {
  const envelope = {
    id: "00000000000000000000000000000000",
    merchantId,
    eventName: "warm-up",
    sign: Buffer.alloc(256).toString("base64"),
    timestamp: 1_000_000_000_000,
    body: Buffer.alloc(64).toString("base64"),
  };
  return Buffer.from(JSON.stringify(envelope));
}
