import { Buffer, isUtf8 } from "node:buffer";
import { parseJson } from "../json/parse-json.ts";
import { separatorsOf, writeJson } from "./json-style.ts";
import { omittableFields, type Profile } from "./profile.ts";
import { membersOf } from "./source-text.ts";

/** The source text of a value. A parsed number or object does not show which of its JSON spellings was signed. */
interface SourceText {
  readonly source: string;
}

export type WireValue = string | number | boolean | null | SourceText;

/** An envelope's fields as sent. */
export type WireFields = Readonly<Record<string, WireValue | undefined>>;

/** The fields, and the JSON text that contains them, which shows their order and spelling. */
export interface WireEnvelope {
  readonly fields: WireFields;
  readonly text: string;
}

/**
 * The bytes that a signature covers. The interface does not define them (§5), so the profile does: every field except
 * `sign` and those that the profile excludes, or the body alone. All forms except JSON as sent omit fields that are
 * null or empty. `body` is an argument, because the profile decides whether it is plain or encrypted.
 *
 * To support another signed text, add a name to `signedForms` (profile.ts) and a case here. If the text can be built
 * for an envelope that nobody can have signed, `isSignable` must reject that envelope.
 */
export function signedBytes(envelope: WireEnvelope, body: Buffer, profile: Profile): Buffer {
  const { fields } = envelope;
  switch (profile.signedForm) {
    case "body":
      return body;
    case "sorted-pairs":
      return pairs(sortedNames(fields, profile), fields, body);
    case "pairs-as-sent":
      return pairs(namesAsSent(envelope, profile), fields, body);
    case "canonical-json":
      return canonicalJson(fields, body, profile);
    case "json-as-sent":
      return jsonAsSent(envelope, body, profile);
  }
}

/**
 * Whether the signed text can belong to this envelope and to no other. JSON cannot contain bytes that are not UTF-8. A
 * body that is not one JSON value could imitate further fields in signed JSON. A name that appears twice has no defined
 * position.
 */
export function isSignable(envelope: WireEnvelope, body: Buffer, profile: Profile): boolean {
  const { fields, text } = envelope;
  switch (profile.signedForm) {
    case "body":
      return true;
    case "sorted-pairs":
      return areClear(fields);
    case "pairs-as-sent":
      return areClear(fields) && hasDistinctNames(text);
    case "canonical-json":
      return fitsIntoJson(body, profile);
    case "json-as-sent":
      return fitsIntoJson(body, profile) && hasDistinctNames(text);
  }
}

/**
 * Whether the pairs can be read in only one way. Neither a name nor a field of the interface may contain `&` or `=`.
 */
function areClear(fields: WireFields): boolean {
  return Object.keys(fields).every((name) => {
    if (name === "body" || name === "sign") return true;
    const value = pairText(fields[name]);
    if (usual.has(name)) return !/[&=]/.test(value);
    return !/[&=]/.test(name) && hasNoBody(value);
  });
}

/**
 * If an unknown field contained `&body=`, the same pairs would match a second envelope with that imitation as its body.
 * Without it, the first `&body=` is the body in every envelope with these pairs, and no JSON object is a prefix of
 * another.
 */
function hasNoBody(value: string): boolean {
  return !value.includes("&body=");
}

function hasDistinctNames(json: string): boolean {
  const members = membersOf(json);
  return new Set(members.map(({ name }) => name)).size === members.length;
}

function fitsIntoJson(body: Buffer, { bodyInJson }: Profile): boolean {
  if (!isUtf8(body)) return false;
  if (bodyInJson === "text") return true;
  const text = body.toString("utf8");
  return text.trim() === text && parseJson(text) !== undefined;
}

