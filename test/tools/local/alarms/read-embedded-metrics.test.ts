import { expect, test } from "vitest";
import { createLog } from "../../../../shared/telemetry/log-line.ts";
import { readEmbeddedMetrics } from "../../../../tools/local/alarms/read-embedded-metrics.ts";

const now = Date.UTC(2026, 10, 15);

function lineOf(...line: Parameters<ReturnType<typeof createLog>>): string {
  let text = "";
  const write = (written: string) => {
    text = written;
  };
  createLog({ service: "receive-callback", namespace: "N", now: () => now, write })(...line);
  return text;
}

test("a line's metrics are read with the dimensions that it counts them by", () => {
  const line = lineOf({ outcome: "accepted", merchantId: "m" }, { Accepted: 1, KeysProblem: 2 });
  const service = "receive-callback";
  const metric = (name: string, value: number, dimensions: object) => {
    return { metric: { namespace: "N", name, dimensions }, atMilliseconds: now, value };
  };
  expect(readEmbeddedMetrics(line)).toEqual([
    metric("KeysProblem", 2, { merchantId: "m" }),
    metric("Accepted", 1, { service }),
    metric("Accepted", 1, { service, merchantId: "m" }),
  ]);
});

test.each([
  ["a line without metrics", lineOf({ outcome: "captured" })],
  ["a line of Lambda", "START RequestId: 1"],
  ["other JSON", "[1]"],
])("%s has none", (_case, line) => {
  expect(readEmbeddedMetrics(line)).toEqual([]);
});
