import { describe, expect, test } from "vitest";
import { printPublished, printStackEvent } from "../../local/print-event.ts";
import type { StackEvent } from "../../local/stack/functions/stack-event.ts";

const linesOf = (event: StackEvent, verbose = false) => {
  const lines: string[] = [];
  printStackEvent(event, verbose, (line) => lines.push(line));
  return lines;
};

describe("one line for each thing that happens", () => {
  test("a request, with the function that answered it", () => {
    const request = {
      kind: "request",
      method: "GET",
      path: "/x",
      status: 404,
      durationMilliseconds: 1.6,
    } as const;
    expect(linesOf(request)).toEqual(["GET /x 404  (no route, 2 ms)"]);
    expect(linesOf({ ...request, functionName: "query-order" })).toEqual([
      "GET /x 404  (query-order, 2 ms)",
    ]);
  });

  test("a batch, with how many of it failed", () => {
    const batch = {
      kind: "batch",
      functionName: "process-callback",
      queueName: "inbox",
      messages: 1,
      failed: 0,
      durationMilliseconds: 12,
    } as const;
    expect(linesOf(batch)).toEqual(["1 message from inbox  (process-callback, 12 ms)"]);
    expect(linesOf({ ...batch, messages: 3, failed: 2 })).toEqual([
      "3 messages from inbox, 2 failed  (process-callback, 12 ms)",
    ]);
  });

  test("a failure always, what functions log only if asked for", () => {
    const functionName = "fn";
    expect(linesOf({ kind: "failure", functionName, reason: "threw" })).toEqual([
      "fn failed: threw",
    ]);
    expect(linesOf({ kind: "output", functionName, line: "{}" })).toEqual([]);
    expect(linesOf({ kind: "output", functionName, line: "{}" }, true)).toEqual(["fn | {}"]);
    expect(linesOf({ kind: "schedule", functionName, durationMilliseconds: 3 })).toEqual([
      "on schedule  (fn, 3 ms)",
    ]);
    expect(linesOf({ kind: "notice", message: "so" })).toEqual(["so"]);
  });

  test("an event that goes to a subscriber, and no other message", () => {
    const publish = (queueName: string, body: string) => {
      const lines: string[] = [];
      const subscriberOf = (name: string) => (name === "erp.fifo" ? "erp" : undefined);
      printPublished({ queueName, body }, subscriberOf, (line) => lines.push(line));
      return lines;
    };
    const event = { specversion: "1.0", type: "payment.order.success", subject: "A-1" };
    expect(publish("erp.fifo", JSON.stringify(event))).toEqual([
      "payment.order.success of A-1 to erp",
    ]);
    expect(publish("inbox.fifo", JSON.stringify(event))).toEqual([]);
    expect(publish("erp.fifo", "not JSON")).toEqual([]);
  });
});
