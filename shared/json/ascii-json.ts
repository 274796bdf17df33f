import { Buffer } from "node:buffer";

/**
 * JSON in ASCII only. SQS rejects some code points in a message, so they are escaped. Any JSON parser returns the same
 * value.
 */
export function toAsciiJson(value: unknown): string {
  const json = JSON.stringify(value);
  // JSON.stringify escapes control characters, so only characters of several UTF-8 bytes need escapes.
  return Buffer.byteLength(json) === json.length ? json : json.replace(nonAscii, escapeUnit);
}

const nonAscii = /[^\x20-\x7e]/g;

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
