import type { RequestLine } from "../telemetry/request-lines.ts";

/** What can fail as a whole: callbacks that are answered 503, orders that are not created, questions without an answer. */
export const failureKinds = ["callbacks", "orders", "questions"] as const;
export type FailureKind = (typeof failureKinds)[number];

/** What is away, or wrong, if requests fail. */
export type CauseName =
  | "sqs"
  | "secrets-manager"
  | "dynamodb"
  | "keys"
  | "service-away"
  | "service-refuses"
  | "function";

/** A reason of failed requests, and what stands behind it. */
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

const sentAgain = "the payment service sends its callbacks again for seven days";

/** What each cause means and what to do. */
export const causeWords: Readonly<Record<CauseName, CauseWords>> = {
  sqs: {
    means: "SQS does not accept messages for the inbox",
    todo: `Wait: ${sentAgain}. Look at SQS in the AWS Health Dashboard, and whether check finds a changed queue policy.`,
    command: "check",
  },
  "secrets-manager": {
    means: "Secrets Manager does not return the keys",
    todo: `Wait: ${sentAgain}. Look at Secrets Manager in the AWS Health Dashboard, and whether the secrets and the functions' roles still exist.`,
    command: "check",
  },
  dynamodb: {
    means: "DynamoDB does not answer as it should",
    todo: "Wait: callbacks are accepted and wait in the inbox. Look at DynamoDB in the AWS Health Dashboard.",
    command: "check",
  },
  keys: {
    means: "a merchant's keys are missing or not valid",
    todo: "Set the keys, or go back to those of before.",
    command: "keys check",
  },
  "service-away": {
    means: "the payment service does not answer, or asks to slow down",
    todo: "Ask the payment service. Paycast asks about open orders again by itself.",
    command: "requests --route storefront --answer failed",
  },
  "service-refuses": {
    means: "the payment service refuses the calls",
    todo: "Compare the request keys, and ask the payment service what its code means.",
    command: "keys check",
  },
  function: {
    means: "a function of Paycast failed",
    todo: "Read the requests with their errors. After a deployment, go back to the version before.",
    command: "requests --answer failed",
  },
};

/** The errors with which DynamoDB answers while it is away or overloaded, and those of a connection to it. */
const awsErrors =
  /^(InternalServerError|ServiceUnavailable|Throttling|Provisioned|RequestLimit|Transaction|ResourceNotFound|AccessDenied|TimeoutError|E[A-Z]{4,})/;

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
  /** Most frequent first. Empty if the log tells nothing. */
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
  questions: "no question to the service was answered",
};

/** A sentence about failures that is followed by a time, or by nothing. */
export interface FailureNote {
  readonly text: string;
  readonly at?: string;
  /** The cause and what to do, if it is long: a card has no room for it, and the page `to` has it too. */
  readonly more?: string;
  readonly to?: string;
  /** Nothing is to be done about it. */
  readonly isQuiet?: boolean;
}

/** "no order was created since 08:26", "because the payment service does not answer (gateway-timed-out)". */
export function failureNotes({ kind, noneSince: none, causes }: Failures): readonly FailureNote[] {
  const [cause] = causes;
  return [
    ...(none === undefined ? [] : [{ text: `${noneText[kind]} since`, at: none.at }]),
    ...(cause === undefined ? [] : [{ text: `because ${causeText(cause)}` }]),
  ];
}
