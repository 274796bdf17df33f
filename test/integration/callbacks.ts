import { randomUUID } from "node:crypto";
import type { WireFields, WireValue } from "../../shared/envelope/signed-bytes.ts";
import type { EventType } from "../../shared/facts/event-types.ts";
import { groupOf } from "../../shared/facts/subject.ts";
import { writeInboxMessage } from "../../shared/inbox/inbox-message.ts";
import { callbackEntry, subjectOfCallback } from "../../shared/inbox/send-to-inbox.ts";
import {
  bytesOf,
  openWith,
  orderResult,
  refundResult,
  sealedCallback,
} from "../builders/callback.ts";
import { canariesIn, canaryName, canaryReason } from "./canaries.ts";
import type { Queued } from "./lambda-events.ts";
import type { World } from "./world.ts";

export type Fields = Record<string, unknown>;

export interface EnvelopeOptions {
  /** The callback's id. */
  readonly id?: WireValue;
  /** In place of the envelope's usual ones. */
  readonly fields?: WireFields;
  readonly eventName?: string;
  /** The plaintext as it stands, where it is to be no proper result object. */
  readonly plaintext?: string;
  readonly nowMilliseconds?: number;
}

const eventNames: Readonly<Record<string, EventType>> = {
  confirming: "payment.order.confirming",
  timeout: "payment.order.timeout",
  failed: "payment.order.failed",
  success: "payment.order.success",
  refund_failed: "payment.refund.failed",
  refund_success: "payment.refund.success",
};

/** The envelope of an order's callback (§2.11), sealed now; what it holds becomes a canary. */
export function paymentCallback(
  world: World,
  result: Fields = {},
  options: EnvelopeOptions = {},
): Fields {
  const { merchantId } = world.merchant;
  return seal(world, orderResult({ merchantId, msg: canaryReason, ...result }), options);
}

/** The envelope of a refund's callback (§2.12). */
export function refundCallback(
  world: World,
  result: Fields = {},
  options: EnvelopeOptions = {},
): Fields {
  const { merchantId } = world.merchant;
  return seal(world, refundResult({ merchantId, msg: canaryReason, ...result }), options);
}

function seal(world: World, fields: Fields, options: EnvelopeOptions): Fields {
  const result = options.plaintext ?? { ...fields, consumer: canaryName };
  const envelope = sealedCallback(world.merchant, {
    id: options.id ?? randomUUID(),
    eventName: options.eventName ?? eventNames[String(fields["status"])] ?? "payment.order.success",
    result,
    nowMilliseconds: options.nowMilliseconds ?? Date.now(),
    ...(options.fields && { fields: options.fields }),
  });
  const { sign, body } = envelope;
  for (const secret of [String(sign), String(body), ...canariesIn(result)]) {
    world.canaries.add(secret);
  }
  return envelope;
}

/** The inbox message that receive-callback makes of an envelope. */
export function queued(world: World, envelope: Fields, receivedAt = Date.now()): Queued {
  const opened = openWith(world.merchant, bytesOf(envelope), receivedAt);
  const traceparent = `00-${randomUUID().replaceAll("-", "")}-${"1".repeat(16)}-01`;
  const entry = callbackEntry(opened, subjectOfCallback(opened), receivedAt, traceparent);
  return { messageId: randomUUID(), group: entry.group, body: entry.message };
}

export function queuedPayment(
  world: World,
  result: Fields = {},
  options: EnvelopeOptions = {},
): Queued {
  return queued(world, paymentCallback(world, result, options));
}

export function queuedRefund(
  world: World,
  result: Fields = {},
  options: EnvelopeOptions = {},
): Queued {
  return queued(world, refundCallback(world, result, options));
}

/** The inbox message for the answer (§2.9) to a query about a payment. */
export function queuedQuery(
  world: World,
  asked: { readonly orderNo: string; readonly paymentId: string },
  answer: Fields,
): Queued {
  const { merchantId } = world.merchant;
  const text = JSON.stringify({ merchantId, ...answer, consumer: canaryName });
  const body = writeInboxMessage({
    origin: "query",
    merchantId,
    ...asked,
    content: { kind: "text", text, result: undefined },
    deduplication: { key: randomUUID(), replayable: false },
    receivedAtMilliseconds: Date.now(),
    traceparent: `00-${"2".repeat(32)}-${"3".repeat(16)}-00`,
  });
  const { orderNo } = asked;
  return { messageId: randomUUID(), group: groupOf({ kind: "order", merchantId, orderNo }), body };
}
