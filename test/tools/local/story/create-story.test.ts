import { describe, expect, test } from "vitest";
import { createLog, type LogFields, type Metrics } from "../../../../shared/telemetry/log-line.ts";
import { createColours } from "../../../../shared/text/terminal-text.ts";
import { createStory } from "../../../../tools/local/story/create-story.ts";

/** A story whose lines are kept. Functions log with the log of the product. */
function hearStory(options: { verbose?: boolean; colour?: boolean } = {}) {
  const lines: string[] = [];
  const story = createStory({
    print: (line) => lines.push(line),
    colours: createColours(options.colour ?? false),
    verbose: options.verbose ?? false,
  });
  const output = (functionName: string, line: string) =>
    story.stackEvent({ kind: "output", functionName, line });
  const log = (service: string, fields: LogFields, metrics: Metrics = {}) => {
    const write = (line: string) => output(service, line);
    createLog({ service, namespace: "Paycast", now: () => 7, write })(fields, metrics);
  };
  return { story, lines, output, log };
}

test("an order has one line for each step, also where a line of a function names only its payment", () => {
  const { log, lines } = hearStory();
  const order = { orderNo: "ORDER-1", paymentId: "PAY-1" };
  const paid = { ...order, eventName: "payment.order.success" };
  const refund = { paymentId: "PAY-1", refundId: "RF-1", eventName: "payment.refund.success" };
  log("create-order", { outcome: "answered", ...order, httpStatus: 201 });
  log("create-order", { outcome: "answered", ...order, httpStatus: 200 });
  log("receive-callback", { outcome: "accepted", ...paid, httpStatus: 200 });
  log("process-callback", { outcome: "published", ...paid, deliveredTo: ["shipping", "books"] });
  log("process-callback", { outcome: "duplicate", ...paid });
  log("reconcile-orders", { outcome: "reconciled" }, { Answered: 1, News: 0 });
  log("reconcile-orders", { outcome: "reconciled" }, { Answered: 1, News: 1 });
  log("process-callback", { outcome: "known-fact", ...paid });
  log("query-order", { outcome: "answered", ...order, httpStatus: 200 });
  log("process-callback", { outcome: "published", ...refund, flags: ["mismatch"] });
  expect(lines).toEqual([
    "ORDER-1 created, payment PAY-1",
    "ORDER-1 already exists, returned as it is",
    "ORDER-1 success → shipping ✓ books ✓",
    "ORDER-1 success arrived again, nothing published",
    "reconciliation: 1 result with news",
    "ORDER-1 success already known, nothing published",
    "ORDER-1 refund success [mismatch] → no subscriber",
  ]);
});

test("what fails has a line with its cause and its order, or the merchant", () => {
  const { log, lines } = hearStory();
  const forged = { outcome: "not-authentic", reason: "wrong-signature" } as const;
  log("receive-callback", { ...forged, httpStatus: 401, merchantId: "shop-1" });
  const refused = { reason: "gateway-refused" as const, serviceCode: "50001", httpStatus: 502 };
  log("create-order", { outcome: "problem", orderNo: "ORDER-7", ...refused });
  const failed = { errorName: "Error", reason: "aggregate-contended" as const };
  log("process-callback", { outcome: "left-for-later", paymentId: "PAY-7", ...failed });
  expect(lines).toEqual([
    "rejected wrong-signature shop-1",
    "not created: gateway-refused 50001 ORDER-7",
    "process-callback left for later aggregate-contended payment PAY-7",
  ]);
});

describe("on a terminal", () => {
  test("names are bold, and what arrived and what did not have colours", () => {
    const { log, lines } = hearStory({ colour: true });
    const subscribers = { deliveredTo: ["a"], subscribers: ["b"] };
    log("process-callback", { outcome: "published", orderNo: "ORDER-1", ...subscribers });
    expect(lines).toEqual([
      "\u001b[1mORDER-1\u001b[22m → a \u001b[32m✓\u001b[39m b \u001b[31m✗\u001b[39m",
    ]);
  });

  test("no text from outside can change it, not even its colour", () => {
    const { story, log, output, lines } = hearStory({ colour: true });
    log("process-callback", { outcome: "duplicate", orderNo: "A\u001b[2J\u001b[32m\n✓" });
    output("fn", "\u001b[2Jx");
    story.serviceLine("refused: \u001b[2J");
    expect(lines).toEqual([
      "\u001b[1mA\ufffd[2J\ufffd[32m\ufffd✓\u001b[22m arrived again, nothing published",
      "\u001b[2mfn | \ufffd[2Jx\u001b[22m",
      "payment service: refused: \ufffd[2J",
    ]);
  });
});

test("requests, batches and reloads are reported only with --verbose", () => {
  const event = { kind: "reload", functionName: "fn" } as const;
  const quiet = hearStory();
  quiet.story.stackEvent(event);
  expect(quiet.lines).toEqual([]);
  const verbose = hearStory({ verbose: true });
  verbose.story.stackEvent(event);
  expect(verbose.lines).toEqual(['{"kind":"reload","functionName":"fn"}']);
});

test("a function that fails is reported with the first line of its reason, with --verbose with all", () => {
  const reason = "threw Error: no\n    at x";
  const failure = { kind: "failure", functionName: "fn", reason } as const;
  const quiet = hearStory();
  quiet.story.stackEvent(failure);
  expect(quiet.lines).toEqual(["fn failed: threw Error: no"]);
  const verbose = hearStory({ verbose: true });
  verbose.story.stackEvent(failure);
  expect(verbose.lines).toEqual([`fn failed: ${reason}`]);
});

test("a notice that repeats is reported once", () => {
  const { story, lines } = hearStory();
  for (const message of ["no queue", "no queue", "queue is back", "no queue"]) {
    story.stackEvent({ kind: "notice", message });
  }
  expect(lines).toEqual(["no queue", "queue is back", "no queue"]);
});

test("a function's log line is shown as it is only with --verbose, other output always", () => {
  const quiet = hearStory();
  quiet.log("process-callback", { outcome: "no-fact" });
  quiet.output("fn", '{"a":1}');
  expect(quiet.lines).toEqual(['fn | {"a":1}']);
  const verbose = hearStory({ verbose: true });
  verbose.log("process-callback", { outcome: "no-fact" });
  expect(verbose.lines[0]).toContain('process-callback | {"service":"process-callback"');
});

test("the payment service's log is left out where Paycast's own lines tell it", () => {
  const covered = ["create ORDER 1 → PAY-1", "callback odd name C-1 → 401"];
  const news = ["callback payment.order.success C-1 → ECONNREFUSED", "fault lose is on"];
  const quiet = hearStory();
  for (const line of [...covered, ...news]) quiet.story.serviceLine(line);
  expect(quiet.lines).toEqual(news.map((line) => `payment service: ${line}`));
  const verbose = hearStory({ verbose: true });
  for (const line of covered) verbose.story.serviceLine(line);
  expect(verbose.lines).toEqual(covered.map((line) => `payment service: ${line}`));
});
