import type { SignedReason } from "../../../shared/envelope/refusal.ts";
import { counted } from "../../../shared/text/number-text.ts";
import { requestsCommand } from "./find-cause.ts";
import { judgeReasons, type ServiceSender } from "./judge-reasons.ts";
import type { Refusals } from "./judge-refusals.ts";
import type { RefusalLog } from "./read-refused.ts";

export interface Explanation {
  /**
   * `all`: callbacks are rejected now. `over`: they were, until the keys were changed or the service retried them.
   * `forged`: no known key signed them, while others were accepted. `service`: they may be the service's own.
   * `unclear`: not known yet.
   */
  readonly kind: "all" | "over" | "forged" | "service" | "unclear";
  readonly text: string;
  /** What to do; absent if no action is needed. */
  readonly action?: string;
  /** The version that verified the callbacks before, if it can be restored. */
  readonly restorable?: string;
}

export function someText({ count }: Refusals): string {
  return `${counted(count, "callback")} rejected as not authentic`;
}

/** With the same keys for all functions, only later rejections say something about the keys. */
export function explainSenders(
  refusals: Refusals,
  log: RefusalLog | undefined,
  settledAt: number,
  merchant: string,
  stack: string,
): Explanation {
  const some = `${someText(refusals)} in the same time as ${refusals.accepted} accepted ones.`;
  const refused = log?.refused.filter(({ timestamp }) => timestamp >= settledAt) ?? [];
  const firstAt = Math.max(refusals.firstAt, settledAt);
  const sender = log && judgeReasons({ ...log, refused }, firstAt);
  if (sender === undefined) {
    const why = log === undefined ? "You may not read the log" : "The log has none of them yet";
    const text = `${some} It is not known who sent the rejected ones. ${why}. ${seeReasons(stack)}`;
    return { kind: "unclear", text };
  }
  const text = `${some} ${sender.text}`;
  switch (sender.kind) {
    case "unclear":
      return { kind: "unclear", text: `${text} ${seeReasons(stack)}` };
    case "stranger": {
      const forged = `${text} So the keys are right, and the rejected ones were forged or foreign. No action is needed.`;
      return { kind: "forged", text: forged };
    }
    case "accepted":
      return { kind: "over", text: `${text} No action is needed.` };
    case "repeated":
      return { kind: "service", text, action: captureAction(merchant, stack) };
    case "service":
      return { kind: "service", text, action: signedAction(sender, stack) };
  }
}

function seeReasons(stack: string): string {
  return `List the reasons: ${requestsCommand(stack)}`;
}

function captureAction(merchant: string, stack: string): string {
  return `${seeReasons(stack)}. Let the stack capture them (callbacks.captureUntil in the config), then: npx paycast detect-profile --captured --merchant ${merchant}${stack}`;
}

const compareClocks = "Compare the clocks with the service's.";

/** A longer window for timestamps helps only against `too-old`, and lets more old callbacks be sent again. */
const signedActions: Readonly<Record<SignedReason, readonly string[]>> = {
  "too-old": [
    compareClocks,
    "If it keeps the first timestamp on retries, raise callbacks.maxAgeHours in the config.",
  ],
  "too-new": [compareClocks],
  "merchant-differs": ["Ask the service why it names another merchant."],
};

export function signedAction({ reasons }: ServiceSender, stack: string): string {
  const actions = new Set(reasons.flatMap((reason) => signedActions[reason]));
  return [
    `${seeReasons(stack)}.`,
    ...actions,
    "If the service did not send them, no action is needed.",
  ].join(" ");
}
