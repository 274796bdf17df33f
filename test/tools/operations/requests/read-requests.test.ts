import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { listenOnLoopback } from "../../../../tools/local/aws/listen-on-loopback.ts";
import { deployedLog } from "../../../../tools/operations/deployed-stack/deployed-log.ts";
import { localLog } from "../../../../tools/operations/local-stack/local-log.ts";
import { readRequestLine } from "../../../../tools/operations/ports/request-line.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";
import {
  answerClasses,
  filterPattern,
  matches,
} from "../../../../tools/operations/requests/answers.ts";
import { type Reading, readRequests } from "../../../../tools/operations/requests/read-requests.ts";
import { answer, readAwsRequest } from "../control-plane/aws-protocol.ts";
import { filteredLines } from "../control-plane/cloudwatch.ts";

const now = Date.parse("2026-11-15T10:00:00Z");
const minute = 60_000;
const work = { stopped: new AbortController().signal, tell: () => undefined };

/** Lines as the functions write them, by how many minutes ago. */
const line = (minutesAgo: number, fields: object) =>
  JSON.stringify({ timestamp: now - minutesAgo * minute, durationMilliseconds: 7, ...fields });
const accepted = { service: "receive-callback", outcome: "accepted", httpStatus: 200 };
const forged = {
  service: "receive-callback",
  outcome: "not-authentic",
  httpStatus: 401,
  reason: "wrong-signature",
};
const notStored = {
  ...accepted,
  outcome: "not-stored",
  httpStatus: 503,
  stage: "inbox",
  reason: "inbox-unavailable",
  errorName: "TimeoutError",
};
const created = { service: "create-order", outcome: "answered", httpStatus: 201, orderNo: "A-1" };
const refused = {
  service: "create-order",
  outcome: "problem",
  httpStatus: 502,
  errorName: "GatewayError",
  stage: "service",
  reason: "gateway-refused",
  serviceCode: "40103",
};
const unknownPayment = {
  service: "query-order",
  outcome: "problem",
  httpStatus: 404,
  errorName: "GatewayError",
  stage: "service",
  reason: "gateway-refused",
  problem: "payment-unknown",
};
const invalid = {
  service: "create-order",
  outcome: "problem",
  httpStatus: 400,
  stage: "request",
  reason: "body-invalid",
  problem: "body-invalid",
};
const lost = {
  ...refused,
  httpStatus: 504,
  reason: "gateway-timed-out",
  serviceCode: undefined,
};
const stale = {
  service: "query-order",
  outcome: "stale",
  httpStatus: 200,
  route: "GET /orders/{orderNo+}",
  errorName: "GatewayError",
  stage: "service",
  reason: "gateway-unreachable",
};
const refusedQuestion = { ...stale, reason: "gateway-refused" };
const kinds = {
  accepted,
  forged,
  notStored,
  created,
  refused,
  unknownPayment,
  invalid,
  lost,
  stale,
  refusedQuestion,
};
const nameOf = (message: string) =>
  Object.entries(kinds).find(([, kind]) => {
    const {
      timestamp: _timestamp,
      durationMilliseconds: _durationMilliseconds,
      ...fields
    } = JSON.parse(message);
    return JSON.stringify(fields) === JSON.stringify(kind);
  })?.[0];

let logLines: string[] = [];
let calls = 0;
let cloudWatchLogs: CloudWatchLogsClient;
let deployed: Pick<Target, "log">;
let directory: string;
let stop: () => Promise<void>;

beforeAll(async () => {
  const server = createServer((request, response) => {
    void readAwsRequest(request).then((read) => {
      calls += 1;
      answer(read, response, filteredLines(read.input, logLines));
    });
  });
  const listening = await listenOnLoopback(server);
  stop = listening.stop;
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  cloudWatchLogs = new CloudWatchLogsClient({
    endpoint: listening.endpoint,
    region: "eu-west-1",
    credentials,
  });
  const labels = ["receive-callback", "process-callback", "create-order", "query-order"];
  const functions = labels.map((label) => ({
    label,
    name: label,
    environment: {},
    logGroup: `${label}-logs`,
  }));
  deployed = { log: deployedLog(cloudWatchLogs, functions) };
  directory = mkdtempSync(join(tmpdir(), "paycast-requests-"));
});
beforeEach(() => {
  calls = 0;
});
afterAll(async () => {
  cloudWatchLogs.destroy();
  await stop();
  rmSync(directory, { recursive: true });
});

