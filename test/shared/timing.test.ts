import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as timing from "../../shared/timing.ts";

type Name<K> = K extends `${infer N}Milliseconds` ? N : never;
/** Every time by its name without the unit, so that a rule fits on a line. */
const ms = Object.fromEntries(
  Object.entries(timing).map(([name, value]) => [name.replace(/Milliseconds$/, ""), value]),
) as { readonly [K in keyof typeof timing as Name<K>]: number };

const tableCall = timing.tableAttempts * ms.tableAttempt;
/** For what a budget does not name: a cold connection, cryptography, the answer on its way. */
const margin = 1_000;

/** A time, the longer one it depends on, and what goes wrong if it is not shorter. */
type Row = [rule: string, shorter: number, longer: number];

describe("receive-callback", () => {
  test.each<Row>([
    [
      "two fetches of the keys, the inbox and a capture fit its timeout, or the service would get no answer at all",
      2 * ms.keyFetch + ms.inboxSend + ms.capture + margin,
      ms.receiveTimeout,
    ],
    [
      "a fetch of the stamp key leaves half of the inbox's time for the send itself",
      ms.keyFetch,
      ms.inboxSend / 2 + 1,
    ],
    ["it answers before API Gateway gives up", ms.receiveTimeout, ms.apiGateway],
  ])("%s", isShorter);
});

describe("process-callback", () => {
  test.each<Row>([
    [
      "a message that is begun can be finished in the time of a batch",
      ms.processMessage + margin,
      ms.processTimeout,
    ],
    [
      "a queue that hangs leaves time to mark who has the event",
      ms.subscriberSend + ms.mark,
      ms.processMessage,
    ],
    [
      "what is not understood is recorded, read and sent to the dead letters in the time of a message",
      2 * ms.record + ms.deadLetter + ms.returnMessage,
      ms.processMessage,
    ],
    [
      "a message's stamp is checked in its time, also if the key has to be fetched",
      ms.keyFetch,
      ms.openMessage,
    ],
    ["a record's time is more than one slow attempt of the table", ms.tableAttempt, ms.record],
    [
      "after a long wait an event is tried several times before it is given up",
      14 * ms.firstRetry,
      ms.deliveryTrial,
    ],
    [
      "a message of our own fault fails several times before it is quarantined",
      5 * ms.longestRetry,
      ms.failureTrial,
    ],
    [
      "ten such messages, all that a receive gives of a group, are quarantined before SQS has counted 1000 receives",
      ms.failurePatience + 10 * ms.failureTrial,
      1000 * 0.75 * ms.longestRetry,
    ],
    [
      "after a crash between send and mark, the event is sent again while its queue still drops repeats",
      ms.inboxVisibility + ms.processTimeout,
      ms.deduplication,
    ],
    [
      "so is one that was returned because it could not be marked",
      ms.longestRetry + ms.processTimeout,
      ms.deduplication,
    ],
    [
      "a message is tried several times before patience ends",
      3 * ms.longestRetry,
      ms.deliveryPatience,
    ],
    ["the first pause is short, since most faults pass", 4 * ms.firstRetry, ms.longestRetry],
    [
      "a message that is returned comes sooner than one that was lost",
      ms.longestRetry,
      ms.inboxVisibility,
    ],
  ])("%s", isShorter);

  test("leaves Lambda six times its timeout before a message is seen again", () => {
    expect(ms.inboxVisibility).toBe(6 * ms.processTimeout);
  });
});

describe("create-order", () => {
  test.each<Row>([
    [
      "it answers before API Gateway gives up, or a caller would not learn its payment id",
      ms.createTimeout,
      ms.apiGateway,
    ],
    [
      "keys, a slow table before the call, the call and a slow table after it fit its timeout",
      2 * ms.keyFetch + 2 * tableCall + ms.createCall + margin,
      ms.createTimeout,
    ],
    [
      "an attempt has seconds to be recorded before there is no time left to store its payment",
      ms.createCall + ms.store + 5_000,
      ms.createTimeout - ms.answerMargin,
    ],
    [
      "nobody else talks to the service while it may still do so",
      ms.createTimeout,
      ms.creationLease,
    ],
  ])("%s", isShorter);
});

describe("query-order", () => {
  test.each<Row>([
    ["it answers before API Gateway gives up", ms.queryTimeout, ms.apiGateway],
    [
      "a table that is down holds a caller shorter than a service that is",
      ms.tableCall,
      ms.queryCall,
    ],
    ["the call and a slow table fit its timeout", ms.queryCall + tableCall, ms.queryTimeout],
    [
      "a claim has time to be made before there is none left to ask",
      ms.ask + margin,
      ms.queryTimeout - ms.answerMargin,
    ],
    ["nobody else asks while it may still do so", ms.queryTimeout, ms.queryClaim],
  ])("%s", isShorter);
});

describe("reconcile-orders", () => {
  test.each<Row>([
    ["a run that died holds its lease until it cannot ask any more", ms.runTimeout, ms.runLease],
    ["the lease ends before the next run begins", ms.runLease, ms.runEvery],
    [
      "nobody else asks while a question may still be under way",
      ms.tableCall + ms.ask + margin,
      ms.queryClaim,
    ],
    [
      "a run has half a minute for questions before there is no time left to end one",
      ms.check + ms.answerMargin + 30_000,
      ms.runTimeout,
    ],
    [
      "the callback's own retries, which last seven days (§6), come before an order is unresolved",
      7 * 24 * 3_600_000,
      ms.serviceRetriesEnd,
    ],
    [
      "an order is given up later without an answer than with one",
      ms.serviceRetriesEnd,
      ms.lastQuestion,
    ],
    [
      "a question that failed is asked again after the claim is over",
      ms.queryClaim,
      ms.retryQuestion,
    ],
  ])("%s", isShorter);
});

describe("AWS", () => {
  test.each(
    Object.entries({
      receiveTimeout: ms.receiveTimeout,
      processTimeout: ms.processTimeout,
      createTimeout: ms.createTimeout,
      queryTimeout: ms.queryTimeout,
      runTimeout: ms.runTimeout,
      runEvery: ms.runEvery,
      inboxVisibility: ms.inboxVisibility,
      firstRetry: ms.firstRetry,
      longestRetry: ms.longestRetry,
    }),
  )("takes %s in whole seconds", (_case, milliseconds) => {
    expect(milliseconds % 1000).toBe(0);
  });

  test("has its own limits, which nobody here can change", () => {
    expect(ms.apiGateway).toBe(30_000);
    expect(ms.deduplication).toBe(300_000);
  });
});

describe("the documents", () => {
  const minutes = (milliseconds: number) => (milliseconds === 300_000 ? "five minutes" : "?");
  const seconds = (milliseconds: number) => `${milliseconds / 1000} seconds`;

  test.each(["docs/architecture.md", "docs/runbook.md", "docs/decisions/0005-sqs-delivers.md"])(
    "say how long a subscriber's queue may refuse: %s",
    (path) => {
      const text = readFileSync(path, "utf8").replaceAll(/\s+/g, " ");
      expect(text).toContain(minutes(ms.deliveryPatience));
      expect(text).toContain(`at least ${seconds(ms.deliveryTrial)}`);
    },
  );
});

function isShorter(_rule: string, shorter: number, longer: number): void {
  expect(shorter).toBeLessThan(longer);
}
