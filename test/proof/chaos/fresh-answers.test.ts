import { createCipheriv } from "node:crypto";
import { expect, test } from "vitest";
import type { Evidence, Statement } from "./check/evidence.ts";
import { outdatedAnswers, outlivedRejections, wrongRefusals } from "./check/fresh-answers.ts";
import { callbackOf, callOf, eventOf, getOf, order, seenWith } from "./synthetic.ts";

const at = (milliseconds: number) => ({
  atMilliseconds: milliseconds - 100,
  endedMilliseconds: milliseconds,
});
/** The service reports that the order is pending, at ten seconds. */
const asked = { ...at(10_000), status: 200, answer: "", envelope: "" };
const reported = [{ asked, fact: eventOf("pending").fact }];

/** What is wrong with a response at this time. */
function outdated(
  seconds: number,
  body: object = {},
  parts: Partial<Evidence> = {},
  stated: readonly Statement[] = [],
) {
  const call = { ...getOf({ status: "pending", ...body }), ...at(seconds * 1_000) };
  return outdatedAnswers([call], reported, stated, seenWith(parts).evidence);
}

test("a response that is not stale has what the service reported a moment ago", () => {
  expect(outdated(10)).toEqual([]);
  expect(outdated(17)).toEqual([]);
  const message = "GET /orders/C1-1: current and pending, but the service did not just report that";
  expect(outdated(19)).toEqual([message]);
  expect(outdated(9)).toEqual([message]);
});

test("another status must have been reported, too", () => {
  expect(outdated(11, { status: "confirming" })).toHaveLength(1);
});

test("a stale response may have any status, and an end of a day ago may be settled", () => {
  expect(outdated(19, { stale: true })).toEqual([]);
  const failed = callbackOf({ event: "order.failed" }, 200);
  const stated = [{ ...failed, post: { ...failed.post, ...at(1_000) } }];
  const day = 24 * 3_600;
  expect(outdated(day, { status: "failed" }, {}, stated)).toHaveLength(1);
  expect(outdated(day + 1, { status: "failed" }, {}, stated)).toEqual([]);
  expect(outdated(19, { status: "success" })).toEqual([]);
});

test("a callback since the report may have another status", () => {
  const confirming = (seconds: number) => {
    const statement = callbackOf({ event: "order.confirming" }, 200);
    return [{ ...statement, post: { ...statement.post, ...at(seconds * 1_000) } }];
  };
  const body = { status: "confirming" };
  expect(outdated(14, body, {}, confirming(12))).toEqual([]);
  expect(outdated(14, body, {}, confirming(9))).toHaveLength(1);
  expect(outdated(19, body, {}, confirming(12))).toHaveLength(1);
});

test("the report is stored later while AWS fails", () => {
  const away = { what: "dynamodb is away", fromMilliseconds: 11_000, untilMilliseconds: 12_000 };
  expect(outdated(24, {}, { disturbances: [away] })).toEqual([]);
  expect(outdated(26, {}, { disturbances: [away] })).toHaveLength(1);
  expect(outdated(24, {}, { disturbances: [{ ...away, sparesCalls: true }] })).toHaveLength(1);
});

/** What is wrong with a repeated creation at this time, after the service's response to the first at ten seconds. */
function outdatedRepeat(seconds: number, code = 20_000, orderNo = order.orderNo) {
  const repeat = callOf("POST /orders", 200, { status: "pending", stale: false });
  const { evidence } = seenWith({ asked: [responseTo(code, orderNo)], keysOf: () => [keys] });
  return outdatedAnswers([{ ...repeat, ...at(seconds * 1_000) }], [], [], evidence);
}

test("a repeated creation is current for ten seconds after the order was created", () => {
  expect(outdatedRepeat(11)).toEqual([]);
  expect(outdatedRepeat(19.9)).toEqual([]);
  const message = "POST /orders: current and pending, but the service did not just report that";
  expect(outdatedRepeat(20)).toEqual([message]);
  expect(outdatedRepeat(9)).toEqual([message]);
  expect(outdatedRepeat(11, 40103)).toEqual([message]);
  expect(outdatedRepeat(11, 20_000, "C1-2")).toEqual([message]);
});

/** What is wrong with a rejection at this time, after the service's own at ten seconds. */
function outlived(seconds: number, code = 40103, orderNo = order.orderNo) {
  const rejection = responseTo(code, orderNo);
  const answer = { type: "urn:paycast:problem:service-refused" };
  const call = { ...callOf("POST /orders", 502, answer), ...at(seconds * 1_000) };
  const { evidence } = seenWith({ asked: [rejection], keysOf: () => [keys] });
  return outlivedRejections([call], evidence);
}

/** A response of the service about the creation of an order, at ten seconds. */
function responseTo(code: number, orderNo = order.orderNo) {
  const body = encrypted(JSON.stringify({ order: { orderNo } }));
  const envelope = JSON.stringify({ method: "service.trade.create", body });
  return { ...asked, envelope, answer: JSON.stringify({ code }) };
}

const keys = { aesKey: Buffer.alloc(16).toString("base64"), servicePublicKey: "" };
function encrypted(plaintext: string): string {
  const cipher = createCipheriv("aes-128-cbc", Buffer.alloc(16), Buffer.alloc(16));
  return cipher.update(plaintext, "utf8", "base64") + cipher.final("base64");
}

test("a rejection is the service's own, of a moment ago", () => {
  expect(outlived(11)).toEqual([]);
  const message = "POST /orders: rejected, but the service did not just reject it";
  expect(outlived(19)).toEqual([message]);
  expect(outlived(11, 20_000)).toEqual([message]);
  expect(outlived(11, 40103, "C1-2")).toEqual([message]);
});

test("an order is refused only if the service rejected it, and it does not exist", () => {
  const shown = { ...getOf({ status: "refused" }), ...at(12_000) };
  const refused = (code: number, knownMilliseconds: number) => {
    const { evidence } = seenWith({ asked: [responseTo(code)], keysOf: () => [keys] });
    return wrongRefusals([shown], knownMilliseconds, evidence);
  };
  expect(refused(40103, Number.POSITIVE_INFINITY)).toEqual([]);
  const [unfounded, known] = [
    "but the service did not reject it",
    "although it was known to exist",
  ];
  expect(refused(20_000, Number.POSITIVE_INFINITY)).toEqual([
    `GET /orders/C1-1: refused, ${unfounded}`,
  ]);
  expect(refused(40103, 11_000)).toEqual([`GET /orders/C1-1: refused, ${known}`]);
});
