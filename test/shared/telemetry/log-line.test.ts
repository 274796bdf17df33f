import { expect, test } from "vitest";
import { Refusal } from "../../../shared/envelope/refusal.ts";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { describeRefusal } from "../../../shared/telemetry/callback-line.ts";
import { createLog, errorFields, type LogFields } from "../../../shared/telemetry/log-line.ts";
import { describeProcessing } from "../../../shared/telemetry/processing-line.ts";
import { currentTraceparent } from "../../../shared/telemetry/traceparent.ts";
import { publishedRecord } from "../records/callback-record.ts";

function lineOf(fields: LogFields, metrics?: Record<string, number>) {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  createLog({ service: "s", namespace: "N", now: () => 7, write })(fields, metrics);
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0]!);
}

test("a field that is not on the list cannot be written", () => {
  const fields = { outcome: "accepted", plaintext: "secret", sign: "secret" };
  expect(lineOf(fields)).toEqual({ service: "s", outcome: "accepted", timestamp: 7 });
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

test("each class of refusal, its reason, and each failure of our own has its metric", () => {
  const metricsOf = (error: unknown) => describeRefusal(error, "m", 0, 0)[1];
  expect(metricsOf(new Refusal("not-authentic", "too-old"))).toEqual({
    NotAuthentic: 1,
    TooOld: 1,
  });
  expect(metricsOf(new Refusal("not-an-envelope", "not-json"))).toEqual({
    NotAnEnvelope: 1,
    NotJson: 1,
  });
  expect(metricsOf(new Refusal("too-large", "too-large"))).toEqual({ TooLarge: 1 });
  expect(metricsOf(new PaycastError("inbox-unavailable", ""))).toEqual({ NotStored: 1 });
  for (const code of ["keys-unset", "keys-invalid", "keys-unreachable", "profile-invalid"]) {
    expect(metricsOf(new PaycastError(code, ""))).toEqual({ NotStored: 1, KeysUnavailable: 1 });
  }
});

test.each([
  ["published", true, [], { Published: 1, Mismatch: 1, Late: 1, Deferred: 0 }],
  ["resumed", false, ["a"], { Resumed: 1, Mismatch: 1, Late: 1, Deferred: 0 }],
  ["duplicate", false, [], { Duplicate: 1, Deferred: 0 }],
])("a receipt that is %s is counted as that", (outcome, isNew, delivered, metrics) => {
  const record = publishedRecord({ flags: ["mismatch", "late"] });
  const fanOut = { delivered, failed: [], gone: [], errors: [] };
  const [fields, counted] = describeProcessing({ record, isNew }, fanOut, "id", 0);
  expect(fields.outcome).toBe(outcome);
  expect(counted).toEqual(metrics);
});

test("a receipt that cannot be delivered to two is deferred for two", () => {
  const fanOut = { delivered: ["a"], failed: ["b"], gone: ["c"], errors: ["QueueDoesNotExist"] };
  const record = publishedRecord({ flags: ["conflict", "duplicatePayment", "regressed"] });
  const [fields, metrics] = describeProcessing({ record, isNew: true }, fanOut, "id", 0);
  expect(fields).toMatchObject({ subscribers: ["b", "c"], errorName: "QueueDoesNotExist" });
  expect(metrics).toEqual({
    Published: 1,
    Conflict: 1,
    DuplicatePayment: 1,
    Regressed: 1,
    Deferred: 2,
  });
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
