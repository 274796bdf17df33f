import type { RuleResult } from "../figures.ts";
import {
  authenticIsTaken,
  errorsInPeace,
  forgeriesAreRefused,
  personsAsked,
} from "./acceptance.ts";
import { answersArePublished, ordersAreRight } from "./answers.ts";
import * as deliveries from "./deliveries.ts";
import { type Evidence, eventsOf, readFact } from "./evidence.ts";
import { openEnvelope } from "./open-envelope.ts";
import type { Rule, Seen } from "./rule.ts";

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

/** What must be true after a run. */
export function check(evidence: Evidence): RuleResult[] {
  const seen = readEvidence(evidence);
  return Object.entries(rules).map(([rule, look]) => {
    const looks = look(seen);
    const violations = looks.flatMap(({ orderNo, wrong }) =>
      wrong.map((message) => ({ message, ...(orderNo && { orderNo }) })),
    );
    const attributed = looks.flatMap((one) => one.attributed ?? []);
    return {
      rule,
      checked: looks.length,
      violations,
      ...(attributed.length > 0 && { attributed }),
    };
  });
}

export function readEvidence(evidence: Evidence): Seen {
  const opened = evidence.posts.map((post) => ({
    ...{ post, opened: openEnvelope(post.envelope, evidence.keysOf, post.atMilliseconds) },
  }));
  return {
    evidence,
    statements: opened.flatMap((one) =>
      one.opened ? [{ ...one, opened: one.opened, fact: readFact(one.opened) }] : [],
    ),
    forged: opened.filter((one) => one.opened === undefined).map(({ post }) => post),
    events: eventsOf(evidence.received),
  };
}
