/**
 * JSON in ASCII alone. SQS refuses some code points in a message; escaped, every text passes, and any
 * JSON reader gives back the same value.
 */
export function toAsciiJson(value: unknown): string {
  const json = JSON.stringify(value);
  return nonAscii.test(json) ? json.replace(eachNonAscii, escapeUnit) : json;
}

const nonAscii = /[^\x20-\x7e]/;
const eachNonAscii = /[^\x20-\x7e]/g;

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