/** The same log in a file, as the local stack has it. */
function local(): Pick<Target, "log"> {
  const functionLog = join(directory, "functions.log");
  writeFileSync(functionLog, `${logLines.join("\n")}\n`);
  return { log: localLog(functionLog) };
}

const reading = (asked: Partial<Reading> = {}): Reading => ({
  since: now - 60 * minute,
  until: now,
  limit: 100,
  calls: 40,
  ...asked,
});

describe.each(["deployed", "local"] as const)("on a %s stack", (kind) => {
  const find = async (asked: Partial<Reading> = {}) => {
    const target = kind === "deployed" ? deployed : local();
    return await readRequests(target, reading(asked), work);
  };
  const foundNames = async (asked: Partial<Reading>) => {
    const { lines } = await find(asked);
    return lines.map(({ timestamp }) =>
      nameOf(logLines[Math.round((timestamp - now) / minute) + 20]!),
    );
  };

  test("requests are found by route, by class and by status, and by reason, newest first", async () => {
    logLines = Object.values(kinds).map((fields, index) => line(20 - index, fields));
    logLines.push(line(1, { service: "process-callback", outcome: "published" }));
    logLines.push(line(1, { service: "query-order", outcome: "query-failed" }), "a crash");
    expect(await foundNames({})).toEqual(Object.keys(kinds).reverse());
    expect(await foundNames({ route: "callbacks", answer: "refused" })).toEqual(["forged"]);
    expect(await foundNames({ route: "callbacks", answer: "failed" })).toEqual(["notStored"]);
    expect(await foundNames({ route: "storefront", answer: "refused" })).toEqual([
      "unknownPayment",
      "refused",
    ]);
    expect(await foundNames({ route: "storefront", answer: "failed" })).toEqual([
      "refusedQuestion",
      "stale",
      "lost",
    ]);
    expect(await foundNames({ answer: "wrong-request" })).toEqual(["invalid"]);
    expect(await foundNames({ answer: "answered" })).toEqual(["created", "accepted"]);
    expect(await foundNames({ route: "query-order" })).toEqual([
      "refusedQuestion",
      "stale",
      "unknownPayment",
    ]);
    expect(await foundNames({ answer: "401" })).toEqual(["forged"]);
    expect(await foundNames({ reason: "wrong-signature" })).toEqual(["forged"]);
    expect(await foundNames({ reason: "body-invalid" })).toEqual(["invalid"]);
    expect(await foundNames({ reason: "40103" })).toEqual(["refused"]);
    expect(await foundNames({ reason: "TimeoutError" })).toEqual(["notStored"]);
  });

  test("requests are found by merchant", async () => {
    logLines = ["shop-1", "shop-2", undefined].map((merchantId, index) =>
      line(20 - index, { ...forged, merchantId }),
    );
    const { lines } = await find({ merchantId: "shop-2" });
    expect(lines.map(({ merchantId }) => merchantId)).toEqual(["shop-2"]);
  });

  test("a time that was read whole says so, and what is outside of it is left out", async () => {
    logLines = [line(70, accepted), line(60, created), line(30, accepted), line(0, created)];
    const { lines, readBackTo } = await find();
    expect(lines.map(({ timestamp }) => (now - timestamp) / minute)).toEqual([30, 60]);
    expect(readBackTo).toBe(now - 60 * minute);
  });

  test("looks that go on where the last one ended give every request once", async () => {
    const all = Array.from({ length: 700 }, (_item, index) =>
      line(59 - index / 100, index % 10 === 0 ? created : accepted),
    );
    logLines = all.map((text, index) => text.replace("}", `,"orderNo":"A-${index}"}`));
    const seen: (string | undefined)[] = [];
    let until = now;
    for (let reads = 0; until > now - 60 * minute; reads += 1) {
      expect(reads).toBeLessThan(40);
      const { lines, readBackTo } = await find({ until, limit: 50 });
      expect(lines.length).toBeLessThanOrEqual(52);
      seen.push(...lines.map(({ orderNo }) => orderNo));
      until = readBackTo;
    }
    expect(seen).toHaveLength(700);
    expect(new Set(seen).size).toBe(700);
  });
});

