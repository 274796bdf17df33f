import { expect, test } from "vitest";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { createLog, errorFields, type LogFields } from "../../../shared/telemetry/log-line.ts";
import { currentTraceparent } from "../../../shared/telemetry/traceparent.ts";

function lineOf(fields: LogFields, metrics?: Record<string, number>) {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  createLog({ service: "s", namespace: "N", now: () => 7, write })(fields, metrics);
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0]!);
}

test("a field that is not on the list cannot be written", () => {
  const fields = { outcome: "accepted" as const, plaintext: "secret", sign: "secret" };
  expect(lineOf(fields)).toEqual({ service: "s", outcome: "accepted", timestamp: 7 });
});

test("the subscribers that got an event, and those that did not, are told by name", () => {
  const fields = { outcome: "published" as const, deliveredTo: ["books"], subscribers: ["stock"] };
  expect(lineOf(fields)).toMatchObject(fields);
});

test("metrics ride on the line in CloudWatch's embedded format", () => {
  expect(lineOf({ outcome: "accepted" }, { Accepted: 1 })).toEqual({
    service: "s",
    outcome: "accepted",
    Accepted: 1,
    timestamp: 7,
    _aws: {
      Timestamp: 7,
      CloudWatchMetrics: [
        { Namespace: "N", Dimensions: [["service"]], Metrics: [{ Name: "Accepted" }] },
      ],
    },
  });
});

test("of an error the name and the code are told, never the message", () => {
  const cause = Object.assign(new Error("secret"), { name: "AccessDenied" });
  const error = new PaycastError("inbox-unavailable", "secret", { cause });
  expect(errorFields(error)).toEqual({ errorName: "AccessDenied", errorCode: "inbox-unavailable" });
  expect(errorFields(new TypeError("secret"))).toEqual({ errorName: "TypeError" });
  expect(errorFields("secret")).toEqual({ errorName: "string" });
});

test("acceptances and refusals are counted by merchant too, where a line names one", () => {
  const { _aws } = lineOf({ outcome: "accepted", merchantId: "m" }, { Accepted: 1, Published: 1 });
  expect(_aws.CloudWatchMetrics).toEqual([
    {
      Namespace: "N",
      Dimensions: [["service"]],
      Metrics: [{ Name: "Accepted" }, { Name: "Published" }],
    },
    { Namespace: "N", Dimensions: [["service", "merchantId"]], Metrics: [{ Name: "Accepted" }] },
  ]);
});

test("X-Ray's ids become a W3C trace context; without them it is a new one", () => {
  const header = "Root=1-5f84c7a5-0123456789abcdef01234567;Parent=53995c3f42cd8ad8;Sampled=1";
  const trace = "00-5f84c7a50123456789abcdef01234567-53995c3f42cd8ad8-01";
  expect(currentTraceparent(header)).toBe(trace);
  expect(currentTraceparent(header.replace("Sampled=1", "Sampled=0"))).toBe(
    trace.replace(/01$/, "00"),
  );
  const fresh = [currentTraceparent(undefined), currentTraceparent("nonsense")];
  for (const one of fresh) expect(one).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  expect(fresh[0]).not.toBe(fresh[1]);
});