/** The body is added as bytes: only the body may be long, or not text. */
function pairs(names: readonly string[], fields: WireFields, body: Buffer): Buffer {
  let before = "";
  let after = "";
  let isAfterBody = false;
  for (const name of names) {
    if (name === "body") {
      before += before === "" ? "body=" : "&body=";
      isAfterBody = true;
    } else if (isAfterBody) after += `&${name}=${pairText(fields[name])}`;
    else before += `${before === "" ? "" : "&"}${name}=${pairText(fields[name])}`;
  }
  return Buffer.concat([Buffer.from(before), body, Buffer.from(after)]);
}

function canonicalJson(fields: WireFields, body: Buffer, profile: Profile): Buffer {
  const { comma, colon } = separatorsOf(profile.jsonStyle);
  const members = sortedNames(fields, profile).map((name) => {
    const value = name === "body" ? bodyJson(body, profile) : valueJson(fields[name], profile);
    return `${writeJson(name, profile.jsonStyle)}${colon}${value}`;
  });
  return Buffer.from(`{${members.join(comma)}}`);
}

/**
 * The request's own text with the plain body, without the members that are not signed (§4.2). Each member brings the
 * separator before it, and only the last `body` is replaced, so the result is hardly longer than the request and its
 * body. `isSignable` rejects repeats.
 */
function jsonAsSent({ text }: WireEnvelope, body: Buffer, profile: Profile): Buffer {
  const members = membersOf(text);
  const before = text.slice(text.indexOf("{") + 1, members[0]?.start);
  const after = text.slice(members.at(-1)?.end, text.lastIndexOf("}"));
  const bodyIndex = members.findLastIndex(({ name }) => name === "body");
  let written = "";
  for (const [index, { name, start, valueStart, end }] of members.entries()) {
    if (!isSignedName(name, profile)) continue;
    if (written !== "") written += text.slice(members[index - 1]?.end, start);
    written +=
      index === bodyIndex && profile.signs === "plaintext"
        ? `${text.slice(start, valueStart)}${bodyJson(body, profile)}`
        : text.slice(start, end);
  }
  return Buffer.from(`{${before}${written}${after}}`);
}

function bodyJson(body: Buffer, { bodyInJson, jsonStyle }: Profile): string {
  const text = body.toString("utf8");
  return bodyInJson === "json" ? text : writeJson(text, jsonStyle);
}

function valueJson(value: WireFields[string], { jsonStyle }: Profile): string {
  if (isSourceText(value)) return value.source;
  return typeof value === "string" ? writeJson(value, jsonStyle) : String(value);
}

function pairText(value: WireFields[string]): string {
  return isSourceText(value) ? value.source : String(value);
}

function isSourceText(value: WireFields[string]): value is SourceText {
  return typeof value === "object" && value !== null;
}

/** The names of the interface, sorted once: most envelopes have no others. */
const usualNames: readonly string[] = [...omittableFields, "body"].sort();
const usual = new Set([...usualNames, "sign"]);

function sortedNames(fields: WireFields, profile: Profile): readonly string[] {
  const further = Object.keys(fields).filter((name) => !usual.has(name));
  const names = further.length === 0 ? usualNames : [...usualNames, ...further].sort();
  return names.filter((name) => isPresent(fields[name]) && isSignedName(name, profile));
}

/**
 * Each name once. `isSignable` rejects repeats, and thousands of repeats of one long value would fill the memory here.
 */
function namesAsSent({ fields, text }: WireEnvelope, profile: Profile): readonly string[] {
  const names = [...new Set(membersOf(text).map(({ name }) => name))];
  return names.filter((name) => isPresent(fields[name]) && isSignedName(name, profile));
}

function isSignedName(name: string, { unsignedFields }: Profile): boolean {
  const unsigned: readonly string[] = unsignedFields;
  return name !== "sign" && !unsigned.includes(name);
}

export function isPresent(value: WireFields[string]): boolean {
  return value !== undefined && value !== null && value !== "";
}

/** Whether the signature covers an envelope field. A field that it does not cover must not be trusted. */
export function isSigned(profile: Profile, field: (typeof omittableFields)[number]): boolean {
  return profile.signedForm !== "body" && !profile.unsignedFields.includes(field);
}
