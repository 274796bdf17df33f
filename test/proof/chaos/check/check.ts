import { type RuleResult, restRule } from "../figures.ts";
import { errorsInPeace, forgeriesAreRefused } from "./acceptance.ts";
import { answersArePublished, ordersAreRight } from "./answers.ts";
import { authenticIsTaken } from "./authentic-is-taken.ts";
import * as deliveries from "./deliveries.ts";
import { type Evidence, eventsOf, groupBy, type Statement } from "./evidence.ts";
import { readAnswer, readFact } from "./facts.ts";
import { keysStateOf } from "./keys-state.ts";
import { openPost } from "./open-envelope.ts";
import { overdueIsFound } from "./overdue.ts";
import { personsAsked } from "./persons.ts";
import { looksAtRest } from "./rest.ts";
import type { Look, Rule, Seen } from "./rule.ts";
import { requestsAreRight } from "./sent-requests.ts";
import { answersAreWhole } from "./whole-answers.ts";
import { eventsAreWhole } from "./whole-events.ts";

/** Nothing of the product is used here: these rules are the checker's own. docs/proof.md explains them. */
const rules: Readonly<Record<string, Rule>> = {
  "acknowledged but not published": deliveries.acknowledgedIsPublished,
  "published but never authentic": deliveries.publishedIsAuthentic,
  "events with a wrong field": eventsAreWhole,
  "delivered twice to an ordered queue": deliveries.publishedOnce,
  "events in a wrong group": deliveries.groupsAreKept,
  "events out of order": deliveries.inOrder,
  "sequences with a gap or a repeat": deliveries.sequencesHaveNoGap,
  "orders with a wrong status or amount": ordersAreRight,
  "answers with a wrong field": answersAreWhole,
  "answers that contradict the events": answersArePublished,
  "wrong requests to the payment service": requestsAreRight,
  "overdue and not reconciled": overdueIsFound,
  "authentic but rejected": authenticIsTaken,
  "accepted forgeries": forgeriesAreRefused,
  "attention items missing or not needed": personsAsked,
  "errors while nothing was broken": errorsInPeace,
};

export const ruleNames: readonly string[] = Object.keys(rules);

/** Rules that look for something missing. While work is in progress, they cannot say that anything is missing. */
const needRest: readonly Rule[] = [
  deliveries.acknowledgedIsPublished,
  deliveries.sequencesHaveNoGap,
  eventsAreWhole,
  ordersAreRight,
  answersAreWhole,
  answersArePublished,
  overdueIsFound,
  personsAsked,
];

/** What must be true after a run. Unfinished work is a separate result. */
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
  const excuses = findings.flatMap(({ excuse }) => excuse ?? []);
  return {
    rule,
    checked: findings.filter(({ excuse }) => excuse === undefined).length,
    violations,
    ...(excuses.length > 0 && { excused: countOf(excuses) }),
    ...(attributed.length > 0 && { attributed }),
    ...(unjudged.length > 0 && { unjudged }),
  };
}

/** How often each occurs. */
function countOf(texts: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    [...groupBy(texts, (text) => text)].map(([text, all]) => [text, all.length]),
  );
}

export function readEvidence(evidence: Evidence): Seen {
  const opened = evidence.posts.map((post) => ({
    post,
    opened: openPost(post, evidence.keysOf),
  }));
  const books = new Map(evidence.ledger.map(({ paymentId, orderNo }) => [paymentId, orderNo]));
  const readable = opened.flatMap(({ post, opened }) =>
    opened ? [{ post, opened, fact: readFact(opened) }] : [],
  );
  const isOutdated = (statement: Statement) => keysStateOf(statement, evidence) === "outdated";
  return {
    evidence,
    serviceAnswers: evidence.asked.flatMap((asked) => {
      const fact = readAnswer(asked, evidence.keysOf, (paymentId) => books.get(paymentId));
      return fact === undefined ? [] : [{ asked, fact }];
    }),
    statements: readable.filter((statement) => !isOutdated(statement)),
    forged: [
      ...opened.filter((callback) => callback.opened === undefined),
      ...readable.filter(isOutdated),
    ].map(({ post }) => post),
    events: eventsOf(evidence.received),
  };
}
