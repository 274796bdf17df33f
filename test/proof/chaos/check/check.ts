import {
  authenticIsTaken,
  forgeriesAreRefused,
  noErrorsInPeace,
  personsAreAsked,
} from "./acceptance.ts";
import { answersArePublished, ordersAreRight } from "./answers.ts";
import {
  acknowledgedIsPublished,
  groupsAreKept,
  inOrder,
  publishedIsAuthentic,
  publishedOnce,
  type Seen,
  sequencesHaveNoGap,
} from "./deliveries.ts";
import { type Evidence, eventsOf, type RuleResult, statementsOf } from "./evidence.ts";

const rules: readonly ((seen: Seen) => RuleResult)[] = [
  acknowledgedIsPublished,
  publishedIsAuthentic,
  publishedOnce,
  groupsAreKept,
  inOrder,
  sequencesHaveNoGap,
  ordersAreRight,
  answersArePublished,
  authenticIsTaken,
  forgeriesAreRefused,
  personsAreAsked,
  noErrorsInPeace,
];

/** What must be true after a run, by rules of its own: nothing of the product is used here. docs/proof.md explains them. */
export function check(evidence: Evidence): RuleResult[] {
  const seen = {
    evidence,
    statements: statementsOf(evidence),
    events: eventsOf(evidence.received),
  };
  return rules.map((rule) => rule(seen));
}
