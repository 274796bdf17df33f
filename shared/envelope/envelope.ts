import type { Buffer } from "node:buffer";
import { parseJson } from "../parse-json.ts";
import { mostRequestBytes, type RequestBody, readRequestBody } from "../request-body.ts";
import { Refusal } from "./refusal.ts";
import type { WireFields, WireValue } from "./signed-bytes.ts";
import { memberSources } from "./source-text.ts";
import { decodeUtf8, withoutByteOrderMark } from "./text.ts";

/** A callback envelope (§2.10) of the right shape. Nothing in it is verified yet. */
export interface Envelope {
  /** As sent, with or without dashes. */
  readonly id: string;
  readonly merchantId: string;
  readonly eventName: string;
  readonly timestampMilliseconds: number;
  readonly sign: string;
  readonly body: string;
  /** As sent, unknown fields too: the signature covers them all. */
  readonly fields: WireFields;
  /** The request's own JSON: the parsed fields do not show their order and spelling. */
  readonly text: string;
}

/** §2.10 has ten; senders may add some. To check thousands would cost more than the verification. */
const maximumFields = 64;

const longestText = 1024;

/** What a field of the interface may hold; `says` ends a sentence that the field's name begins. */
interface Rule {
  readonly allows: (value: unknown) => boolean;
  readonly says: string;
}

const shortText: Rule = {
  allows: (value) => isText(value) && value.length <= longestText && !/[&=]/.test(value),
  says: "must be text without & or =, at most 1024 characters long and not empty",
};
const opaqueText: Rule = { allows: isText, says: "must be text and not empty" };

/** Absent, null and empty all mean the interface's default. */
function only(...values: readonly string[]): Rule {
  const allowed: readonly unknown[] = [...values, null, ""];
  return { allows: (value) => allowed.includes(value), says: `must be ${values.join(" or ")}` };
}

const guid = /^(?:[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;

/**
 * The fields of §2.10. Rules instead of a schema: every untrusted request comes here, and a schema would be the most
 * expensive part of opening a callback after the RSA verification.
 */
const rules: ReadonlyMap<string, Rule> = new Map([
  ["id", { allows: (value) => isText(value) && guid.test(value), says: "must be a GUID" }],
  ["merchantId", shortText],
  ["eventName", shortText],
  ["format", only("json")],
  ["charset", only("utf-8", "UTF-8")],
  ["encryptType", only("AES")],
  ["signType", only("RSA")],
  ["sign", opaqueText],
  ["timestamp", { allows: isTimestamp, says: "must be 13 digits" }],
  ["body", opaqueText],
]);

const requiredNames = ["id", "merchantId", "eventName", "sign", "timestamp", "body"];

/** Reads an envelope from the bytes of a request body. Throws a `Refusal`; verifies nothing. */
export function readEnvelope(bytes: Buffer): Envelope {
  if (bytes.length > mostRequestBytes) throw new Refusal("too-large", "too-large");
  if (bytes.length === 0) throw new Refusal("not-an-envelope", "empty-body");
  const decoded = decodeUtf8(bytes);
  if (decoded === undefined) throw new Refusal("not-an-envelope", "not-utf-8");
  const text = withoutByteOrderMark(decoded);
  const json = parseJson(text);
  if (json === undefined) throw new Refusal("not-an-envelope", "not-json");
  checkFields(json);
  const fields = fieldsAsWritten(json, text);
  return {
    id: textOf(fields, "id"),
    merchantId: textOf(fields, "merchantId"),
    eventName: textOf(fields, "eventName"),
    timestampMilliseconds: Number(fields["timestamp"]),
    sign: textOf(fields, "sign"),
    body: textOf(fields, "body"),
    fields,
    text,
  };
}

/** Throws unless every field obeys its rule and none is missing. */
function checkFields(json: unknown): asserts json is Readonly<Record<string, unknown>> {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw notAnEnvelope("the envelope must be an object");
  }
  const names = Object.keys(json);
  if (names.length > maximumFields) throw notAnEnvelope("the envelope has too many fields");
  for (const name of names) checkField(name, Reflect.get(json, name));
  const missing = requiredNames.find((name) => !Object.hasOwn(json, name));
  if (missing !== undefined) throw notAnEnvelope(`${missing} is missing`);
}

/**
 * A field of the interface must obey its rule: `&` and `=` would change the meaning of the signed text. Another field
 * may hold anything that has a UTF-8 form. Its name is untrusted, so no message repeats it.
 */
function checkField(name: string, value: unknown): void {
  const rule = rules.get(name);
  if (rule === undefined) checkFurtherField(name, value);
  else if (!rule.allows(value)) throw notAnEnvelope(`${name} ${rule.says}`);
}

function checkFurtherField(name: string, value: unknown): void {
  if (!name.isWellFormed() || /[&=]/.test(name)) {
    throw notAnEnvelope("a field's name holds & or =, or half a surrogate pair");
  }
  if (typeof value === "string" && !value.isWellFormed()) {
    throw notAnEnvelope("a further field holds half a surrogate pair");
  }
}

/** The sender signed its own spelling, so a number or an object is copied from the request's text. */
export function fieldsAsWritten(json: Readonly<Record<string, unknown>>, text: string): WireFields {
  if (isPlain(json)) return json;
  const sources = memberSources(text);
  return Object.fromEntries(
    Object.entries(json).map(([name, value]): [string, WireValue] =>
      isPlainField(name, value) ? [name, value] : [name, { source: sources.get(name) ?? "" }],
    ),
  );
}

function isPlain(json: Readonly<Record<string, unknown>>): json is WireFields {
  return Object.keys(json).every((name) => isPlainField(name, json[name]));
}

/** Whether a value has only one spelling. A number has many, but the rule of `timestamp` allows only digits. */
function isPlainField(name: string, value: unknown): value is string | number | boolean | null {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  return name === "timestamp" && typeof value === "number";
}

/** Half a surrogate pair has no UTF-8 form, so nobody can have signed it. */
function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.isWellFormed();
}

function isTimestamp(value: unknown): boolean {
  const isScalar = typeof value === "string" || typeof value === "number";
  return isScalar && /^[1-9]\d{12}$/.test(String(value));
}

function textOf(fields: WireFields, name: string): string {
  return String(fields[name]);
}

function notAnEnvelope(detail: string): Refusal {
  return new Refusal("not-an-envelope", "not-an-envelope", detail);
}

/** The bytes of a request's body. Throws a `Refusal`. */
export function requestBytes(request: RequestBody): Buffer {
  const bytes = readRequestBody(request);
  if (bytes === "too-large") throw new Refusal("too-large", "too-large");
  if (bytes === "not-base64") throw new Refusal("not-an-envelope", "not-base64");
  return bytes;
}
