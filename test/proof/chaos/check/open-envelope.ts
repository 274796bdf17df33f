import { createDecipheriv, verify } from "node:crypto";
import type { Answered } from "../../ask.ts";

/** The keys of a merchant at one time, as its secret has them. */
export interface CallbackKeys {
  readonly aesKey: string;
  readonly servicePublicKey: string;
}

/** New keys of a merchant, from the time when the service created them until it used them. */
export interface Rotation {
  readonly merchantId: string;
  readonly fromMilliseconds: number;
  readonly untilMilliseconds: number;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** What an authentic envelope says. `result` is undefined if the content is not a JSON object. */
export interface Opened {
  readonly id: string;
  readonly merchantId: string;
  readonly eventName: string;
  /** When the service sent it, by its own clock. */
  readonly sentMilliseconds: number;
  readonly result: JsonObject | undefined;
  /** Which of the merchant's keys opened it: 0 is the newest of the whole run. */
  readonly keysIndex: number;
}

const eightDaysMilliseconds = 8 * 24 * 3_600_000;
const fiveMinutesMilliseconds = 5 * 60_000;

/**
 * Opens an envelope as the interface and the default profile describe, without the product's code. Undefined if it is
 * not authentic: then it must have no effect.
 */
export function openEnvelope(
  sent: string,
  keysOf: KeysOf,
  atMilliseconds: number,
): Opened | undefined {
  const envelope = parseObject(sent) ?? {};
  const text = (name: string) => String(envelope[name] ?? "");
  const merchantId = text("merchantId");
  const age = atMilliseconds - Number(envelope["timestamp"]);
  if (age > eightDaysMilliseconds || age < -fiveMinutesMilliseconds) return undefined;
  for (const [keysIndex, keys] of keysOf(merchantId).entries()) {
    const plaintext = decryptBody(text("body"), keys);
    if (plaintext === undefined || !isSigned(envelope, plaintext, keys)) continue;
    const named = { id: text("id"), merchantId, eventName: text("eventName") };
    const sentMilliseconds = Number(envelope["timestamp"]);
    return { ...named, sentMilliseconds, result: parseObject(plaintext), keysIndex };
  }
  return undefined;
}

export type KeysOf = (merchantId: string) => readonly CallbackKeys[];

/**
 * Opens a delivered envelope. If the clock jumped before the stack responded, its timestamp can be right before and
 * wrong after that, or the reverse: then the stack may accept or reject it.
 */
export function openPost(
  { envelope, atMilliseconds, endedMilliseconds, status = 0 }: Answered & { envelope: string },
  keysOf: KeysOf,
): Opened | undefined {
  const opened = openEnvelope(envelope, keysOf, atMilliseconds);
  const isRejected = status >= 400;
  const isAsExpected = (opened === undefined) === isRejected;
  return isAsExpected ? opened : openEnvelope(envelope, keysOf, endedMilliseconds);
}

/** Undefined if these are not its keys. */
export function decryptBody(body: string, { aesKey }: CallbackKeys): string | undefined {
  const key = Buffer.from(aesKey, "base64");
  try {
    const decipher = createDecipheriv(`aes-${key.length * 8}-cbc`, key, Buffer.alloc(16));
    return decipher.update(body, "base64", "utf8") + decipher.final("utf8");
  } catch {
    return undefined;
  }
}

function isSigned(envelope: JsonObject, plaintext: string, keys: CallbackKeys): boolean {
  const signed = Object.entries({ ...envelope, body: plaintext })
    .filter(([name, value]) => name !== "sign" && value !== "" && value !== null)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => `${name}=${String(value)}`)
    .join("&");
  const signature = Buffer.from(String(envelope["sign"]), "base64");
  return verify("sha256", Buffer.from(signed), keys.servicePublicKey, signature);
}

export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
