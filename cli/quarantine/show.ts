import { Buffer } from "node:buffer";
import {
  type Payload,
  type ShownItem,
  showQuarantined,
} from "../../operations/quarantine/show-quarantined.ts";
import type { StoredPayload } from "../../operations/timeline/record-content.ts";
import { looking } from "../dead-letters/walking.ts";
import { pairs } from "../frame/columns.ts";
import { type ExitCode, exitCodes, type Terminal } from "../frame/command.ts";
import { parseArguments } from "../frame/parse-options.ts";
import { payloadText } from "../frame/payload-text.ts";
import { print, targetOptions, withTarget } from "../frame/target-command.ts";
import { timeText } from "../frame/time-text.ts";
import { aboutText, detailText } from "./item-text.ts";
import { placeOptions, readPlace } from "./read-place.ts";

const options = { ...targetOptions, ...placeOptions, raw: { type: "boolean" } } as const;

export async function runShow(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values, words } = parseArguments(args, options, ["ID"]);
  const place = readPlace(values, Date.now());
  const shown = await withTarget(values, (target) =>
    looking(terminal, (look) => showQuarantined(target, words[0] ?? "", look, place)),
  );
  if (shown === undefined) return exitCodes.negative;
  if (values.raw === true) writeRaw(terminal, shown.payload);
  else print(terminal, values, { ...shown, payload: jsonOf(shown.payload) }, () => textOf(shown));
  return exitCodes.success;
}

/** The exact bytes, for a file or another program. */
function writeRaw(terminal: Terminal, payload: Payload): void {
  const bytes = Buffer.from(payload.form === "text" ? payload.text : payload.bytes);
  if (terminal.outBytes !== undefined) terminal.outBytes(bytes);
  else terminal.out(bytes.toString(payload.form === "text" ? "utf8" : "latin1"));
}

function jsonOf(payload: Payload): StoredPayload {
  return payload.form === "text"
    ? { text: payload.text }
    : { base64: Buffer.from(payload.bytes).toString("base64") };
}

function textOf({ item, payload, ...rest }: ShownItem): string {
  const now = Date.now();
  const { receivedAt } = item;
  const { receiveCount } = rest;
  const about = pairs([
    ["id", item.id],
    ["state", item.kind],
    ["since", timeText(item.at, now)],
    ["reason", item.reason],
    ["detail", detailText(item)],
    ["received", receivedAt === undefined ? undefined : timeText(receivedAt, now)],
    ["merchant", item.merchantId],
    ["about", aboutText(item)],
    ["callback", item.callbackId],
    ["event name", rest.eventName],
    ["key version", rest.keyVersion],
    ["trace", rest.traceparent],
    ["in", item.where],
    ["looked at", receiveCount === undefined ? undefined : `${receiveCount} times`],
  ]);
  return `${about}\n${payloadText(jsonOf(payload))}\n`;
}
