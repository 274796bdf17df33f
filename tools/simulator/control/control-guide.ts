import { faultDescriptions } from "../faults/fault.ts";

const faultLines = Object.entries(faultDescriptions)
  .map(([kind, text]) => `  ${kind.padEnd(20)} ${text}`)
  .join("\n");

/** The response to `GET /control`, and part of `--help`. */
export const controlGuide = `The control API: JSON in, JSON out; an error is { "error": "…" }.

  GET    /control/orders                        all orders with their refunds, callbacks and attempts
  POST   /control/orders                        a test order that only the simulator knows: { merchantId?, orderNo?, amount?,
                                                currency?, description?, callbackUrl?, redirectUrl?, expirySeconds? }
  GET    /control/orders/PAYMENT_ID             one order
  POST   /control/orders/PAYMENT_ID/pay         the customer pays; { "force": true } in any status
  POST   /control/orders/PAYMENT_ID/fail        the payment fails; { "force": true } in any status
  POST   /control/orders/PAYMENT_ID/expire      the order expires
  POST   /control/orders/PAYMENT_ID/refund      { amount?, outcome?: "success" | "failed", referRefundNo? }
  POST   /control/callbacks/ID/send-again       one more attempt now, outside the schedule
  GET    /control/faults                        the active faults, and every available kind
  POST   /control/faults                        { kind, orderNo?, times?, … }: for one order or for all,
                                                for that many times or until switched off
  DELETE /control/faults[/FAULT_ID]             switch one off, or all
  GET    /control/clock                         { now, speed, aheadSeconds }: how far it is ahead of the receiver's time
  POST   /control/clock                         { speed?, jumpSeconds?, backToNow?, aheadSeconds? }; speed 0 stops the
                                                clock; backToNow: true sets it to the receiver's time; aheadSeconds
                                                sets it that far ahead; jumpSeconds moves it forward, with
                                                everything that shares it (the whole local stack)
  GET    /control/settled?timeoutSeconds=10     returns when nothing is due or in progress: { settled }
  POST   /control/rotate                        { merchantId?, keys?: ["aesKey", "serviceKey", "merchantKey"],
                                                keepPrevious? }; returns the merchant's side of the new keys

Faults (kind):

${faultLines}

Optional fields of a fault, with their defaults:

  attempts: 1        of wrong-key, tampered-body, wrong-merchant and old-timestamp: how many attempts are
                     forged before an authentic one
  which: signing     of wrong-key; or aes
  how: plaintext     of tampered-body; or ciphertext
  where: envelope    of wrong-merchant; or result, the object inside; merchantId: somebody-else
  seconds            of old-timestamp (777600, nine days; negative: in the future), of delay (600,
                     simulated) and of slow-answer (10, real)
  eventName          of unknown-event
  how: not-json      of malformed-result; or missing-fields, wrong-types
  changes: amount    of conflicting-callback; or transaction
  code, msg          of refuse-creates, and httpStatus
  when: before       of reset-connections; or after (the work is done, only the response is lost)
  how: html          of broken-answer; or empty, truncated, http-404, http-500
  operation          create or query, of slow-answer, reset-connections and broken-answer; without it, both

The clock decides when something happens. Timestamps on the wire are always real time, so a receiver
accepts them at any clock speed. A retry repeats the first envelope with its id and timestamp.`;
