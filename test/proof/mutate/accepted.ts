import { acceptedOutside } from "./accepted-outside.ts";
import { type Accepted, listed } from "./accepted-rule.ts";
import type { Mutant } from "./journal.ts";

/** A text of several words that the change removes. */
const isSentence = ({ code, replacement }: Mutant) =>
  /^["'`].* .*["'`]$/s.test(code) && /^(""|``)$/.test(replacement);

export const accepted: readonly Accepted[] = [
  { reason: "the text of a message, which no code reads", matches: isSentence },
  {
    reason: "the value is always there: only the compiler needs the check or the default",
    matches: listed({
      "envelope/envelope.ts": ['"" => "Stryker', "value !== null => true"],
      "envelope/open-callback.ts": ['content.kind !== "text"', "named === undefined"],
      "envelope/signature.ts": ["publicKey.asymmetric", "asymmetricKeyDetails?.saltLength => as"],
      "envelope/signed-bytes.ts": [
        "value !== null",
        "members[0]?.",
        "members.at(-1)?.",
        "members[index - 1]?.",
      ],
      "facts/read-fact.ts": ["state.status === ", '"success"'],
      "facts/read-result.ts": [
        "amount !== unreadableMark",
        "created === unreadableMark => false",
        "completed === unreadableMark => false",
      ],
      "facts/subject.ts": ["merchantId === undefined", "id === undefined"],
      "keys/key-ring.ts": ['"" => "Stryker'],
      "keys/load-versions.ts": ["previous.value === undefined", '[] => ["Stryker'],
      "keys/parse-keys.ts": ["der !== undefined", "key.asymmetricKeyDetails?."],
      "keys/read-secret.ts": ['"" => "Stryker', "answer.CreatedDate?.getTime =>"],
      "keys/request-keys.ts": ["current !== undefined", '"keys-unset"'],
      "keys/stamp-keys.ts": [
        "current !== undefined => true",
        '"keys-unset"',
        "{ retryable: true }",
        "true => false",
      ],
      "money/exact-numbers.ts": ['"" => "Stryker', '"0" => ""'],
      "orders/apply-refund-fact.ts": ["known === undefined", "known.", "amount !== undefined"],
      "orders/check-refunds.ts": ["refunded !== undefined =>"],
      "orders/creation.ts": ["order.attempts.at(-1)?."],
      "orders/creation-store.ts": ['link.kind === "linked" => true'],
      "orders/order-moves.ts": [
        "payment.learnedAt === ",
        "attempts.at(-1)?.",
        "creation?.expiresAt",
      ],
      "orders/payment.ts": [
        "reported === undefined",
        "amount?.currency => ",
        '[] => ["Stryker',
        "payment.order === undefined",
        "refunded === undefined",
      ],
      "orders/attempt-role.ts": ["first === undefined", "second === undefined"],
      "processing/failing-since.ts": ["oldest !== undefined"],
      "receiving/allowed-sources.ts": ['"" => "Stryker'],
      "records/plan-receipt.ts": [
        'message.origin === "callback" => true',
        'context.kind === "order" && next.kind === "order" => true',
        'context.kind === "order" && next.kind === "order" => context.kind === "order" ||',
        'context.kind === "order" => true',
        'next.kind === "order" => true',
      ],
      "records/receipt.ts": [
        "merchantId === undefined || key === undefined => merchantId === undefined && key",
        "merchantId === undefined => false",
        "key === undefined => false",
        'message.origin === "callback" => true',
        '"" => "Stryker',
        'origin === "query" => true',
      ],
      "records/record-store.ts": ["subject?.kind"],
    }),
  },
  {
    reason: "an optimisation: the result is the same without it",
    matches: listed({
      "envelope/envelope.ts": [
        "isPlain(json)",
        "{ return Object.keys(json)",
        "(name) => isPlainField",
        'typeof value === "boolean"',
        '"boolean"',
        'typeof value === "number"',
      ],
      "envelope/signature.ts": ["privateKey.asymmetricKeyType"],
      "envelope/signed-bytes.ts": ["further.length === 0"],
      "envelope/source-text.ts": ['"\\\\" => ""'],
      "envelope/text.ts": ["text.includes", '"\\n"', '"\\r"'],
      "facts/exact-fields.ts": ["names.length === 0 => false"],
      "facts/read-result.ts": ["unreadableTime || ", "text.slice("],
      "money/exact-numbers.ts": ["written.length <", "/[eE]/"],
      "orders/apply-refund-fact.ts": ["fact.transactionId !== undefined"],
      "records/record-store.ts": ["delivered.length > 0"],
    }),
  },
  {
    reason: "equivalent code: the result is the same",
    matches: listed({
      "envelope/cipher.ts": [
        "rest.length > 0",
        "{ authTagLength",
        "count === 0",
        "back < blockBytes",
        "profile.cipher.toLowerCase()",
      ],
      "envelope/json-style.ts": ["token.startsWith('\"') => token.endsWith"],
      "envelope/open-callback.ts": ['typeof named !== "number"'],
      "envelope/refusal.ts": ['"Refusal"'],
      "envelope/signature.ts": ["{ return false; }", "{ padding: constants.RSA_PKCS1_PADDING }"],
      "envelope/signed-bytes.ts": ['typeof value === "string" => true'],
      "envelope/source-text.ts": [
        'json.indexOf("{")',
        '"{"',
        "at < json.length",
        "quote !== -1 => true",
        "quote === -1 => false",
        "-1 => +1",
      ],
      "envelope/text.ts": ["/[\\r\\n]+/g"],
      "facts/read-fact.ts": ['"result-unreadable"'],
      "keys/load-versions.ts": ['{ return new PaycastError( "keys-unreachable"'],
      "keys/parse-keys.ts": ['"utf8"', "/\\s+/g"],
      "keys/stamp-keys.ts": ['"utf8"'],
      "money/exact-numbers.ts": ["at < json.length", "quote !== -1", "-1 => +1", "left.power !=="],
      "orders/creation.ts": ['case "unknown"', 'end.state === "created" => true'],
      "orders/creation-store.ts": ["true => false"],
      "orders/payment.ts": ["left.refundId < right.refundId => left.refundId <="],
      "orders/apply-payment-fact.ts": ['"pending"'],
      "processing/processing-line.ts": ['"delivered"', '[] => ["Stryker'],
      "receiving/allowed-sources.ts": ["isIP(address) !== 0"],
      "receiving/receive-callback.ts": ["!isRefreshed"],
      "records/record-quarantine.ts": ["true => false", '[] => ["Stryker'],
      "records/record-receipt.ts": ["true => false", '[] => ["Stryker'],
      "records/record-store.ts": ['[] => ["Stryker'],
      "records/stored-record.ts": ['record.outcome === "published" => true'],
    }),
  },
  {
    reason: "the first element of the array is never read",
    matches: listed({
      "facts/subject.ts": ['[] => ["Stryker'],
      "money/amount.ts": ['[] => ["Stryker'],
      "records/receipt.ts": ['[] => ["Stryker'],
    }),
  },
  {
    reason: "off by one at a limit",
    matches: listed({
      "keys/key-ring.ts": ["elapsed(keyFetch.startedAt, now) >="],
      "records/plan-receipt.ts": ["text.length <= mostEventBytes"],
      "records/record-store.ts": ["itemBytes(item) <= mostItemBytes"],
    }),
  },
  {
    reason: "a different but valid shard or slot",
    matches: listed({
      "orders/day.ts": ["hash.slice("],
      "orders/due.ts": ["groupOf(order).slice("],
      "receiving/capture-refused.ts": ['hash("sha256", body).slice('],
      "attention/attention.ts": ["sha256Of(callbackKey).slice("],
    }),
  },
  {
    reason: "a renamed constant that is used consistently",
    matches: listed({
      "orders/same-fact.ts": ['"unknown"'],
      "orders/attempt-role.ts": ['"current"'],
      "processing/send-to-dead-letters.ts": ['"quarantine"'],
      "records/record-store.ts": ['"payment"'],
    }),
  },
  {
    reason: "limits of the SQS client: covered by tests on the bundles, with a queue that hangs",
    matches: listed({ "delivery/deliver-event.ts": ["{ connectionTimeout: 400", "true => false"] }),
  },
  {
    reason: "DynamoDB rejects such an update: covered by the integration tests",
    matches: listed({ "records/record-store.ts": ['"" => "Stryker'] }),
  },
  {
    reason: "the cause of an error, which no code reads",
    matches: listed({ "processing/set-aside.ts": ["{ cause: error"] }),
  },
  {
    reason: "a warm-up has no result: test/bench measures its effect",
    matches: ({ at }) => at.startsWith("shared/envelope/warm-up.ts"),
  },
  ...acceptedOutside,
];
