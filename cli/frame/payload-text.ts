import type { StoredPayload } from "../../operations/records/record-content.ts";
import { indentJson } from "../../shared/indent-json.ts";
import { printable } from "../../shared/terminal-text.ts";

/** Indented, but not changed: every digit stays. Line by line, because a line end is a control character too. */
export function payloadText(payload: StoredPayload): string {
  if ("base64" in payload) return `Not text, as base64:\n${payload.base64}`;
  const indented = indentJson(payload.text);
  const lines = (indented ?? payload.text).split("\n").map(printable).join("\n");
  return indented === undefined ? `Not JSON:\n${lines}` : lines;
}
