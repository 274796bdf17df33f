import type { Buffer } from "node:buffer";
import { mostRequestBytes, type RequestBody, readRequestBody } from "../http/request-body.ts";
import { parseJson } from "../json/parse-json.ts";
import { isWithin } from "../text/characters.ts";
import { Refusal } from "./refusal.ts";
import type { WireFields, WireValue } from "./signed-bytes.ts";
import { memberSources } from "./source-text.ts";
import { decodeUtf8, withoutByteOrderMark } from "./text.ts";

/** A well-formed callback envelope (§2.10). Nothing in it is verified yet. */
export interface Envelope {
  /** As sent: any text of up to 256 characters, or the text of a number. Undefined if it is anything else. */
  readonly id: string | undefined;
  readonly merchantId: string;
  readonly eventName: string;
  readonly timestampMilliseconds: number;
  readonly sign: string;
  readonly body: string;
  /** As sent, including unknown fields: the signature covers them all. */
  readonly fields: WireFields;
  /** The request's JSON text. The parsed fields do not show their order and spelling. */
  readonly text: string;
}

/** §2.10 has ten fields, and senders may add some. Checking thousands would cost more than the verification. */
const maximumFields = 64;

/** What a field of the interface must contain. `says` completes a sentence that starts with the field's name. */
interface Rule {
  readonly allows: (value: unknown) => boolean;
  readonly says: string;
}

const anyValue: Rule = { allows: isGiven, says: "must not be empty" };
const text: Rule = { allows: isText, says: "must be text and not empty" };

/**
 * The fields that a callback needs to be verified. A rule requires no more than that: an authentic callback with an
 * unusual value is stored, and process-callback decides what it means. `format`, `charset`, `encryptType` and
 * `signType` have no rule, because the profile defines how a callback is sealed.
 *
 * These are rules instead of a schema, because every untrusted request is checked here, and a schema would be the most
 * expensive part of opening a callback after the RSA verification.
 */
const rules: ReadonlyMap<string, Rule> = new Map([
  ["id", anyValue],
  ["merchantId", { allows: isTextOrNumber, says: "must be text or a number, and not empty" }],
  ["eventName", anyValue],
  ["sign", text],
  ["timestamp", { allows: isTimestamp, says: "must be 13 digits" }],
  ["body", text],
]);

/** Reads an envelope from the bytes of a request body, without verifying anything. Throws a `Refusal`. */
export function readEnvelope(bytes: Buffer): Envelope {
  if (bytes.length > mostRequestBytes) throw new Refusal("too-large", "too-large");
  if (bytes.length === 0) throw new Refusal("not-an-envelope", "empty-body");
  const decoded = decodeUtf8(bytes);
  if (decoded === undefined) throw new Refusal("not-an-envelope", "not-utf-8");
  const json = withoutByteOrderMark(decoded);
  const parsed = parseJson(json);
  if (parsed === undefined) throw new Refusal("not-an-envelope", "not-json");
  checkFields(parsed);
  const fields = fieldsAsWritten(parsed, json);
  return {
    id: idOf(parsed["id"], fields),
    merchantId: textOf(fields, "merchantId"),
    eventName: textOf(fields, "eventName"),
    timestampMilliseconds: Number(fields["timestamp"]),
    sign: textOf(fields, "sign"),
    body: textOf(fields, "body"),
    fields,
    text: json,
  };
}

/** A longer text is not an id. An id must fit into an event and a log query. */
const longestId = 256;

/** Undefined if the id is too long or neither text nor a number. The content then identifies the callback. */
function idOf(value: unknown, fields: WireFields): string | undefined {
  if (!isTextOrNumber(value)) return undefined;
  const id = textOf(fields, "id");
  return isWithin(id, longestId) ? id : undefined;
}

/** Throws unless every field follows its rule and none is missing. */
function checkFields(json: unknown): asserts json is Readonly<Record<string, unknown>> {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw notAnEnvelope("the envelope must be an object");
  }
  const names = Object.keys(json);
  if (names.length > maximumFields) throw notAnEnvelope("the envelope has too many fields");
  for (const name of names) checkField(name, Reflect.get(json, name));
  const missing = [...rules.keys()].find((name) => !Object.hasOwn(json, name));
  if (missing !== undefined) throw notAnEnvelope(`${missing} is missing`);
}

/**
 * Without a rule, a field may have any value with a UTF-8 form. The name of an unknown field is untrusted, so no
 * message repeats it. Which names and values can be signed depends on the profile (`isSignable`).
 */
function checkField(name: string, value: unknown): void {
  const rule = rules.get(name);
  if (rule !== undefined && !rule.allows(value)) throw notAnEnvelope(`${name} ${rule.says}`);
  if (!name.isWellFormed() || (typeof value === "string" && !value.isWellFormed())) {
    throw notAnEnvelope("a further field holds half a surrogate pair");
  }
}

/** The sender signed its own spelling, so numbers and objects are copied from the request's text. */
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

/** Whether a value has only one spelling. A number has many, but the rule for `timestamp` allows only digits. */
function isPlainField(name: string, value: unknown): value is string | number | boolean | null {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  return name === "timestamp" && typeof value === "number";
}

/** Half a surrogate pair has no UTF-8 form, so nobody can have signed it. */
function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.isWellFormed();
}

function isTextOrNumber(value: unknown): value is string | number {
  return typeof value === "number" || isText(value);
}

function isGiven(value: unknown): boolean {
  return typeof value === "string" ? isText(value) : value !== null;
}

function isTimestamp(value: unknown): boolean {
  const isScalar = typeof value === "string" || typeof value === "number";
  return isScalar && /^[1-9]\d{12}$/.test(String(value));
}

/** A value that is not text counts as spelled in the request. */
function textOf(fields: WireFields, name: string): string {
  const value = fields[name];
  return typeof value === "object" && value !== null ? value.source : String(value);
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
