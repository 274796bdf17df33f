import type { Message } from "@aws-sdk/client-sqs";
import type { SQSRecord } from "aws-lambda";
import { expect, test } from "vitest";
import { PaycastEventError } from "../../../shared/consumer/event-error.ts";
import { parseRecord } from "../../../shared/consumer/parse-record.ts";
import { testEvent } from "../../../shared/consumer/test-events.ts";
import { testMessage, testRecord } from "../../../shared/consumer/test-records.ts";
import { thrownBy } from "../../builders/thrown-by.ts";

const event = testEvent("payment.refund.success");
// The compiler checks that both fit the types of AWS.
const record: SQSRecord = testRecord(event);
const message: Message = testMessage(event);

test("a record of a Lambda is read", () => {
  const { messageId } = record;
  expect(parseRecord(record)).toEqual({ event, messageId, isReplay: false, replayRun: undefined });
});

test("a message of an SDK is read", () => {
  const messageId = message.MessageId;
  expect(parseRecord(message)).toEqual({ event, messageId, isReplay: false, replayRun: undefined });
});

test("a replay is recognized by its message attribute, in both spellings", () => {
  const replay = { isReplay: true, replayRun: "run-7" };
  expect(parseRecord(testRecord(event, { replayRun: "run-7" }))).toMatchObject(replay);
  expect(parseRecord(testMessage(event, { replayRun: "run-7" }))).toMatchObject(replay);
});

test("a message whose attributes were not asked for counts as live", () => {
  expect(parseRecord({ Body: JSON.stringify(event) })).toMatchObject({ isReplay: false });
});

test("an error names the message, and its cause is what is wrong with the event", () => {
  const error = errorOf({ ...record, body: '{"specversion":"1.0"}' });
  expect(error).toMatchObject({
    code: "event-malformed",
    messageId: record.messageId,
    path: "/id",
  });
  expect(error.cause).toBeInstanceOf(PaycastEventError);
});

test("a message without a body is refused", () => {
  expect(errorOf({ MessageId: "m-1" })).toMatchObject({
    code: "record-malformed",
    messageId: "m-1",
  });
});

test.each([undefined, null, "{}", 1])("%s, which is no message, is refused", (given: unknown) => {
  expect(errorOf(given as Message)).toMatchObject({ code: "record-malformed" });
});

function errorOf(given: Parameters<typeof parseRecord>[0]): PaycastEventError {
  return thrownBy(PaycastEventError, () => parseRecord(given));
}
