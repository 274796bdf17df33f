import type { RequestLine } from "../telemetry/request-lines.ts";

/** What can fail as a whole: callbacks that return 503, orders that are not created, queries without a response. */
export const failureKinds = ["callbacks", "orders", "queries"] as const;
export type FailureKind = (typeof failureKinds)[number];

/** What is down or wrong if requests fail. */
export type CauseName =
  | "sqs"
  | "secrets-manager"
  | "dynamodb"
  | "keys"
  | "service-away"
  | "service-refuses"
  | "function";

/** A reason of failed requests, and its cause. */
export interface Cause {
  readonly name: CauseName;
  /** The code or the name of the error, as the list of requests has it. */
  readonly reason: string;
  readonly count: number;
}

interface CauseWords {
  readonly means: string;
  readonly todo: string;
  /** After `npx paycast`. */
  readonly command: string;
}

const sentAgain = "the payment service retries its callbacks for seven days";

/** What each cause means and what to do. */
export const causeWords: Readonly<Record<CauseName, CauseWords>> = {
  sqs: {
    means: "SQS does not accept messages for the inbox",
    todo: `Wait: ${sentAgain}. Check SQS in the AWS Health Dashboard, and whether the line of the inbox reports a changed queue policy.`,
    command: "requests --route callbacks --answer failed",
  },
  "secrets-manager": {
    means: "Secrets Manager does not return the keys",
    todo: `Wait: ${sentAgain}. Check Secrets Manager in the AWS Health Dashboard, and whether the secrets and the functions' roles still exist.`,
    command: "requests --answer failed",
  },
  dynamodb: {
    means: "DynamoDB does not respond as expected",
    todo: "Wait: callbacks are accepted and wait in the inbox. Check DynamoDB in the AWS Health Dashboard.",
    command: "requests --answer failed",
  },
  keys: {
    means: "a merchant's keys are missing or not valid",
    todo: "Set the keys, or restore the previous ones.",
    command: "keys check",
  },
  "service-away": {
    means: "the payment service does not respond as expected",
    todo: "Contact the payment service. Paycast queries open orders again automatically.",
    command: "requests --route storefront --answer failed",
  },
  "service-refuses": {
    means: "the payment service rejects the calls",
    todo: "Compare the request keys, and ask the payment service what its code means.",
    command: "keys check",
  },
  function: {
    means: "a function of Paycast failed",
    todo: "Read the requests with their errors. After a deployment, go back to the previous version.",
    command: "requests --answer failed",
  },
};

/** The errors of DynamoDB while it is down or overloaded, of a connection to it, and of a call that reaches its deadline. */
const awsErrors =
  /^(InternalServerError|ServiceUnavailable|Throttling|Provisioned|RequestLimit|Transaction|ResourceNotFound|AccessDenied|TimeoutError|AbortError|E[A-Z]{4,})/;

export function causeOf(line: Pick<RequestLine, "errorCode" | "errorName">): CauseName {
  const { errorCode = "", errorName = "" } = line;
  if (errorCode === "inbox-unavailable") return "sqs";
  if (errorCode === "keys-unreachable") return "secrets-manager";
  if (/^(keys|profile)-/.test(errorCode)) return "keys";
  if (errorCode === "gateway-refused") return "service-refuses";
  if (errorCode.startsWith("gateway-")) return "service-away";
  return awsErrors.test(errorName) || awsErrors.test(errorCode) ? "dynamodb" : "function";
}

/** "SQS does not accept messages for the inbox (inbox-unavailable)". */
export function causeText({ name, reason }: Cause): string {
  return `${causeWords[name].means} (${reason})`;
}

/** Requests of the last hour that failed. */
export interface Failures {
  readonly kind: FailureKind;
  readonly failed: number;
  /** To the minute. */
  readonly last: string;
  /** Since when everything has failed. Undefined if the last of them succeeded. */
  readonly noneSince: NoneSince | undefined;
  /** Most frequent first. Empty if the log has none. */
  readonly causes: readonly Cause[];
}

export interface NoneSince {
  /** The first minute with a failure after the last success. */
  readonly at: string;
  /** How many have failed since then. */
  readonly failed: number;
  /** The minute, or quarter of an hour, of the last success. Undefined if there was none in a day. */
  readonly lastSuccess: string | undefined;
}

export const noneText: Readonly<Record<FailureKind, string>> = {
  callbacks: "no callback was stored",
  orders: "no order was created",
  queries: "no query to the service succeeded",
};

const failedText: Readonly<Record<FailureKind, string>> = {
  callbacks: "callbacks were not stored",
  orders: "orders failed",
  queries: "queries failed",
};

/** A sentence about failures that is followed by a time, or by nothing. */
export interface FailureNote {
  readonly text: string;
  readonly at?: string;
  /** The cause and what to do, if it is long: a card has no room for it, and the page `to` has it too. */
  readonly more?: string;
  readonly to?: string;
  /** It needs no action. */
  readonly isQuiet?: boolean;
}

/**
 * "no order was created since 08:26", "because the payment service does not respond as expected (gateway-timed-out)".
 * Without the first, the second begins with what failed: other numbers stand before it.
 */
export function failureNotes({ kind, noneSince: none, causes }: Failures): readonly FailureNote[] {
  const [cause] = causes;
  const because = none === undefined ? `${failedText[kind]} because` : "because";
  return [
    ...(none === undefined ? [] : [{ text: `${noneText[kind]} since`, at: none.at }]),
    ...(cause === undefined ? [] : [{ text: `${because} ${causeText(cause)}` }]),
  ];
}
