import { createPrivateKey, createSecretKey, randomUUID } from "node:crypto";
import { readEnvelope } from "../../shared/envelope/envelope.ts";
import { type OpenedCallback, openEnvelope } from "../../shared/envelope/open-callback.ts";
import { type ProfileInput, readProfile } from "../../shared/envelope/profile.ts";
import { readFact } from "../../shared/facts/read-fact.ts";
import { writeStamped } from "../../shared/inbox/inbox-body.ts";
import { callbackEntry, subjectOfCallback } from "../../shared/inbox/send-to-inbox.ts";
import { readCallbackKeys } from "../../shared/keys/keys-in-secret.ts";
import { sealCallback } from "../builders/seal-callback.ts";
import type { SampleMessage } from "./sample-message.ts";

const day = 24 * 3_600_000;

/** Only what the rivals do too: from the bytes of a request to a result object that is authentic. */
export function makeOpenWay(sample: SampleMessage, profile: ProfileInput): () => OpenedCallback {
  return openerOf(sample, profile, bytesOf(sealed(sample, profile)));
}

/** An envelope with something wrong about it, up to its refusal. */
export function makeRefusedWay(
  sample: SampleMessage,
  profile: ProfileInput,
  changes: Record<string, unknown>,
): () => void {
  const open = openerOf(sample, profile, bytesOf({ ...sealed(sample, profile), ...changes }));
  return () => {
    try {
      open();
    } catch {
      return;
    }
    throw new Error("It was not refused.");
  };
}

function openerOf(
  sample: SampleMessage,
  profile: ProfileInput,
  bytes: Buffer,
): () => OpenedCallback {
  const keys = keysOf(sample, profile);
  const versions = [{ versionId: "one", stage: "current" as const, keys }];
  const window = {
    nowMilliseconds: sample.sentAtMilliseconds,
    maximumAgeMilliseconds: 8 * day,
    maximumAheadMilliseconds: 300_000,
  };
  return () => openEnvelope(readEnvelope(bytes), versions, window);
}

/** What receive-callback does with a callback up to the send: opened, and the inbox's message written and stamped. */
export function makeReceiveWay(sample: SampleMessage, profile: ProfileInput): () => OpenedCallback {
  const open = makeOpenWay(sample, profile);
  const stampKey = { versionId: "one", keys: createSecretKey(sample.aesKey) };
  return () => {
    const callback = open();
    const subject = subjectOfCallback(callback);
    const { sentAtMilliseconds, traceparent } = sample;
    const entry = callbackEntry(callback, subject, sentAtMilliseconds, traceparent);
    writeStamped(stampKey, entry.group, entry.message);
    return callback;
  };
}

/** The whole way: received as above, and then what it states is typed, as process-callback does it. */
export function makeCallbackWay(sample: SampleMessage, profile: ProfileInput): () => unknown {
  const receive = makeReceiveWay(sample, profile);
  const receivedAtMilliseconds = sample.sentAtMilliseconds;
  return () => {
    const { merchantId, eventName, content } = receive();
    return readFact({ origin: "callback", merchantId, eventName, content, receivedAtMilliseconds });
  };
}

function keysOf(sample: SampleMessage, profile: ProfileInput) {
  const aesKey = sample.aesKey.toString("base64");
  const text = JSON.stringify({ aesKey, servicePublicKey: sample.publicPem, profile });
  return readCallbackKeys({ text });
}

function bytesOf(envelope: object): Buffer {
  return Buffer.from(JSON.stringify(envelope));
}

/** The sample as the service sends it. */
export function sealed(sample: SampleMessage, profileInput: ProfileInput): Record<string, unknown> {
  const { merchantId, eventName, plaintext, sentAtMilliseconds } = sample;
  return sealCallback(
    {
      id: randomUUID(),
      merchantId,
      eventName,
      result: plaintext,
      nowMilliseconds: sentAtMilliseconds,
    },
    {
      profile: readProfile(profileInput),
      aesKey: createSecretKey(sample.aesKey),
      privateKey: createPrivateKey(sample.privatePem),
    },
  );
}
