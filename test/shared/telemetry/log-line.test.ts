import { expect, test } from "vitest";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import {
  createLog,
  currentTraceparent,
  errorFields,
  type LogFields,
} from "../../../shared/telemetry/log-line.ts";

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

test("the subscribers that got an event, and those that did not, are reported by name", () => {
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

test("of an error the name and the words of its innermost cause are reported", () => {
  const refused =
    "User: arn:aws:sts::123456789012:assumed-role/Receive/f is not authorized to perform: sqs:sendmessage on resource: arn:aws:sqs:eu-central-1:123456789012:q.fifo with an explicit deny in a resource-based policy";
  const cause = Object.assign(new Error(refused), { name: "AccessDenied" });
  const between = new Error("between", { cause });
  const error = new PaycastError("inbox-unavailable", "not reported", { cause: between });
  expect(errorFields(error)).toEqual({
    errorName: "AccessDenied",
    detail:
      "User: … is not authorized to perform: sqs:sendmessage on resource: … with an explicit deny in a resource-based policy",
  });
  expect(errorFields("secret")).toEqual({ errorName: "string" });
});

test("an error that is its own cause has an end", () => {
  const circular = new Error("around");
  circular.cause = circular;
  expect(errorFields(circular)).toEqual({ errorName: "Error", detail: "around" });
});

test.each([
  ["connect ECONNREFUSED 127.0.0.1:4566", "connect ECONNREFUSED …"],
  ["Cannot read properties of undefined (reading 'x')", "Cannot read properties of undefined"],
  ['Unexpected token S, "Smith" is not valid JSON', "Unexpected token …"],
  ['refused: {"MessageBody":"Mr. Smith"}', "refused:"],
  ["Value 'Mr. Smith' at 'body' is wrong", "Value"],
  ["order INV-7 of 12.50 EUR: mQxTzR", "order … of … … …"],
  ["DECODER routines::unsupported", "… …"],
  [JSON.stringify([{ code: "secret" }]), undefined],
])("of the message %s no more is reported than plain words", (message, detail) => {
  expect(errorFields(new TypeError(message)).detail).toBe(detail);
});

test("of several errors at once, as Node has for several addresses, the first one is reported", () => {
  const refused = new AggregateError([new Error("connect ECONNREFUSED ::1:80"), new Error("b")]);
  expect(errorFields(refused)).toEqual({ errorName: "Error", detail: "connect ECONNREFUSED …" });
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

test("what only an alarm per merchant needs is not counted for all, unless a line names no merchant", () => {
  const counted = { VerifiedByCurrent: 0, OutdatedKeys: 1, EndsAsked: 2 };
  const names = Object.keys(counted).map((Name) => ({ Name }));
  const ofMerchant = lineOf({ outcome: "accepted", merchantId: "m" }, counted)._aws;
  expect(ofMerchant.CloudWatchMetrics).toEqual([
    { Namespace: "N", Dimensions: [["service", "merchantId"]], Metrics: names },
  ]);
  const ofAll = lineOf({ outcome: "reconciled" }, counted)._aws;
  expect(ofAll.CloudWatchMetrics).toEqual([
    { Namespace: "N", Dimensions: [["service"]], Metrics: names },
  ]);
});

test("what one alarm watches for all functions is counted without the function", () => {
  const countedBy = (merchantId?: string) => {
    const fields = { outcome: "keys-problem", merchantId } as const;
    const { _aws } = lineOf(fields, { KeysProblem: 1, KeysFetchFailingSeconds: 2 });
    return _aws.CloudWatchMetrics;
  };
  const [problem, fetch] = ["KeysProblem", "KeysFetchFailingSeconds"].map((Name) => ({ Name }));
  expect(countedBy()).toEqual([{ Namespace: "N", Dimensions: [[]], Metrics: [problem, fetch] }]);
  expect(countedBy("m")).toEqual([
    { Namespace: "N", Dimensions: [[]], Metrics: [fetch] },
    { Namespace: "N", Dimensions: [["merchantId"]], Metrics: [problem] },
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
  for (const traceparent of fresh) expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  expect(fresh[0]).not.toBe(fresh[1]);
});

test("metrics of another time are on a line of their own, whose only field is the merchant", () => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const log = createLog({ service: "s", namespace: "N", now: () => 7, write });
  const dated = { atMilliseconds: 900_007, metrics: { EndsLearned: 1 } };
  log({ outcome: "published", merchantId: "m", orderNo: "A" }, { Published: 1 }, dated);
  expect(lines).toHaveLength(2);
  expect(JSON.parse(lines[0]!)).not.toHaveProperty("EndsLearned");
  expect(JSON.parse(lines[1]!)).toEqual({
    service: "s",
    merchantId: "m",
    EndsLearned: 1,
    timestamp: 7,
    _aws: {
      Timestamp: 900_007,
      CloudWatchMetrics: [
        {
          Namespace: "N",
          Dimensions: [["service", "merchantId"]],
          Metrics: [{ Name: "EndsLearned" }],
        },
      ],
    },
  });
});
