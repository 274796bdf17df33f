import { Buffer } from "node:buffer";
import type { KeyObject } from "node:crypto";
import * as z from "zod/mini";
import type { KeyVersion } from "../envelope/open-callback.ts";
import { toAsciiJson } from "../json/ascii-json.ts";
import { parseJson } from "../json/parse-json.ts";
import { stampOf } from "./stamp.ts";

/** The version that is written, of the body and of the message in it. */
export const inboxVersion = 1;

/**
 * A message is authenticated by its stamp, not by its place in the inbox: a foreign queue may name the inbox as its
 * dead-letter queue, and a foreign role may invoke process-callback. `message` is the text that inbox-message.ts writes
 * and that the record stores.
 */
const stampedBody = z.object({
  /** A newer version still has these fields, so that this version can check its stamp. */
  version: z.int().check(z.minimum(inboxVersion)),
  /** The version id of the stamp key. */
  stampKey: z.string(),
  stamp: z.string(),
  message: z.string(),
});

export type StampedBody = z.output<typeof stampedBody>;

/**
 * A text that DynamoDB accepts as a key. Any other text would be a malformed request, which counts as an error of our
 * own: the message would be retried for hours while its group waits.
 */
const keyText = (mostBytes: number) =>
  z.string().check(z.refine((text) => text.length > 0 && Buffer.byteLength(text) <= mostBytes));

/**
 * The only body that needs no stamp, because it states nothing: it names a record to process again. A body with any
 * other field is rejected.
 */
const redriveBody = z.strictObject({
  version: z.literal(inboxVersion),
  redrive: z.strictObject({ callbackKey: keyText(2_048), receipt: keyText(1_024) }),
});

/** The key of a record in the callbacks table. */
export type NamedRecord = z.output<typeof redriveBody>["redrive"];

export type InboxBody =
  | { readonly kind: "stamped"; readonly stamped: StampedBody }
  | { readonly kind: "redrive"; readonly named: NamedRecord }
  | { readonly kind: "unstamped" };

/** `message` is ASCII, so the result is too. */
export function writeStamped(
  { versionId, keys }: Pick<KeyVersion<KeyObject>, "versionId" | "keys">,
  group: string,
  message: string,
): string {
  const body: StampedBody = {
    version: inboxVersion,
    stampKey: versionId,
    stamp: stampOf(keys, group, message),
    message,
  };
  return JSON.stringify(body);
}

export function writeRedrive({ callbackKey, receipt }: NamedRecord): string {
  return toAsciiJson({ version: inboxVersion, redrive: { callbackKey, receipt } });
}

/** Reads untrusted text: anyone may have written it. */
export function readInboxBody(text: string): InboxBody {
  const json = parseJson(text);
  const stamped = stampedBody.safeParse(json);
  if (stamped.success) return { kind: "stamped", stamped: stamped.data };
  const redrive = redriveBody.safeParse(json);
  if (redrive.success) return { kind: "redrive", named: redrive.data.redrive };
  return { kind: "unstamped" };
}
