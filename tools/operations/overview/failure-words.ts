import type { Stage } from "../../../shared/errors/stages.ts";

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
  | "service-answers"
  | "changed"
  | "newer"
  | "slow"
  | "function";

/** A reason of failed requests, and its cause. */
export interface Cause {
  readonly name: CauseName;
  /** As the list of requests has it. */
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
  "service-answers": {
    means: "the payment service's responses are not as its interface says",
    todo: "Contact the payment service, with the payment ids of these orders.",
    command: "requests --route storefront --answer failed",
  },
  changed: {
    means: "AWS denies access to a table, or the table is gone",
    todo: "A role or a table was changed outside the stack: undo the change. npx cdk drift shows what was changed.",
    command: "check",
  },
  newer: {
    means: "a newer version of Paycast wrote what this one cannot read",
    todo: "Wait if a deployment is running. After a rollback, deploy the newer version again.",
    command: "check",
  },
  slow: {
    means: "keys or tables were so slow that no time was left for the payment service",
    todo: "Wait: callers try again. Check Secrets Manager and DynamoDB in the AWS Health Dashboard.",
    command: "requests --answer failed",
  },
  function: {
    means: "a function of Paycast failed",
    todo: "Read the requests with their errors. After a deployment, go back to the previous version.",
    command: "requests --answer failed",
  },
};

/** What failed, by the stage and the reason that the line names. A line of a caller's mistake has no cause here. */
export function causeOf({ stage, reason }: Failed): CauseName {
  if (reason === "item-newer" || reason === "inbox-message-newer") return "newer";
  switch (stage) {
    case "inbox":
    case "delivery":
      return "sqs";
    case "keys":
      return reason === "keys-unreachable" || reason === "stamp-unchecked"
        ? "secrets-manager"
        : "keys";
    case "table":
      return reason === "table-denied" || reason === "table-missing" ? "changed" : "dynamodb";
    case "service":
      return causeOfService(reason);
    case "function":
      return reason === "out-of-time" ? "slow" : "function";
    default:
      return "function";
  }
}

function causeOfService(reason: string | undefined): CauseName {
  switch (reason) {
    case "gateway-refused":
      return "service-refuses";
    case "gateway-unreadable":
    case "gateway-incomplete":
    case "gateway-other-order":
      return "service-answers";
    default:
      return "service-away";
  }
}

interface Failed {
  readonly stage?: Stage | undefined;
  readonly reason?: string | undefined;
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
