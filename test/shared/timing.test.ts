import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as timing from "../../shared/timing.ts";

const tableCall = timing.tableAttempts * timing.tableAttemptMilliseconds;
/** For what a budget does not name: a cold connection, cryptography, the answer on its way. */
const margin = 1_000;

/** A time, the longer one it depends on, and what goes wrong if it is not shorter. */
type Row = [rule: string, shorter: number, longer: number];

describe("receive-callback", () => {
  test.each<Row>([
    [
      "two fetches of the keys, the inbox and a capture fit its timeout, or the service would get no answer at all",
      2 * timing.keyFetchMilliseconds +
        timing.inboxSendMilliseconds +
        timing.captureMilliseconds +
        margin,
      timing.receiveTimeoutMilliseconds,
    ],
    [
      "it answers before API Gateway gives up",
      timing.receiveTimeoutMilliseconds,
      timing.apiGatewayMilliseconds,
    ],
  ])("%s", isShorter);
});

describe("process-callback", () => {
  test.each<Row>([
    [
      "a message that is begun can be finished in the time of a batch",
      timing.processMessageMilliseconds + margin,
      timing.processTimeoutMilliseconds,
    ],
    [
      "a queue that hangs leaves time to mark who has the event",
      timing.subscriberSendMilliseconds + timing.markMilliseconds,
      timing.processMessageMilliseconds,
    ],
    [
      "what is not understood is recorded, read and sent to the dead letters in the time of a message",
      2 * timing.recordMilliseconds + timing.deadLetterMilliseconds + timing.giveBackMilliseconds,
      timing.processMessageMilliseconds,
    ],
    [
      "a record's time is more than one slow attempt of the table",
      timing.tableAttemptMilliseconds,
      timing.recordMilliseconds,
    ],
    [
      "after a long wait an event is tried several times before it is given up",
      14 * timing.firstRetryMilliseconds,
      timing.deliveryTrialMilliseconds,
    ],
    [
      "a message of our own fault fails several times before it is quarantined",
      5 * timing.longestRetryMilliseconds,
      timing.failureTrialMilliseconds,
    ],
    [
      "ten such messages, all that a receive gives of a group, are quarantined before SQS has counted 1000 receives",
      timing.failurePatienceMilliseconds + 10 * timing.failureTrialMilliseconds,
      1000 * 0.75 * timing.longestRetryMilliseconds,
    ],
    [
      "after a crash between send and mark, the event is sent again while its queue still drops repeats",
      timing.inboxVisibilityMilliseconds + timing.processTimeoutMilliseconds,
      timing.deduplicationMilliseconds,
    ],
    [
      "so is one that was given back because it could not be marked",
      timing.longestRetryMilliseconds + timing.processTimeoutMilliseconds,
      timing.deduplicationMilliseconds,
    ],
    [
      "a message is tried several times before patience ends",
      3 * timing.longestRetryMilliseconds,
      timing.deliveryPatienceMilliseconds,
    ],
    [
      "the first pause is short, since most faults pass",
      4 * timing.firstRetryMilliseconds,
      timing.longestRetryMilliseconds,
    ],
    [
      "a message that is given back comes sooner than one that was lost",
      timing.longestRetryMilliseconds,
      timing.inboxVisibilityMilliseconds,
    ],
  ])("%s", isShorter);

  test("leaves Lambda six times its timeout before a message is seen again", () => {
    expect(timing.inboxVisibilityMilliseconds).toBe(6 * timing.processTimeoutMilliseconds);
  });
});

describe("create-order", () => {
  test.each<Row>([
    [
      "it answers before API Gateway gives up, or a caller would not learn its payment id",
      timing.createTimeoutMilliseconds,
      timing.apiGatewayMilliseconds,
    ],
    [
      "keys, a slow table before the call, the call and a slow table after it fit its timeout",
      2 * timing.keyFetchMilliseconds + 2 * tableCall + timing.createCallMilliseconds + margin,
      timing.createTimeoutMilliseconds,
    ],
    [
      "an attempt has seconds to be recorded before there is no time left to store its payment",
      timing.createCallMilliseconds + timing.storeMilliseconds + 5_000,
      timing.createTimeoutMilliseconds - timing.answerMarginMilliseconds,
    ],
    [
      "nobody else talks to the service while it may still do so",
      timing.createTimeoutMilliseconds,
      timing.creationLeaseMilliseconds,
    ],
  ])("%s", isShorter);
});

