import { Buffer } from "node:buffer";

/**
 * JSON in ASCII alone. SQS refuses some code points in a message; escaped, every text passes, and any
 * JSON reader gives back the same value.
 */
export function toAsciiJson(value: unknown): string {
  const json = JSON.stringify(value);
  // JSON.stringify escapes control characters, so only what takes several bytes in UTF-8 is left to look for.
  return Buffer.byteLength(json) === json.length ? json : json.replace(nonAscii, escapeUnit);
}

const nonAscii = /[^\x20-\x7e]/g;

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
