import { type Accepted, listed } from "./accepted-rule.ts";

/** Survivors outside of the domain that do not matter. */
export const acceptedOutside: readonly Accepted[] = [
  {
    reason: "it cannot be missing there: the check or the default is for the types",
    matches: listed({
      "tools/operations/attention/find-items.ts": ["record?.outcome =>"],
      "tools/operations/queues/message-queue.ts": ['[] => ["Stryker'],
    }),
  },
  {
    reason: "the words of a message: people read them, and no code does",
    matches: listed({ "tools/cli/frame/command.ts": ['"UsageError" =>'] }),
  },
  {
    reason: "it only saves work: the result is the same without it",
    matches: listed({
      "tools/operations/attention/follow-redriven.ts": ["sent.filter((sentItem) => !isEnd"],
      "tools/operations/records/newest-events.ts": ["queries.filter(("],
    }),
  },
  {
    reason: "exactly so long or so much: one more or less",
    matches: listed({
      "functions/receive-callback.ts": ["endsAtMilliseconds <= Date.now() =>"],
      "tools/operations/orders/look-through.ts": ["events >= most =>", "Date.now() > endsAt =>"],
      "tools/operations/records/version-use.ts": ["use.entries >= mostEntries =>"],
      "tools/operations/refusals/explain-refusals.ts": ["lastAt < settledAt => lastAt <="],
      "tools/operations/smoke/post-callback.ts": ["deps.now() + deps.repeatMilliseconds >="],
    }),
  },
];
