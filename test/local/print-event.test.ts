import { expect, test } from "vitest";
import { printPublished, printStackEvent } from "../../local/print-event.ts";
import type { StackEvent } from "../../local/stack/functions/stack-event.ts";

const linesOf = (event: StackEvent, verbose = false) => {
  const lines: string[] = [];
  printStackEvent(event, verbose, (line) => lines.push(line));
  return lines;
};

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
  [request, "GET /x 404  (no route, 12 ms)"],
  [{ ...request, functionName: "query-order" }, "GET /x 404  (query-order, 12 ms)"],
  [{ ...batch, messages: 1, failed: 0 }, "1 message from inbox  (fn, 12 ms)"],
  [{ ...batch, messages: 3, failed: 2 }, "3 messages from inbox, 2 failed  (fn, 12 ms)"],
  [{ kind: "failure", functionName: "fn", reason: "threw" }, "fn failed: threw"],
  [{ kind: "notice", message: "so" }, "so"],
])("%j is printed as one line", (event, line) => {
  expect(linesOf(event)).toEqual([line]);
});

test("what functions log is printed only with --verbose", () => {
  const output = { kind: "output", functionName: "fn", line: "{}" } as const;
  expect(linesOf(output)).toEqual([]);
  expect(linesOf(output, true)).toEqual(["fn | {}"]);
});

test("a run of a schedule is printed only with --verbose, since most runs find nothing", () => {
  const schedule = { kind: "schedule", functionName: "fn", durationMilliseconds } as const;
  expect(linesOf(schedule)).toEqual([]);
  expect(linesOf(schedule, true)).toEqual(["on schedule  (fn, 12 ms)"]);
});

test("an event for a subscriber is printed, and no other message", () => {
  const publish = (queueName: string, body: string) => {
    const lines: string[] = [];
    const subscriberOf = (name: string) => (name === "erp.fifo" ? "erp" : undefined);
    printPublished({ queueName, body }, subscriberOf, (line) => lines.push(line));
    return lines;
  };
  const body = JSON.stringify({ specversion: "1.0", type: "payment.order.success", subject: "A" });
  expect(publish("erp.fifo", body)).toEqual(["payment.order.success of A to erp"]);
  expect(publish("inbox.fifo", body)).toEqual([]);
  expect(publish("erp.fifo", "not JSON")).toEqual([]);
});
