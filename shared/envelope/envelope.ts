import { Buffer } from "node:buffer";
import * as z from "zod/mini";
import { describeIssues } from "../describe-issues.ts";
import { Refusal } from "./refusal.ts";
import type { WireFields } from "./signed-text.ts";
import { decodeText, decodeUtf8 } from "./text.ts";

/** A callback envelope (§2.10) whose shape is right and of which nothing is believed yet. */
export interface Envelope {
  readonly id: string;
  readonly merchantId: string;
  readonly eventName: string;
  readonly timestampMilliseconds: number;
  readonly sign: string;
  readonly body: string;
  /** As sent, unknown fields too: the signature covers them all. */
  readonly fields: WireFields;
}

/** A callback is a few kilobytes; past this nobody honest is sending. */
export const maximumBodyBytes = 256 * 1024;

/** §2.10 has ten; senders may add some. Checking thousands would cost more than the verification. */
const maximumFields = 64;

/**
 * `&` and `=` would change meaning inside the signed text, and half a surrogate pair has no bytes. Lengths
 * are refined: the schema library's own checks of length throw on an object that has a `length`.
 */
const plainText = z.string().check(
  z.refine((text) => !/[&=]/.test(text) && text.isWellFormed(), "must not hold & or ="),
  z.refine((text) => text.length <= 1024, "must be at most 1024 characters long"),
);

const notEmpty = z.refine<string>((text) => text !== "", "must not be empty");
const requiredText = plainText.check(notEmpty);
const opaqueText = z.string().check(
  notEmpty,
  z.refine((text) => text.isWellFormed(), "must be text"),
);

/** Absent, null and empty all mean the interface's default. */
function only<T extends string>(...values: [T, ...T[]]) {
  return z.nullish(z.enum([...values, ""]));
}

const guid = /^(?:[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;

const wireSchema = z.catchall(
  z.object({
    id: z.string().check(z.regex(guid, "must be a GUID")),
    merchantId: requiredText,
    eventName: requiredText,
    format: only("json"),
    charset: only("utf-8", "UTF-8"),
    encryptType: only("AES"),
    signType: only("RSA"),
    sign: opaqueText,
    timestamp: z.union(
      [
        z.int().check(z.gte(1e12), z.lt(1e13)),
        z.string().check(z.regex(/^[1-9]\d{12}$/, "must be 13 digits")),
      ],
      "must be 13 digits",
    ),
    body: opaqueText,
  }),
  z.nullish(z.union([plainText, z.number(), z.boolean()])),
);

/** Reads an envelope from the bytes of a request body. Throws a `Refusal`; believes nothing. */
export function readEnvelope(bytes: Buffer): Envelope {
  if (bytes.length > maximumBodyBytes) throw new Refusal("too-large", "too-large");
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new Refusal("not-an-envelope", "not-utf-8");
  const fields = wireSchema.safeParse(boundedFields(parseJson(text)));
  if (!fields.success) {
    throw new Refusal(
      "not-an-envelope",
      "not-an-envelope",
      describeIssues(fields.error, "envelope"),
    );
  }
  return toEnvelope(fields.data);
}

function boundedFields(json: unknown): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Object.keys(json).length <= maximumFields) return json;
  throw new Refusal("not-an-envelope", "not-an-envelope", "envelope has too many fields");
}

function toEnvelope(fields: z.output<typeof wireSchema>): Envelope {
  const nameWithMeaning = Object.keys(fields).find((name) => !plainText.safeParse(name).success);
  if (nameWithMeaning !== undefined) {
    throw new Refusal("not-an-envelope", "not-an-envelope", "a field's name must not hold & or =");
  }
  return {
    id: fields.id.replaceAll("-", "").toLowerCase(),
    merchantId: fields.merchantId,
    eventName: fields.eventName,
    timestampMilliseconds: Number(fields.timestamp),
    sign: fields.sign,
    body: fields.body,
    fields,
  };
}

/** The bytes of an API Gateway event's body. A body sent as base64 is measured before it is decoded. */
export function requestBytes(body: string | undefined, isBase64Encoded: boolean): Buffer {
  const text = body ?? "";
  if (!isBase64Encoded) return Buffer.from(text, "utf8");
  if (text.length > (maximumBodyBytes / 3) * 4 + 4) throw new Refusal("too-large", "too-large");
  const bytes = decodeText(text, "base64");
  if (bytes === undefined) throw new Refusal("not-an-envelope", "not-base64");
  return bytes;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal("not-an-envelope", "not-json");
  }
}
