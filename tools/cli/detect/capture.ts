import { Buffer } from "node:buffer";
import * as z from "zod";
import {
  type Envelope,
  fieldsAsWritten,
  readEnvelope,
  requestBytes,
} from "../../../shared/envelope/envelope.ts";
import { Refusal } from "../../../shared/envelope/refusal.ts";
import { decodeUtf8 } from "../../../shared/envelope/text.ts";
import { describeIssues } from "../../../shared/errors/describe-issues.ts";
import { mostRequestBytes } from "../../../shared/http/request-body.ts";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { InputError } from "../frame/command.ts";

export type CaptureKind = "callback" | "request";

/** One captured envelope. In a request `id` and `eventName` are empty, because a request has none (§2.1). */
export interface Capture {
  readonly kind: CaptureKind;
  readonly envelope: Envelope;
}

/** Large enough for the largest envelope in an API Gateway event or after HTTP headers. */
export const maximumCaptureBytes = 4 * mostRequestBytes;

/** §2.1 has nine. */
const maximumFields = 64;

const requestSchema = z
  .object({
    merchantId: z.string().min(1),
    method: z.string().min(1),
    sign: z.string().min(1),
    timestamp: z.union([z.number(), z.string().regex(/^\d+$/)], "must be 13 digits"),
    body: z.string().min(1),
  })
  .catchall(z.unknown());

const apiGatewayEvent = z.object({ body: z.string(), isBase64Encoded: z.boolean() });

/** Reads a capture: the HTTP body alone, a whole HTTP message, or an API Gateway event that holds it. */
export function readCapture(file: Buffer, kind: CaptureKind): Capture {
  const text = decodeUtf8(file);
  if (text === undefined) throw unreadable(kind, "it is not UTF-8 text");
  try {
    const bytes = unwrapEvent(bodyOf(text.replace(/^\uFEFF/, "")));
    return { kind, envelope: kind === "callback" ? readEnvelope(bytes) : readRequest(bytes) };
  } catch (error) {
    if (error instanceof Refusal) throw unreadable(kind, explain(error, text, kind));
    throw error;
  }
}

/** The text after the first empty line, if the JSON begins there. */
function bodyOf(text: string): string {
  if (/^\s*\{/.test(text)) return text;
  const emptyLine = /\r?\n\r?\n/.exec(text);
  const rest = text.slice(emptyLine?.index).trimStart();
  return rest.startsWith("{") ? rest : text;
}

function unwrapEvent(text: string): Buffer {
  const event = apiGatewayEvent.safeParse(parseJson(text));
  if (!event.success) return Buffer.from(text);
  return requestBytes(event.data);
}

function readRequest(bytes: Buffer): Envelope {
  if (bytes.length > mostRequestBytes) throw new Refusal("too-large", "too-large");
  const text = bytes.toString("utf8");
  const json = parseJson(text);
  if (json === undefined) throw new Refusal("not-an-envelope", "not-json");
  if (Object.keys(json ?? {}).length > maximumFields) {
    throw new Refusal("not-an-envelope", "not-an-envelope", "envelope has too many fields");
  }
  const parsed = requestSchema.safeParse(json);
  if (!parsed.success) {
    const detail = describeIssues(parsed.error, "envelope");
    throw new Refusal("not-an-envelope", "not-an-envelope", detail);
  }
  const { merchantId, sign, body, timestamp } = parsed.data;
  const timestampMilliseconds = Number(timestamp);
  const fields = fieldsAsWritten(parsed.data, text);
  return { id: "", eventName: "", merchantId, sign, body, timestampMilliseconds, fields, text };
}

function explain({ reason, detail }: Refusal, text: string, kind: CaptureKind): string {
  switch (reason) {
    case "too-large":
      return `its envelope is larger than ${mostRequestBytes / 1024} KiB`;
    case "not-json":
      return "it is not JSON";
    case "not-base64":
      return "it says isBase64Encoded, but its body is not base64";
    default:
      return `${detail ?? reason}${hintOtherKind(text, kind)}`;
  }
}

/** The two kinds differ by one field: §2.1 has `method`, §2.10 has `eventName`. */
function hintOtherKind(text: string, kind: CaptureKind): string {
  const [own, other] = kind === "callback" ? ["eventName", "method"] : ["method", "eventName"];
  if (text.includes(`"${own}"`) || !text.includes(`"${other}"`)) return "";
  const option = kind === "callback" ? "--request" : "--callback";
  return ` (it has ${other} and no ${own}: is it for ${option}?)`;
}

function unreadable(kind: CaptureKind, problem: string): InputError {
  return new InputError(`The file of --${kind} holds no ${kind} envelope: ${problem}.`);
}
