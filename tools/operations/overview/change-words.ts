import * as z from "zod/mini";
import { counted, wholeMinutes } from "../../../shared/text/number-text.ts";
import type { StackChange } from "../ports/stack.ts";

/** A line of the audit log, as far as it is shown (audit/write-audit.ts). */
export const auditSchema = z.object({
  at: z.string(),
  who: z.string(),
  act: z.string(),
  merchantId: z.optional(z.string()),
  queue: z.optional(z.string()),
  subscriber: z.optional(z.string()),
  count: z.optional(z.number()),
});

type AuditLine = z.output<typeof auditSchema>;

/** What each act changed. An act that is not here changes nothing that could explain a problem. */
const actWords: Readonly<Record<string, (line: AuditLine) => string>> = {
  "keys-set": ({ merchantId }) => `keys of ${merchantId} set`,
  "keys-restore": ({ merchantId }) => `keys of ${merchantId} restored`,
  "keys-revoke": ({ merchantId }) => `keys of ${merchantId} revoked`,
  "attention-redrive": ({ count = 0 }) => `${counted(count, "record")} sent to the inbox again`,
  "attention-dismiss": ({ count = 0 }) => `${counted(count, "record")} settled`,
  "dead-letters-redrive": ({ queue }) => `dead letters of ${queue} sent again`,
  replay: ({ subscriber }) => `events sent to ${subscriber} again`,
};

/** Undefined if it is not worth a line. */
export function changeOfAudit(line: AuditLine): StackChange | undefined {
  const words = Object.hasOwn(actWords, line.act) ? actWords[line.act] : undefined;
  return words && { kind: "audited", at: line.at, text: words(line), who: line.who };
}

const mostInLine = 3;

/**
 * "keys of ShopEurope set 08:23, deployed 07:50, and 2 more": the manual changes in one line. Undefined if there is
 * nothing.
 */
export function changesLine(changes: readonly StackChange[]): string | undefined {
  const made = changes.filter(({ kind }) => kind !== "start");
  const newest = made.slice(0, mostInLine);
  if (newest.length === 0) return undefined;
  const texts = newest.map(({ text, at }) => `${text} ${wholeMinutes(at)}`);
  const more = made.length - newest.length;
  return [...texts, ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}
