import { type Accepted, listed } from "./accepted-rule.ts";

/** Survivors outside of the domain that do not matter. */
export const acceptedOutside: readonly Accepted[] = [
  {
    reason: "the value is always there: only the compiler needs the check or the default",
    matches: listed({
      "infra/paycast.ts": ["gateway && storefront"],
      "tools/cli/commands/tail.ts": ['[] => ["Stryker'],
      "tools/operations/attention/find-items.ts": ["record?.outcome =>"],
      "tools/operations/keys/plan-stages.ts": ["change === undefined =>"],
      "tools/operations/queues/message-queue.ts": ['[] => ["Stryker'],
    }),
  },
  {
    reason: "the text of a message, which no code reads",
    matches: listed({ "tools/cli/frame/command.ts": ['"UsageError" =>'] }),
  },
  {
    reason: "an optimisation: the result is the same without it",
    matches: listed({
      "tools/operations/attention/follow-redriven.ts": ["sent.filter((sentItem) => !isEnd"],
      "tools/operations/records/newest-events.ts": ["queries.filter(("],
    }),
  },
  {
    reason: "equivalent code: the result is the same",
    matches: listed({
      "infra/acknowledgements.ts": ["/^("],
      "infra/encryption/encrypt-with-key.ts": ["resource instanceof CfnTable"],
    }),
  },
  {
    reason: "runs only on Linux arm64 without QEMU",
    matches: listed({ "tools/local/aws/find-dynoxide.ts": ["installed === undefined =>"] }),
  },
  {
    reason: "off by one at a limit",
    matches: listed({
      "functions/receive-callback.ts": ["endsAtMilliseconds <= Date.now() =>"],
      "tools/local/alarms/watch-alarms.ts": ["stepMilliseconds <= longestStepMilliseconds =>"],
      "tools/operations/orders/look-through.ts": ["events >= most =>", "Date.now() > endsAt =>"],
      "tools/operations/records/version-use.ts": ["use.entries >= mostEntries =>"],
      "tools/operations/refusals/explain-refusals.ts": ["lastAt < settledAt => lastAt <="],
      "tools/operations/smoke/post-callback.ts": ["deps.now() + deps.repeatMilliseconds >="],
    }),
  },
];