test("one look never asks CloudWatch more often than it may, says how far it came, and gives nothing older", async () => {
  logLines = Array.from({ length: 20_000 }, (_item, index) => line(59 - index / 400, accepted));
  // This function's log is short and is read at once, the other one is not.
  logLines.push(...Array.from({ length: 59 }, (_item, index) => line(59 - index, refused)));
  const asked = reading({ answer: "refused", calls: 30 });
  const { lines, readBackTo } = await readRequests(deployed, asked, work);
  expect(calls).toBeLessThanOrEqual(30);
  expect(readBackTo).toBeGreaterThan(now - 60 * minute);
  expect(readBackTo).toBeLessThan(now);
  expect(lines.length).toBeGreaterThan(0);
  for (const { timestamp } of lines) expect(timestamp).toBeGreaterThanOrEqual(readBackTo);
});

test("looks with as few calls as there are logs still go on and come to the end", async () => {
  logLines = [accepted, created, stale].flatMap((fields) =>
    Array.from({ length: 60 }, (_item, index) => line(59.5 - index, fields)),
  );
  const seen: unknown[] = [];
  for (let until = now; until > now - 60 * minute; ) {
    const { lines, readBackTo } = await readRequests(deployed, reading({ until, calls: 3 }), work);
    expect(readBackTo).toBeLessThan(until);
    seen.push(...lines);
    until = readBackTo;
  }
  expect(seen).toHaveLength(180);
});

test("a log of 20,000 requests gives its newest hundred with a handful of calls", async () => {
  logLines = Array.from({ length: 20_000 }, (_item, index) => line(19 - index / 2_000, accepted));
  const { lines } = await readRequests(deployed, reading(), work);
  expect(lines.length).toBeGreaterThanOrEqual(100);
  expect(calls).toBeLessThanOrEqual(12);
});

test("a look that is stopped gives what it has found", async () => {
  logLines = Array.from({ length: 600 }, (_item, index) => line(59 - index / 10, accepted));
  const stopping = new AbortController();
  const tell = () => stopping.abort();
  const { lines, readBackTo } = await readRequests(deployed, reading({ limit: 500 }), {
    stopped: stopping.signal,
    tell,
  });
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.length).toBeLessThan(500);
  expect(readBackTo).toBeGreaterThan(now - 60 * minute);
});

test("CloudWatch's own filter never hides what is looked for", () => {
  const reasons = [undefined, "wrong-signature", "payment-unknown", "40103", "GatewayError"];
  const answers = [undefined, ...answerClasses, "200", "401", "502"];
  for (const fields of Object.values(kinds)) {
    const text = line(1, fields);
    const read = readRequestLine(text)!;
    for (const reason of reasons) {
      for (const candidate of answers) {
        const filter = { answer: candidate, reason };
        if (!matches(read, filter)) continue;
        const input = {
          startTime: 0,
          endTime: now,
          logGroupName: `${read.service}-logs`,
          filterPattern: filterPattern(filter),
        };
        expect(filteredLines(input, [text]), input.filterPattern).toMatchObject({
          events: [{ message: `${text}\n` }],
        });
      }
    }
  }
});

test("a look with few calls gets on, although CloudWatch answers with an empty page first", async () => {
  const crowd = Array.from({ length: 120 }, (_item, index) => line(0.9 - index / 200, accepted));
  logLines = [line(30, forged), ...crowd];
  let { until } = reading();
  const found: unknown[] = [];
  for (let reads = 0; reads < 30 && until > reading().since; reads += 1) {
    const asked = reading({ until, calls: 3, answer: "refused" });
    const { lines, readBackTo } = await readRequests(deployed, asked, work);
    expect(readBackTo).toBeLessThan(until);
    until = readBackTo;
    found.push(...lines);
  }
  expect(found).toMatchObject([{ outcome: "not-authentic" }]);
});
