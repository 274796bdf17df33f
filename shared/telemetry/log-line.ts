import { randomBytes } from "node:crypto";
import type { ProblemCode } from "../errors/error-codes.ts";
import type { Reason } from "../errors/failures.ts";
import { PaycastError } from "../errors/paycast-error.ts";
import type { Stage } from "../errors/stages.ts";

/**
 * One wide line per unit of work. Only the fields listed here can be written, so that no key, signature, plaintext,
 * body or personal data gets into the log. Metrics are part of the same line, in CloudWatch's embedded metric format:
 * no call, no library, no cost at a cold start.
 */

/**
 * The only fields with values from outside: the names by which people and systems know a merchant, an order, a payment,
 * a refund and a callback, and the service's refusal code. Without them, nobody could trace an order. An order number
 * must not be a person's name (SECURITY.md).
 */
export const outsideFields = [
  "merchantId",
  "orderNo",
  "aggregateKeys",
  "paymentId",
  "refundId",
  "callbackId",
  "claimedCallbackId",
  "serviceCode",
] as const;

/**
 * Words, numbers and hashes of Paycast, its config and AWS. The message of a `PaycastError` never repeats input. Of
 * other errors, only plain words are logged.
 */
export const ownFields = [
  "outcome",
  "ending",
  "stage",
  "reason",
  "problem",
  "detail",
  "eventName",
  "eventId",
  "sequence",
  "flags",
  "keyVersion",
  "keyStage",
  "deliveredTo",
  "subscribers",
  "messageId",
  "route",
  "httpStatus",
  "serviceStatus",
  "durationMilliseconds",
  "traceparent",
  "errorName",
] as const;

const fieldNames = [...ownFields, ...outsideFields];

/** The outcomes of each function. A test causes each outcome and searches its lines for input. */
export const outcomes = {
  "receive-callback": [
    "accepted",
    "not-an-envelope",
    "not-authentic",
    "source-not-allowed",
    "too-large",
    "not-stored",
    "keys-problem",
    "captured",
    "not-captured",
  ],
  "process-callback": [
    "published",
    "known-fact",
    "resumed",
    "restored",
    "duplicate",
    "no-fact",
    "stamp-refused",
    "redrive-ignored",
    "quarantined",
    "failed",
    "left-for-later",
    "visibility-kept",
    "keys-problem",
  ],
  "create-order": ["answered", "problem", "keys-problem"],
  "query-order": [
    "answered",
    "stale",
    "problem",
    "stray",
    "query-failed",
    "refund-status-answered",
    "keys-problem",
  ],
  "count-attention": ["counted", "failed", "notice-not-written"],
  "reconcile-orders": ["reconciled", "ended-by-failures", "failed", "lease-held", "keys-problem"],
} as const;

export type Outcome = (typeof outcomes)[keyof typeof outcomes][number];

type LogValue = string | number | readonly string[] | undefined;

export type LogFields = { readonly outcome: Outcome } & {
  /** Where and why something failed. Every line of something unsuccessful has both. */
  readonly stage?: Stage | undefined;
  readonly reason?: Reason | undefined;
  /** What the caller of the storefront got. */
  readonly problem?: ProblemCode | undefined;
} & {
  readonly [name in Exclude<(typeof fieldNames)[number], Typed>]?: LogValue;
};

type Typed = "outcome" | "stage" | "reason" | "problem";

export type Metrics = Readonly<Record<string, number>>;

/** Metrics that count at another time than the line's. */
export interface DatedMetrics {
  readonly atMilliseconds: number;
  readonly metrics: Metrics;
}

export type WriteLine = (fields: LogFields, metrics?: Metrics, dated?: DatedMetrics) => void;

interface LogOptions {
  readonly service: string;
  readonly namespace: string;
  readonly now: () => number;
  readonly write?: (line: string) => void;
}

/**
 * Counted per merchant if the line names one, so that one merchant's problem is visible among the others. `also`: in
 * addition to the count of all merchants. `only`: instead of it, because each further metric costs money.
 */
const merchantMetrics: Readonly<Record<string, "also" | "only">> = {
  Accepted: "also",
  NotAuthentic: "also",
  NotDecrypted: "only",
  VerifiedByCurrent: "only",
  OutdatedKeys: "only",
  EndsLearned: "only",
  EndsAsked: "only",
  EndsTold: "only",
  Creations: "only",
  CreationFailures: "only",
};

/**
 * Counted for the stack and not per function: one alarm reads it, whichever function writes it. `by-merchant`: for each
 * merchant, or without one if the line names none.
 */
const stackMetrics: Readonly<Record<string, "by-merchant" | "together">> = {
  KeysProblem: "by-merchant",
  KeysFetchFailingSeconds: "together",
};