describe("query-order", () => {
  test.each<Row>([
    [
      "it answers before API Gateway gives up",
      timing.queryTimeoutMilliseconds,
      timing.apiGatewayMilliseconds,
    ],
    [
      "a table that is down holds a caller shorter than a service that is",
      timing.tableCallMilliseconds,
      timing.queryCallMilliseconds,
    ],
    [
      "the call and a slow table fit its timeout",
      timing.queryCallMilliseconds + tableCall,
      timing.queryTimeoutMilliseconds,
    ],
    [
      "a claim has time to be made before there is none left to ask",
      timing.askMilliseconds + margin,
      timing.queryTimeoutMilliseconds - timing.answerMarginMilliseconds,
    ],
    [
      "nobody else asks while it may still do so",
      timing.queryTimeoutMilliseconds,
      timing.queryClaimMilliseconds,
    ],
  ])("%s", isShorter);
});

describe("reconcile-orders", () => {
  test.each<Row>([
    [
      "a run that died holds its lease until it cannot ask any more",
      timing.runTimeoutMilliseconds,
      timing.runLeaseMilliseconds,
    ],
    [
      "the lease ends before the next run begins",
      timing.runLeaseMilliseconds,
      timing.runEveryMilliseconds,
    ],
    [
      "nobody else asks while a question may still be under way",
      timing.tableCallMilliseconds + timing.askMilliseconds + margin,
      timing.queryClaimMilliseconds,
    ],
    [
      "a run has half a minute for questions before there is no time left to end one",
      timing.checkMilliseconds + timing.answerMarginMilliseconds + 30_000,
      timing.runTimeoutMilliseconds,
    ],
    [
      "the callback's own retries, which last seven days (§6), come before an order is unresolved",
      7 * 24 * 3_600_000,
      timing.retriesEndMilliseconds,
    ],
    [
      "an order is given up later without an answer than with one",
      timing.retriesEndMilliseconds,
      timing.lastRetryMilliseconds,
    ],
    [
      "a question that failed is asked again after the claim is over",
      timing.queryClaimMilliseconds,
      timing.retryQuestionMilliseconds,
    ],
  ])("%s", isShorter);
});

describe("AWS", () => {
  test.each(
    Object.entries({
      receiveTimeout: timing.receiveTimeoutMilliseconds,
      processTimeout: timing.processTimeoutMilliseconds,
      createTimeout: timing.createTimeoutMilliseconds,
      queryTimeout: timing.queryTimeoutMilliseconds,
      runTimeout: timing.runTimeoutMilliseconds,
      runEvery: timing.runEveryMilliseconds,
      inboxVisibility: timing.inboxVisibilityMilliseconds,
      firstRetry: timing.firstRetryMilliseconds,
      longestRetry: timing.longestRetryMilliseconds,
    }),
  )("takes %s in whole seconds", (_, milliseconds) => {
    expect(milliseconds % 1000).toBe(0);
  });

  test("has its own limits, which nobody here can change", () => {
    expect(timing.apiGatewayMilliseconds).toBe(30_000);
    expect(timing.deduplicationMilliseconds).toBe(300_000);
  });
});

describe("the documents", () => {
  const minutes = (milliseconds: number) => (milliseconds === 300_000 ? "five minutes" : "?");
  const seconds = (milliseconds: number) => `${milliseconds / 1000} seconds`;

  test.each(["docs/architecture.md", "docs/runbook.md", "docs/decisions/0005-sqs-delivers.md"])(
    "say how long a subscriber's queue may refuse: %s",
    (path) => {
      const text = readFileSync(path, "utf8").replaceAll(/\s+/g, " ");
      expect(text).toContain(minutes(timing.deliveryPatienceMilliseconds));
      expect(text).toContain(`at least ${seconds(timing.deliveryTrialMilliseconds)}`);
    },
  );
});

function isShorter(_rule: string, shorter: number, longer: number): void {
  expect(shorter).toBeLessThan(longer);
}
