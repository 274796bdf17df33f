import { type RuleResult, restRule } from "../figures.ts";
import { errorsInPeace, forgeriesAreRefused, personsAsked } from "./acceptance.ts";
import { answersArePublished, ordersAreRight } from "./answers.ts";
import { authenticIsTaken } from "./authentic-is-taken.ts";
import * as deliveries from "./deliveries.ts";
import { type Evidence, eventsOf, readFact } from "./evidence.ts";
import { openEnvelope } from "./open-envelope.ts";
import { looksAtRest } from "./rest.ts";
import type { Look, Rule, Seen } from "./rule.ts";

/** Nothing of the product is used here: these rules are the checker's own. docs/proof.md explains them. */
const rules: Readonly<Record<string, Rule>> = {
  "acknowledged and not published": deliveries.acknowledgedIsPublished,
  "published and never authentic": deliveries.publishedIsAuthentic,
  "more than once on an ordered queue": deliveries.publishedOnce,
  "events in a wrong group": deliveries.groupsAreKept,
  "events out of order": deliveries.inOrder,
  "sequences with a gap or a repeat": deliveries.sequencesHaveNoGap,
  "orders with a wrong status or amount": ordersAreRight,
  "answers that the events do not bear out": answersArePublished,
  "authentic and refused": authenticIsTaken,
  "forgeries that were accepted": forgeriesAreRefused,
  "persons asked in vain, or not asked": personsAsked,
  "errors while nothing was broken": errorsInPeace,
};

/** They miss something, or compare with it. As long as something is on its way, they cannot say that it is missing. */
const needRest: readonly Rule[] = [
  deliveries.acknowledgedIsPublished,
  deliveries.sequencesHaveNoGap,
  ordersAreRight,
  answersArePublished,
  personsAsked,
];

/** What must be true after a run. What did not come to rest is a result of its own. */
export function check(evidence: Evidence): RuleResult[] {
  const seen = readEvidence(evidence);
  const isAtRest = evidence.ending.unrest === undefined;
  const results = Object.entries(rules).map(([rule, look]) =>
    resultOf(rule, isAtRest || !needRest.includes(look) ? look(seen) : []),
  );
  const restless = looksAtRest(evidence);
  return restless.length === 0 ? results : [...results, resultOf(restRule, restless)];
}

function resultOf(rule: string, findings: readonly Look[]): RuleResult {
  const violations = findings.flatMap(({ orderNo, wrong }) =>
    wrong.map((message) => ({ message, ...(orderNo && { orderNo }) })),
  );
  const attributed = findings.flatMap((finding) => finding.attributed ?? []);
  const unjudged = findings.flatMap((finding) => finding.unjudged ?? []);
  return {
    rule,
    checked: findings.length,
    violations,
    ...(attributed.length > 0 && { attributed }),
    ...(unjudged.length > 0 && { unjudged }),
  };
}

export function readEvidence(evidence: Evidence): Seen {
  const opened = evidence.posts.map((post) => ({
    post,
    opened: openEnvelope(post.envelope, evidence.keysOf, post.atMilliseconds),
  }));
  return {
    evidence,
    statements: opened.flatMap((callback) =>
      callback.opened
        ? [{ ...callback, opened: callback.opened, fact: readFact(callback.opened) }]
        : [],
    ),
    forged: opened.filter((callback) => callback.opened === undefined).map(({ post }) => post),
    events: eventsOf(evidence.received),
  };
}
