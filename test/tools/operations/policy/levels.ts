import type { PolicyName } from "../../../../tools/operations/policy/operator-policy.ts";

/** What the commands are about. */
export interface Made {
  readonly paidOrder: string;
  readonly openOrder: string;
  /** Ids of two items in Attention. */
  readonly items: readonly [redriven: string, dismissed: string];
  /** A dead letter of analytics. */
  readonly letter: string;
  /** The merchant's callback keys, in files of their own. */
  readonly aesKeyFile: string;
  readonly publicKeyFile: string;
  /** Other than the service's. */
  readonly profileFile: string;
  readonly bodyFile: string;
}

type Words = readonly string[];

/** Every command by the lowest level that may run it. */
export function commandsOf(made: Made): Readonly<Record<PolicyName, readonly Words[]>> {
  const { paidOrder, openOrder, letter, profileFile, bodyFile } = made;
  const ownKeys = ["--aes-key", made.aesKeyFile, "--public-key", made.publicKeyFile];
  const [redriven, dismissed] = made.items;
  const events = ["--to", "analytics", "--since", "3h"];
  return {
    look: [
      ["status"],
      ["orders"],
      ["order", paidOrder],
      ["requests"],
      ["attention", "list"],
      ["attention", "show", redriven],
      ["dead-letters", "list", "inbox"],
      ["dead-letters", "list", "analytics"],
      ["dead-letters", "show", "analytics", letter],
      ["detect-profile", "--captured", ...ownKeys],
      ["replay", ...events],
      ["replay", "--to", "analytics", "--all"],
      ["env"],
      ["policy", "look"],
      ["policy", "act"],
      ["policy", "keys"],
    ],
    act: [
      ["order", openOrder, "--ask"],
      ["attention", "redrive", redriven, "--yes"],
      ["attention", "dismiss", dismissed, "--yes"],
      ["dead-letters", "redrive", "analytics", "--all", "--yes"],
      ["dead-letters", "redrive", "inbox", "--all", "--yes"],
      ["replay", ...events, "--yes"],
      ["smoke", "--yes", "--timeout", "150"],
    ],
    keys: [
      ["keys", "check"],
      ["check"],
      ["detect-profile", "--captured"],
      ["keys", "set", "shop-1", "--profile", profileFile, "--unproven", "--yes"],
      ["keys", "restore", "shop-1", "--only", "callback", "--yes"],
      ["keys", "restore", "shop-1", "--only", "request", "--yes"],
      ["keys", "revoke", "shop-1", "--previous", "--yes"],
      [
        "call",
        "service.trade.query",
        "/payment/api/v1/payment-order/query",
        "--body",
        bodyFile,
        "--yes",
      ],
    ],
  };
}

/** The exit codes of commands that do what they say and find something wrong. */
export const expectedCodes: Readonly<Record<string, number>> = {
  // The redriven callback is not understood, as before.
  "attention redrive": 1,
  // It finds the dead letter and the item in Attention.
  check: 1,
};

/** Commands that are run with no level here, and why. */
export const withoutLevel: Readonly<Record<string, string>> = {
  console: "It runs until Ctrl-C, and reads by the operations of the commands.",
  tail: "It runs until Ctrl-C, and reads the index that `replay` reads.",
  trigger: "It calls the simulated payment service alone.",
};

const runbookQueries = "The runbook's queries, in the AWS console.";

/** What the policies allow and no command uses here, by action and kind of resource, and why it is allowed. */
export const unusedGrants: Readonly<Record<string, string>> = {
  "cloudwatch:GetDashboard *": "The AWS console shows the stack's dashboard.",
  "logs:DescribeLogGroups *": runbookQueries,
  "logs:GetQueryResults *": runbookQueries,
  "logs:StartQuery Access": runbookQueries,
  "logs:StartQuery a function's log": runbookQueries,
  "logs:FilterLogEvents Access": "Who may query a log may also read it.",
  "sqs:ChangeMessageVisibility Subscriberspaycastsmoke":
    "A smoke test returns the event of another one that runs at the same time.",
};
