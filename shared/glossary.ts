/**
 * The words of Paycast that need an explanation. The glossary of docs/architecture.md is generated from this list, and
 * the console's pages explain their words with it.
 */
export const words = {
  inbox:
    "the FIFO queue that stores a callback before receive-callback acknowledges it, until process-callback has processed it",
  stamp:
    "an HMAC on an inbox message, under a key that four functions of the stack can read. It authenticates the message. A message without a valid stamp is never applied",
  receipt: "one arrival of a callback, or of news from a query, in the inbox",
  record: "what the callbacks table stores about a receipt",
  fact: "one statement of the payment service about an order or a refund, such as: this order was paid by this transaction. Repeated reports are one fact",
  subscriber: "a team that receives events: it has a queue of its own and a list of event types",
  sequence:
    "the number of an event among the events of its order or, for a refund, of its payment. The higher number is the newer event",
  aggregate:
    "an order or a payment as the orders table stores it: one item, one lock, one FIFO group, one sequence",
  status:
    "how far the payment of an order is. It only moves forward: pending (not paid yet), confirming (submitted, the payment service is processing it), timeout (not paid in time), failed, success (paid). refused means that the payment service rejected the creation of the order and has not reported on it since: its number can be used again",
  attempt:
    "one request to the payment service that tries to create an order. For a callback: one request of the payment service that tries to deliver it",
  "known to the service":
    "the payment service has reported on the order, in a callback or a query, so the order exists there",
  settled:
    "the status of the order will not change any more, so Paycast does not query the payment service about it",
  attention:
    "the list of items that need a decision or a fix, or may soon: callbacks that cannot be understood, events that a subscriber's queue rejects, and notices. An item stays until it is resolved or dismissed",
  undeliverable:
    "a subscriber's queue rejected the event until Paycast stopped retrying. The record lists the subscribers that did not receive it",
  quarantined:
    "the callback is authentic, but cannot be understood. It is kept until its cause is fixed and it is redriven, or until it is dismissed",
  notice:
    "a small record of something unusual about money or an order, such as a second payment. It stays in the list until it is dismissed. Notices about an unresolved order or an unreadable response also end with the order",
  dismissed:
    "an operator decided that nothing more is done about the callback, event or notice. It leaves the list, and its record stays until it expires",
  "inbox dead letters":
    "the dead-letter queue of the inbox. It holds messages that have no record: without a valid stamp, too large for a record, or moved there by SQS after an outage of many hours",
  "subscriber dead letters":
    "the dead-letter queue of a subscriber. It holds events that the subscriber's consumer received ten times without deleting them",
  redrive:
    "processing something again after its cause was fixed: a dead-letter message returns to its queue, or a record's stored message is processed again. What was already processed publishes nothing again",
  replay:
    "sending recorded events to one subscriber again, even those that it already received. They keep their ids, so a consumer recognises them",
  check:
    "a query to the payment service about every payment of an order. (`npx paycast check` checks a deployment.)",
  reconciliation:
    "querying the payment service, once a minute, about orders whose callback is overdue. An order gets its status even if its callbacks are lost",
  unresolved:
    "the payment service did not report how the order ended, for eight days after it expired (nine if it does not respond), or did not confirm a timeout or failure for nine days. Paycast does not check the order any more",
  envelope: "the outer JSON of a callback, signed and encrypted (§2.10)",
  "result object": "the decrypted JSON inside an envelope (§2.11, §2.12)",
  "wire profile": "how the payment service signs and encrypts for one merchant",
  "callback keys": "the secret that verifies and decrypts a merchant's callbacks",
  "request keys": "the secret that signs and encrypts requests to the payment service",
  "stamp key": "the secret that stamps the messages of the inbox. The stack creates it for itself",
  flag: "a mark on an event and its order that says what is unusual, such as a second payment. Each flag also counts in a metric",
} as const;

export type Word = keyof typeof words;
