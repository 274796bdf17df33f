import { describe, expect, test } from "vitest";
import type { StackEvent } from "../../../../tools/local/stack/functions/stack-event.ts";
import { hearStory } from "./story.ts";

const durationMilliseconds = 12.4;
const request = {
  kind: "request",
  method: "GET",
  path: "/x",
  status: 404,
  durationMilliseconds,
} as const;
const batch = {
  kind: "batch",
  functionName: "fn",
  queueName: "inbox",
  durationMilliseconds,
} as const;

test.each<[event: StackEvent, line: string]>([
  [request, "request method=GET path=/x status=404 durationMilliseconds=12"],
  [
    { ...batch, messages: 3, failed: 2 },
    "batch functionName=fn queueName=inbox durationMilliseconds=12 messages=3 failed=2",
  ],
  [{ kind: "reload", functionName: "fn" }, "reload functionName=fn"],
])("%j is reported only with --verbose", (event, line) => {
  const quiet = hearStory();
  quiet.story.stackEvent(event);
  expect(quiet.lines).toEqual([]);
  const verbose = hearStory({ verbose: true });
  verbose.story.stackEvent(event);
  expect(verbose.lines).toEqual([line]);
});

test("a function that fails is reported with the first line of its reason, with --verbose with all", () => {
  const failure = {
    kind: "failure",
    functionName: "fn",
    reason: "threw Error: no\n    at x",
  } as const;
  const quiet = hearStory();
  quiet.story.stackEvent(failure);
  expect(quiet.lines).toEqual(["fn failed: threw Error: no"]);
  const verbose = hearStory({ verbose: true });
  verbose.story.stackEvent(failure);
  expect(verbose.lines).toEqual(["fn failed: threw Error: no\n    at x"]);
});

test("a notice that repeats is reported once", () => {
  const { story, lines } = hearStory();
  for (const message of ["no queue", "no queue", "queue is back", "no queue"]) {
    story.stackEvent({ kind: "notice", message });
  }
  expect(lines).toEqual(["no queue", "queue is back", "no queue"]);
});

describe("what functions print", () => {
  const quarantined = {
    outcome: "quarantined" as const,
    reason: "event-unknown",
    orderNo: "ORDER-7",
  };

  test("is reported as a story, and with --verbose also as it is", () => {
    const { log, lines } = hearStory({ verbose: true });
    log("process-callback", quarantined);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toBe("quarantined event-unknown ORDER-7");
    expect(lines[1]).toMatch(
      /^process-callback \| \{"service":"process-callback","outcome":"quarantined"/,
    );
  });

  test("is shown as it is if it is no log line: a developer printed it, or it is a crash", () => {
    const { output, lines } = hearStory();
    for (const line of ["here", '{"a":1}', "\u001b[2Jx"]) output("fn", line);
    expect(lines).toEqual(["fn | here", 'fn | {"a":1}', "fn | \ufffd[2Jx"]);
  });
});

describe("the payment service's log", () => {
  test.each([
    "create ORDER 1 → PAY-1",
    "callback payment.order.success C-1 → 200",
    "callback odd name C-1 → 401",
  ])("%s is left out, since Paycast's own lines tell it", (line) => {
    const quiet = hearStory();
    quiet.story.serviceLine(line);
    expect(quiet.lines).toEqual([]);
    const verbose = hearStory({ verbose: true });
    verbose.story.serviceLine(line);
    expect(verbose.lines).toEqual([`payment service: ${line}`]);
  });

  test.each([
    "callback payment.order.success C-1 → ECONNREFUSED",
    "refused: 40001 wrong signature",
    "keys of DemoMerchant rotated",
    "fault lose is on",
  ])("%s is reported", (line) => {
    const { story, lines } = hearStory();
    story.serviceLine(line);
    expect(lines).toEqual([`payment service: ${line}`]);
  });

  test("cannot change the terminal", () => {
    const { story, lines } = hearStory();
    story.serviceLine("refused: \u001b[2J");
    expect(lines).toEqual(["payment service: refused: \ufffd[2J"]);
  });
});
