import * as z from "zod";
import { maximumAgeMilliseconds } from "../../shared/keys/key-ring.ts";
import type { KeyFacts } from "./inspect-keys.ts";
import type { StageHolders } from "./secret-calls.ts";

/** What the operations on keys have in common for people: a field, and how keys and versions are told. */

export const merchantField = z.string().min(1).max(100).meta({
  description: "the merchant's id",
  placeholder: "MERCHANT",
});

export function rsaText({ rsaBits, fingerprint }: KeyFacts): string {
  return `${rsaBits} bits, SHA-256 ${fingerprint}`;
}

export function aesText({ aesBits, aesFingerprint }: KeyFacts): string {
  return `${aesBits} bits, fingerprint ${aesFingerprint}`;
}

/** On one line: what differs from the default. */
export function profileText({ profile }: KeyFacts): string {
  return Object.keys(profile).length === 0 ? "the default" : JSON.stringify(profile);
}

export function holdersText({ current, previous, pending }: StageHolders): string {
  const parts = [
    `current ${current ?? "none"}`,
    `previous ${previous ?? "none"}`,
    ...(pending === undefined ? [] : [`pending ${pending}`]),
  ];
  return `Versions now: ${parts.join(", ")}.`;
}

/** Running instances keep keys in memory, and no command reaches them. */
export function instancesText(target: "local" | "deployed"): string {
  const minutes = maximumAgeMilliseconds / 60_000;
  const atOnce =
    target === "local"
      ? "To end that at once, start npm start again."
      : "To end that at once, deploy a change of the functions, such as one of the config: it makes new instances.";
  return `Running instances use the keys they know for up to ${minutes} minutes more, and longer only while Secrets Manager cannot be reached. ${atOnce}`;
}
