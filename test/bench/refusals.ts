import { createCipheriv } from "node:crypto";
import type { ProfileInput } from "../../shared/envelope/profile.ts";
import { type Contender, measure, medianRatio } from "./measure.ts";
import type { SampleMessage } from "./sample-message.ts";

type MakeRefusedWay = typeof import("./callback-way.ts").makeRefusedWay;

interface AlikeRefusals {
  readonly what: string;
  readonly first: Contender;
  readonly other: Contender;
}

const mostRatio = 1.05;
const wrongSign = Buffer.alloc(256, 0x5b).fill(0x01, 0, 1).toString("base64");
const gcm = { cipher: "GCM", iv: "prefixed" } as const;

/** Refusals that a sender must not be able to tell apart by a clock: each pair takes the same time. */
export async function benchRefusals(
  sample: SampleMessage,
  makeRefusedWay: MakeRefusedWay,
): Promise<boolean> {
  const refused = (profile: ProfileInput, changes: Record<string, unknown>) =>
    makeRefusedWay(sample, profile, { sign: wrongSign, ...changes });
  const pairs: AlikeRefusals[] = [
    {
      what: "wrong padding : wrong signature",
      first: refused({}, { body: cbcBody(sample, 0) }),
      other: refused({}, { body: cbcBody(sample, 1) }),
    },
    {
      what: "a sign that cannot be decoded : wrong signature",
      first: refused({}, { sign: `?${wrongSign.slice(1)}` }),
      other: refused({}, {}),
    },
    {
      what: "GCM, wrong tag : wrong signature",
      first: refused(gcm, { body: gcmBody(sample, 1) }),
      other: refused(gcm, { body: gcmBody(sample, 0) }),
    },
  ];
  console.log("\nRefusals that must take the same time.\n");
  const outcomes: boolean[] = [];
  for (const pair of pairs) outcomes.push(await holds(pair));
  return outcomes.every(Boolean);
}

async function holds({ what, first, other }: AlikeRefusals): Promise<boolean> {
  const options = { warmUpCalls: 3_000, rounds: 101, callsPerRound: 100 };
  const ratio = medianRatio(await measure({ first, other }, options), "first", "other");
  const isAlike = ratio <= mostRatio && ratio >= 1 / mostRatio;
  const bound = `between ${(1 / mostRatio).toFixed(2)} and ${mostRatio}`;
  console.log(`${isAlike ? "PASS" : "FAIL"}  ${what} is ${ratio.toFixed(3)} (${bound})`);
  return isAlike;
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
