import { expect, test } from "vitest";
import { readRequestLine } from "../../../../tools/operations/ports/request-line.ts";
import { joinAttempts } from "../../../../tools/operations/timeline/callback-attempts.ts";

const id = "7f3c2a90-5b1e-4d7a-9c46-0e8d1f2b3a54";
const start = Date.parse("2026-11-15T10:00:00Z");

function line(fields: object) {
  const base = {
    service: "receive-callback",
    timestamp: start,
    durationMilliseconds: 5,
    httpStatus: 200,
  };
  const read = readRequestLine(JSON.stringify({ ...base, ...fields }));
  if (read?.service !== "receive-callback") throw new Error("not a line of receive-callback");
  return read;
}

const sent = (startedMilliseconds: number, fields: object = {}) => ({
  startedMilliseconds,
  durationMilliseconds: 20,
  faults: ["wrong-key"],
  detail: "",
  ...fields,
});

test("an attempt of the service and its line in the log are one", () => {
  const refused = line({
    timestamp: start + 10,
    outcome: "not-authentic",
    reason: "wrong-signature",
    httpStatus: 401,
    claimedCallbackId: id.replaceAll("-", ""),
  });
  const attempts = [sent(start, { httpStatus: 401 })];
  expect(joinAttempts([refused], [{ id, attempts }])).toMatchObject([
    { httpStatus: 401, reason: "wrong-signature", isAuthentic: false, faults: ["wrong-key"] },
  ]);
});

test("each line belongs to one attempt: the next of the same callback has its own", () => {
  const lines = [10, 1_010].map((after) =>
    line({ timestamp: start + after, outcome: "accepted", callbackId: id, keyStage: "current" }),
  );
  const attempts = [sent(start, { httpStatus: 200 }), sent(start + 1_000, { httpStatus: 200 })];
  const joined = joinAttempts(lines, [{ id, attempts }]);
  expect(joined.map(({ at, outcome }) => [Date.parse(at) - start, outcome])).toEqual([
    [10, "accepted"],
    [1_010, "accepted"],
  ]);
});

test("a line that the service knows nothing of stands for itself: somebody else sent it", () => {
  const stranger = line({
    timestamp: start + 60_000,
    outcome: "not-authentic",
    reason: "too-old",
    httpStatus: 401,
    claimedCallbackId: id,
  });
  expect(joinAttempts([stranger], [])).toMatchObject([{ callbackId: id, faults: [] }]);
});

test("an attempt without a line tells what the service saw", () => {
  const attempts = [sent(start, { detail: "ECONNREFUSED" }), sent(start + 9, { httpStatus: 502 })];
  expect(joinAttempts([], [{ id, attempts }])).toMatchObject([
    { outcome: "no-answer", httpStatus: undefined, detail: "ECONNREFUSED" },
    { outcome: "not-logged", httpStatus: 502 },
  ]);
});
