import { createCipheriv } from "node:crypto";
import type { ProfileInput } from "../../shared/envelope/profile.ts";
import { type Comparison, timed } from "./compare.ts";
import type { SampleMessage } from "./sample-message.ts";

type MakeRefusedWay = typeof import("./callback-way.ts").makeRefusedWay;

const alike = { atLeast: 0.953, atMost: 1.05 };
const wrongSign = Buffer.alloc(256, 0x5b).fill(0x01, 0, 1).toString("base64");
const gcm = { cipher: "GCM", iv: "prefixed" } as const;

/** Refusals that a sender must not be able to tell apart by a clock: each takes as long as the wrong signature after it. */
export function compareRefusals(sample: SampleMessage, makeRefusedWay: MakeRefusedWay): Comparison {
  const effort = { warmUpCalls: 3_000, callsPerRound: 100 };
  const refused = (profile: ProfileInput, changes: Record<string, unknown>) =>
    timed(makeRefusedWay(sample, profile, { sign: wrongSign, ...changes }), effort);
  return {
    title: "Refusals that must take the same time, processor time.",
    unit: "µs",
    rounds: 101,
    contenders: {
      "wrong padding": refused({}, { body: cbcBody(sample, 0) }),
      "right padding, wrong signature": refused({}, { body: cbcBody(sample, 1) }),
      "a sign that cannot be decoded": refused({}, { sign: `?${wrongSign.slice(1)}` }),
      "a sign that is wrong": refused({}, {}),
      "GCM, wrong tag": refused(gcm, { body: gcmBody(sample, 1) }),
      "GCM, right tag, wrong signature": refused(gcm, { body: gcmBody(sample, 0) }),
    },
    bounds: [
      { slower: "wrong padding", faster: "right padding, wrong signature", ...alike },
      { slower: "a sign that cannot be decoded", faster: "a sign that is wrong", ...alike },
      { slower: "GCM, wrong tag", faster: "GCM, right tag, wrong signature", ...alike },
    ],
  };
}

/** The sample's plaintext in whole blocks, whose last byte is the padding: 1 is right, 0 is wrong. */
function cbcBody({ plaintext, aesKey }: SampleMessage, lastByte: 0 | 1): string {
  const cipher = createCipheriv("aes-256-cbc", aesKey, Buffer.alloc(16)).setAutoPadding(false);
  const length = Math.ceil((Buffer.byteLength(plaintext) + 1) / 16) * 16;
  const padded = Buffer.from(plaintext.padEnd(length - 1) + String.fromCharCode(lastByte));
  return cipher.update(padded).toString("base64");
}

function gcmBody({ plaintext, aesKey }: SampleMessage, changedBits: 0 | 1): string {
  const iv = Buffer.alloc(12, 7);
  const cipher = createCipheriv("aes-256-gcm", aesKey, iv);
  const sealed = [iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()];
  const bytes = Buffer.concat(sealed);
  bytes[bytes.length - 1]! ^= changedBits;
  return bytes.toString("base64");
}
