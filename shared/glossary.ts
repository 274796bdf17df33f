/**
 * One word for one thing, in the code, the documents and the messages. The glossary of docs/architecture.md is made from
 * this list, and the console's pages explain their words with it.
 */
export const words = {
  callback: "a call of the payment service that tells what happened to an order or a refund",
  inbox: "the queue in which a callback is stored before it is answered, until it is processed",
  stamp:
    "the proof that one of the stack's own functions put a message into the inbox: an HMAC under a key that only they have. A message without it is never applied",
  receipt: "one arrival of a callback, or of a query's answer, in the inbox",
  record: "what is kept of a receipt in the callbacks table",
  fact: "what a callback states: this order was paid by this transaction. However often it is told, it is one fact",
  event: "the message about a fact that other teams receive, once",
  subscriber:
    "a team that gets events: a queue of its own, and the types of events that it asked for",
  sequence:
    "the number of an event among the events of its order, or for a refund of its payment. It tells which of two events is the newer one",
  aggregate:
    "an order or a payment as the orders table holds it: one item, one lock, one FIFO group, one sequence",
  order: "what the shop sells under an order number; its status is that of its payment",
  status:
    "how far the payment of an order is. It only moves up: pending (not paid yet), confirming (submitted, and the service is processing it), timeout (not paid in time), failed, success (paid). refused means that the payment service refused to create the order and has not reported on it since: its number is free",
  payment: "what the service returned for an order, by its payment id; refunds belong to it",
  attempt:
    "one call that tried to create an order at the service. Of a callback: one call of the service that tried to deliver it",
  "known to the service":
    "of an order: the service has reported on it, in a callback or an answer, so it exists there",
  settled: "of an order: its status will not change, so the service is not asked any more",
  attention:
    "what needs a person, or may soon: callbacks that could not be understood, events that a subscriber's queue refuses, and notices. Each is a record that says its kind, since when, why and for whom, and a sparse index lists all of it until it is settled or dismissed",
  waiting: "of an event: a subscriber's queue refuses it, and it is tried again",
  undeliverable:
    "of an event: a subscriber's queue refused it for five minutes, or did not exist for one, and Paycast has given up. Its record says who misses it",
  quarantined:
    "of a callback: it is authentic and cannot be understood. It is kept until a person has fixed the cause, or dismisses it",
  notice:
    "a small record of something odd about money or an order, such as a second payment. It holds no message, and stays in the list of what needs a person until it is dismissed; that an order is unresolved, or an answer unreadable, ends with the order's end",
  dismissed:
    "of a callback, an event or a notice: a person has decided that nothing more is done about it. It leaves the list of what needs a person, and its record stays until its usual expiry",
  "inbox dead letters":
    "the queue with messages of the inbox that have no record: those without a stamp, what is too large for a record, and what SQS moved there after an outage of many hours",
  "subscriber dead letters":
    "the queue with events that a subscriber's own consumer received ten times and did not finish",
  redrive:
    "sending something again after its cause was fixed: a dead letter to the queue that it came from, or the name of a record to the inbox, so that its stored message is processed again. What was processed before is recognised, and publishes nothing twice",
  replay:
    "sending recorded events to one subscriber again, also those that it has got already. They keep their id, so a consumer recognises them",
  captured: "of an envelope: it was refused, and kept for a day because the config asks for it",
  target: "the stack that an operator works on: the local one, or a deployed one",
  lease:
    "a time in which only its holder may act and that ends by itself: the caller that creates an order may still be talking to the service, or a run of reconcile-orders is under way",
  due: "of an order: the time of its next check has come",
  check:
    "of an order: asking the service about every payment of it. (`npx paycast check` looks at a deployment.)",
  reconciliation:
    "asking the payment service about orders whose callback is overdue, once a minute. So an order gets its status even if its callbacks are lost",
  claim: "the right of one caller to ask the service about an order, for some seconds",
  unresolved:
    "of an order: its end is not known eight days after it expired, or the last check of its timeout or failure has told nothing for nine days; it is not checked any more",
  snapshot: "the order or the payment after a fact, as an event carries it",
  envelope: "the outer JSON of a callback (§2.10)",
  "result object": "the decrypted JSON inside an envelope (§2.11, §2.12)",
  "wire profile": "what a merchant's signing and encrypting looks like",
  "given back": "of a message: not done, and visible in the inbox again after some seconds",
  outcome:
    "how one unit of work of a function ended, as its log line says and its metric counts it",
  stage:
    "one part of the way of a callback or an order on the console's Flow page: storefront, callbacks, inbox, processed. (A version stage is Secrets Manager's own word: current, previous or pending.)",
  finding:
    "what one check of `npx paycast check` found: the name of the check and its verdict. (What a search finds is a hit.)",
  verdict: "of a check: ok, warning or problem, why, and what to do about it",
  "callback keys": "the secret with which a merchant's callbacks are verified and decrypted",
  "request keys": "the secret with which calls to the payment service are signed and encrypted",
  "stamp key": "the secret that the stack makes for itself, to stamp its messages in the inbox",
  flag: "a mark on an event and on its order that says what is odd about it, such as a second payment. It also counts in a metric",
} as const;

export type Word = keyof typeof words;