export function createLog(options: LogOptions): WriteLine {
  const { service, namespace, now } = options;
  const write = options.write ?? ((line) => process.stdout.write(`${line}\n`));
  return (fields, metrics = {}, dated) => {
    const allowed: Record<string, LogValue> = {};
    for (const name of fieldNames) if (fields[name] !== undefined) allowed[name] = fields[name];
    const hasMerchant = fields.merchantId !== undefined;
    const embedded = embeddedMetrics(namespace, now(), Object.keys(metrics), hasMerchant);
    write(JSON.stringify({ service, ...allowed, ...metrics, ...embedded }));
    if (dated === undefined) return;
    // A line has one time for all its metrics, so these need one of their own.
    const names = Object.keys(dated.metrics);
    const ofDated = embeddedMetrics(namespace, dated.atMilliseconds, names, hasMerchant);
    const { merchantId } = fields;
    write(JSON.stringify({ service, merchantId, ...dated.metrics, ...ofDated, timestamp: now() }));
  };
}

function embeddedMetrics(
  namespace: string,
  timestamp: number,
  names: readonly string[],
  hasMerchant: boolean,
) {
  if (names.length === 0) return { timestamp };
  const directive = (dimensions: readonly string[], counted: readonly string[]) => ({
    Namespace: namespace,
    Dimensions: [dimensions],
    Metrics: counted.map((Name) => ({ Name })),
  });
  const isByMerchant = (name: string) => hasMerchant && stackMetrics[name] === "by-merchant";
  const ofStack = names.filter((name) => Object.hasOwn(stackMetrics, name));
  const ofFunction = names.filter(
    (name) => !ofStack.includes(name) && (!hasMerchant || merchantMetrics[name] !== "only"),
  );
  const ofMerchant = names.filter((name) => hasMerchant && Object.hasOwn(merchantMetrics, name));
  const directives = [
    directive(
      [],
      ofStack.filter((name) => !isByMerchant(name)),
    ),
    directive(["merchantId"], ofStack.filter(isByMerchant)),
    directive(["service"], ofFunction),
    directive(["service", "merchantId"], ofMerchant),
  ];
  const CloudWatchMetrics = directives.filter(({ Metrics }) => Metrics.length > 0);
  return { timestamp, _aws: { Timestamp: timestamp, CloudWatchMetrics } };
}

/** The name and the words of an error's innermost cause. */
export function errorFields(error: unknown): Pick<LogFields, "errorName" | "detail"> {
  if (!(error instanceof Error)) return { errorName: typeof error };
  const cause = innermost(error);
  const detail = cause instanceof PaycastError ? cause.message : wordsOf(cause.message);
  return { errorName: cause.name, ...(detail !== "" && { detail }) };
}

/** Limited, because an error may be its own cause. */
function innermost(error: Error, depth = 0): Error {
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  return inner instanceof Error && depth < 5 ? innermost(inner, depth + 1) : error;
}

/**
 * For example "Unable", "resource-based", "ECONNREFUSED" or "sqs:sendmessage", with or without punctuation after it.
 */
const plainWord =
  /^(?:[A-Z]?[a-z]+(?:-[a-z]+)*|E[A-Z]{4,15}|(?:sqs|kms|dynamodb|secretsmanager):[A-Za-z]+)[.,:;]?$/;
const mostWordCharacters = 300;

/**
 * A message of AWS or Node may repeat input. So everything from the first quotation mark or bracket is omitted, and
 * before it each word that could be an id, a key, a number or an address.
 */
function wordsOf(message: string): string {
  const [unquoted = ""] = message.slice(0, mostWordCharacters).split(/["'`{[(<\\]/, 1);
  const words = unquoted
    .split(/\s+/)
    .map((word) => (plainWord.test(word) || word === "" ? word : "…"));
  return words.join(" ").trim();
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error("A value that is not an Error was thrown.");
}

/**
 * The W3C trace context of this invocation. Lambda passes X-Ray's header (Root=1-5f84c7a5-…;Parent=…;Sampled=1), which
 * has the same ids in another format.
 */
export function currentTraceparent(xrayHeader: string | undefined): string {
  const root = /Root=1-([0-9a-f]{8})-([0-9a-f]{24})/.exec(xrayHeader ?? "");
  const parent = /Parent=([0-9a-f]{16})/.exec(xrayHeader ?? "");
  const sampled = /Sampled=1/.test(xrayHeader ?? "") ? "01" : "00";
  const traceId = root ? `${root[1]}${root[2]}` : randomBytes(16).toString("hex");
  return `00-${traceId}-${parent?.[1] ?? randomBytes(8).toString("hex")}-${sampled}`;
}
