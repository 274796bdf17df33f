import type { PolicyName } from "../../../../tools/operations/policy/operator-policy.ts";

/** What the commands are about. */
export interface Made {
  readonly paidOrder: string;
  readonly openOrder: string;
  /** Ids of two items in Attention. */
  readonly items: readonly [redriven: string, dismissed: string];
  readonly keysFile: string;
  readonly bodyFile: string;
}

type Words = readonly string[];

/** Every command by the lowest level that may run it. */
export function commandsOf(made: Made): Readonly<Record<PolicyName, readonly Words[]>> {
  const { paidOrder, openOrder, keysFile, bodyFile } = made;
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
      ["dead-letters", "list", "analytics"],
      ["replay", ...events],
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
      ["replay", ...events, "--yes"],
      ["smoke", "--yes", "--timeout", "150"],
    ],
    keys: [
      ["keys", "check"],
      ["check"],
      ["keys", "set", "shop-1", "--callback-keys", keysFile, "--yes"],
      ["keys", "restore", "shop-1", "--only", "callback", "--yes"],
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
  "detect-profile": "It reads the captured queue and the keys as `keys check` does.",
  tail: "It runs until Ctrl-C, and reads the index that `replay` reads.",
  trigger: "It calls the simulated payment service alone.",
};
