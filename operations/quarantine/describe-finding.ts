import { subjectOfMessage } from "../../shared/inbox/inbox-message.ts";
import { toRfc3339 } from "../../shared/time/timestamp.ts";
import { attributeText } from "../dead-letters/held-message.ts";
import type { Target } from "../target/target.ts";
import type { Finding, ItemKind, QuarantinedItem } from "./quarantined-item.ts";

/** A finding as plain values for people. */
export function describeFinding(target: Target, finding: Finding): QuarantinedItem {
  const { id, letter, record, message } = finding;
  const kind = kindOf(finding);
  const subject = message && subjectOfMessage(message);
  const pending = record?.outcome === "published" ? record.pending : [];
  const isConfigured = (name: string) => target.subscribers.some((one) => one.name === name);
  return {
    id,
    kind,
    at: putAsideAt(finding),
    receivedAt: message && toRfc3339(message.receivedAtMilliseconds),
    ...reasonOf(finding),
    merchantId: message?.merchantId,
    orderNo: subject?.kind === "order" ? subject.orderNo : undefined,
    paymentId: subject?.kind === "payment" ? subject.paymentId : undefined,
    callbackId: message?.origin === "callback" ? message.callbackId : undefined,
    where: letter === undefined ? "record" : record === undefined ? "queue" : "both",
    pending: pending.filter(isConfigured),
    gone: pending.filter((name) => !isConfigured(name)),
  };
}

export function kindOf({ record, message }: Finding): ItemKind {
  if (message === undefined) return "foreign";
  if (record === undefined) return "unprocessed";
  if (record.outcome === "quarantined") return "quarantined";
  const isPending = record.outcome === "published" && record.pending.length > 0;
  return isPending ? "undeliverable" : "processed";
}

/** The record is the truth: a second try may have failed for another reason than the letter says. */
function reasonOf({ letter, record }: Finding) {
  if (record?.outcome === "quarantined") return { reason: record.reason, detail: record.detail };
  return {
    reason: letter && attributeText(letter, "reason"),
    detail: letter && attributeText(letter, "detail"),
  };
}

function putAsideAt({ letter, record }: Finding): string {
  if (record !== undefined && (letter === undefined || record.outcome === "quarantined")) {
    return record.recordedAt;
  }
  return toRfc3339(letter?.sentAtMilliseconds ?? 0);
}
