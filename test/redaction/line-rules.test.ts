import { expect, test } from "vitest";
import { createLog } from "../../shared/telemetry/log-line.ts";
import { faultsOfLine } from "./line-rules.ts";

const line = {
  service: "receive-callback",
  outcome: "accepted",
  merchantId: "208800000000000001",
  orderNo: "ORDER-1",
  traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`,
  timestamp: 1,
};

test("a line of the product's own log is clean", () => {
  const lines: string[] = [];
  const options = { service: "receive-callback", namespace: "Paycast", now: () => 7 };
  const log = createLog({ ...options, write: (written) => lines.push(written) });
  log({ outcome: "accepted", merchantId: "M", durationMilliseconds: 3 }, { Accepted: 1 });
  expect(lines.flatMap(faultsOfLine)).toEqual([]);
});

test.each([
  ["a field that is not listed", { ...line, body: "x" }],
  ["an outcome that is not listed", { ...line, outcome: "fine" }],
  ["a metric that is not declared", { ...line, Accepted: 1 }],
  ["an event name that is any text", { ...line, eventName: "Mr. Smith paid" }],
  ["a trace id that is any text", { ...line, traceparent: "Mr. Smith" }],
  ["JSON in a detail", { ...line, detail: 'cannot read {"msg"' }],
  ["a PEM in a detail", { ...line, detail: "-----BEGIN PUBLIC KEY-----" }],
  ["a signature in a detail", { ...line, detail: `bad ${"Qk".repeat(60)}` }],
  ["a body in place of an id", { ...line, orderNo: "x".repeat(300) }],
  ["a message in place of an error's name", { ...line, errorName: "Value 'Smith' is wrong" }],
])("%s is a fault", (_case, fields) => {
  expect(faultsOfLine(JSON.stringify(fields))).toHaveLength(1);
});

test("what is no JSON is a fault", () => {
  expect(faultsOfLine("TypeError: Mr. Smith is not a function")).toHaveLength(1);
});
