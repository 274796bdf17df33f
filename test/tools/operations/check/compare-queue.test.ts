import { expect, test } from "vitest";
import { queueFaults } from "../../../../tools/operations/check/compare-queue.ts";
import type { QueueAttributes } from "../../../../tools/operations/check/queue-template.ts";
import type { Target } from "../../../../tools/operations/target/target.ts";

const target = { region: "eu-central-1" } as Target;
const url = "https://sqs.eu-central-1.amazonaws.com/123456789012/inbox.fifo";

/** What SQS says of a queue that nobody configured. */
const usual: QueueAttributes = {
  DelaySeconds: "0",
  MaximumMessageSize: "1048576",
  MessageRetentionPeriod: "345600",
  ReceiveMessageWaitTimeSeconds: "0",
  VisibilityTimeout: "30",
};

function faultsOf(
  declared: QueueAttributes,
  actual: QueueAttributes,
  unresolved: QueueAttributes = {},
) {
  const queue = { name: "inbox.fifo", attributes: declared, unresolved };
  return queueFaults(target, url, queue, { ...usual, ...actual });
}

const withKey = { KmsMasterKeyId: "alias/ours", KmsDataKeyReusePeriodSeconds: "300" };

test("a queue with a KMS key is not expected to be encrypted by SQS's own", () => {
  expect(faultsOf({ KmsMasterKeyId: "alias/ours" }, withKey)).toEqual([]);
  const [fault] = faultsOf({ KmsMasterKeyId: "alias/ours" }, { SqsManagedSseEnabled: "true" });
  expect(fault?.message).toMatch(/^KmsDataKeyReusePeriodSeconds is not set; .*KmsMasterKeyId is/);
});

test("a KMS key that is not known here is not compared, and counts as a key", () => {
  const found = faultsOf({}, withKey, { KmsMasterKeyId: "It is imported." });
  expect(found).toMatchObject([
    { status: "warning", message: "KmsMasterKeyId is not compared. It is imported." },
  ]);
});

test("a queue without a KMS key is expected to be encrypted by SQS's own", () => {
  expect(faultsOf({}, { SqsManagedSseEnabled: "true" })).toEqual([]);
  const [fault] = faultsOf({}, { ...withKey, SqsManagedSseEnabled: "false" });
  expect(fault?.message).toBe(
    "KmsMasterKeyId is alias/ours; the template has none. SqsManagedSseEnabled is false; the template has true.",
  );
});

test("of a policy, only the statements that somebody added or removed are named", () => {
  const statement = (Action: string) => ({ Effect: "Allow", Action, Principal: "*" });
  const policy = (...actions: string[]) => JSON.stringify({ Statement: actions.map(statement) });
  const encrypted = { SqsManagedSseEnabled: "true" };
  const declared = { Policy: policy("sqs:Kept", "sqs:Removed") };
  const [fault] = faultsOf(declared, { ...encrypted, Policy: policy("sqs:Added", "sqs:Kept") });
  expect(fault?.message).toMatch(/lacks .*"sqs:Removed".* not in .*"sqs:Added"/);
  expect(fault?.message).not.toContain("sqs:Kept");
  const single = JSON.stringify({ Statement: statement("sqs:Kept") });
  expect(faultsOf({ Policy: single }, { ...encrypted, Policy: policy("sqs:Kept") })).toEqual([]);
});
