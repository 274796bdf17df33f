import { expect } from "vitest";
import { functionRole } from "../control-plane/described-stack.ts";
import { type DeployedStack, operatorRole, soundAlarm, soundPolicy } from "../deployed-stack.ts";
import type { OperatedStack } from "../operated-stack.ts";

interface ExpectedFault {
  readonly check: string;
  readonly status: string;
  readonly message?: string | RegExp;
  readonly action?: string;
}

type PossibleFault = readonly [name: string, change: () => void, expected: ExpectedFault];

/** What can be wrong with a deployment, and the one finding that it must show as. */
export function possibleFaults(
  operated: OperatedStack,
  deployed: () => DeployedStack,
): readonly PossibleFault[] {
  const inboxUrl = () => operated.stack().description.queues.inbox;
  const historyUrl = () => operated.target().subscribers[1]!.queueUrl;
  const functionNamed = (label: string) => {
    const { name } = operated.stack().description.functions[label]!;
    return deployed().functions.get(name)!;
  };
  return [
    [
      "a deployment that failed halfway",
      () => (deployed().stackStatus = "UPDATE_ROLLBACK_FAILED"),
      { check: "deployment", status: "problem" },
    ],
    [
      "a deployment that was rolled back",
      () => (deployed().stackStatus = "UPDATE_ROLLBACK_COMPLETE"),
      { check: "deployment", status: "warning" },
    ],
    [
      "a stack of another version",
      () => deployed().outputs.set("Version", "0.0.9"),
      { check: "versions", status: "warning", message: "The command is 0.1.0, the stack 0.0.9." },
    ],
    [
      "a function that failed",
      () => Object.assign(functionNamed("process-callback"), { State: "Failed", StateReason: "x" }),
      { check: "function process-callback", status: "problem", message: "Lambda says Failed: x." },
    ],
    [
      "a function whose update failed",
      () => Object.assign(functionNamed("create-order"), { LastUpdateStatus: "Failed" }),
      { check: "function create-order", status: "problem" },
    ],
    [
      "a mapping that somebody disabled",
      () => Object.assign(deployed().mappings[0]!, { State: "Disabled" }),
      {
        check: "inbox to process-callback",
        status: "problem",
        action: expect.stringMatching(
          /^aws lambda update-event-source-mapping --uuid 7f1c.+ --enabled$/,
        ),
      },
    ],
    [
      "a mapping without failures per message",
      () => Object.assign(deployed().mappings[0]!, { FunctionResponseTypes: [] }),
      { check: "inbox to process-callback", status: "problem" },
    ],
    [
      "a mapping of another queue only",
      () => Object.assign(deployed().mappings[0]!, { EventSourceArn: "arn:aws:sqs:us-east-1:1:x" }),
      {
        check: "inbox to process-callback",
        status: "problem",
        message: /^No event source mapping/,
      },
    ],
    [
      "a stack without alarms",
      () => deployed().alarms.splice(0),
      { check: "alarms", status: "problem", message: "The stack has no alarms." },
    ],
    [
      "an alarm without a target",
      () => Object.assign(deployed().alarms[0]!, { AlarmActions: [] }),
      { check: "alarms", status: "warning", message: "1 of 2 alarms notify nobody." },
    ],
    [
      "an alarm that rings",
      () =>
        deployed().alarms.push({
          ...soundAlarm("Paycast-Refused"),
          StateValue: "ALARM",
          AlarmDescription: "Callbacks were refused. Check the keys.",
        }),
      {
        check: "alarms",
        status: "problem",
        message: "Paycast-Refused is in alarm.",
        action: "Callbacks were refused. Check the keys.",
      },
    ],
    [
      "an inbox that shows a message again too soon",
      () => deployed().queueAttributes.set(inboxUrl(), { VisibilityTimeout: "30" }),
      { check: "inbox", status: "problem", message: /^VisibilityTimeout is 30/ },
    ],
    [
      "a queue without dead letters",
      () => deployed().queueAttributes.set(historyUrl(), { RedrivePolicy: "" }),
      {
        check: "queue of order-history",
        status: "problem",
        message: "The queue has no dead letters.",
      },
    ],
    [
      "a queue with the dead letters of another",
      () =>
        deployed().queueAttributes.set(historyUrl(), {
          RedrivePolicy: JSON.stringify({
            deadLetterTargetArn: "arn:other",
            maxReceiveCount: "10",
          }),
        }),
      {
        check: "queue of order-history",
        status: "problem",
        message: /^Its dead letters go to arn:other/,
      },
    ],
    [
      "a queue that others may name as their dead-letter queue",
      () => {
        const RedriveAllowPolicy = JSON.stringify({ redrivePermission: "allowAll" });
        deployed().queueAttributes.set(inboxUrl(), { RedriveAllowPolicy });
      },
      { check: "inbox", status: "problem", message: /^Other queues may name it/ },
    ],
    [
      "a queue that forgets messages early",
      () => deployed().queueAttributes.set(historyUrl(), { MessageRetentionPeriod: "345600" }),
      { check: "queue of order-history", status: "warning" },
    ],
    [
      "a queue without encryption",
      () => deployed().queueAttributes.set(inboxUrl(), { SqsManagedSseEnabled: "false" }),
      { check: "inbox", status: "problem", message: "The queue is not encrypted." },
    ],
    [
      "a queue that everybody may read",
      () => deployed().queueAttributes.set(inboxUrl(), { Policy: policyFor("*", "sqs:*") }),
      { check: "inbox", status: "problem", message: "The queue's policy lets everybody do sqs:*." },
    ],
    [
      "a queue that everybody in the account may send to",
      () => {
        const [denyPlainHttp, , denyReaders] = soundPolicy.Statement;
        const Statement = [denyPlainHttp, denyReaders];
        const Policy = JSON.stringify({ ...soundPolicy, Statement });
        deployed().queueAttributes.set(historyUrl(), { Policy });
      },
      { check: "queue of order-history", status: "problem", message: /^Everybody in the account/ },
    ],
    [
      "a refusal of senders that a further condition weakens",
      () => {
        const [denyPlainHttp, denyStrangers, denyReaders] = soundPolicy.Statement;
        const weak = { ...denyStrangers.Condition, StringEquals: { "aws:PrincipalTag/a": "b" } };
        const Statement = [denyPlainHttp, { ...denyStrangers, Condition: weak }, denyReaders];
        const Policy = JSON.stringify({ ...soundPolicy, Statement });
        deployed().queueAttributes.set(inboxUrl(), { Policy });
      },
      { check: "inbox", status: "problem", message: /^Everybody in the account/ },
    ],
    [
      "a queue that takes nothing from process-callback, since the role is missing in its policy",
      () => {
        const text = JSON.stringify(soundPolicy).replace(`"${functionRole}",`, "");
        deployed().queueAttributes.set(historyUrl(), { Policy: text });
      },
      {
        check: "queue of order-history",
        status: "problem",
        message: "The queue's policy does not let process-callback send.",
      },
    ],
    [
      "a queue whose policy refuses the role of process-callback by name",
      () => {
        const Policy = policyWith({
          Sid: "Closed",
          Effect: "Deny",
          Principal: { AWS: functionRole },
          Action: ["sqs:Send*", "sqs:ReceiveMessage"],
        });
        deployed().queueAttributes.set(historyUrl(), { Policy });
      },
      {
        check: "queue of order-history",
        status: "problem",
        message: "The queue's policy does not let process-callback send (statement Closed).",
      },
    ],
    [
      "an inbox that refuses the whole account, but for reading",
      () => {
        const Principal = { AWS: functionRole.replace(/role.*$/, "root") };
        const NotAction = "sqs:ReceiveMessage";
        const Policy = policyWith({ Effect: "Deny", Principal, NotAction });
        deployed().queueAttributes.set(inboxUrl(), { Policy });
      },
      { check: "inbox", status: "problem", message: /does not let receive-callback send\.$/ },
    ],
    [
      "a queue whose policy refuses under a condition that only AWS can judge",
      () => {
        const Condition = { IpAddress: { "aws:SourceIp": "10.0.0.0/8" } };
        const statement = { Effect: "Deny", Principal: "*", Action: "sqs:*", Condition };
        deployed().queueAttributes.set(historyUrl(), { Policy: policyWith(statement) });
      },
      { check: "queue of order-history", status: "warning", message: /does not always let/ },
    ],
    [
      "an inbox whose messages everybody in the account may take",
      () => {
        const [denyPlainHttp, denyStrangers, denyReaders] = soundPolicy.Statement;
        const { Action } = denyReaders;
        const fewer = { ...denyReaders, Action: Action.filter((one) => one !== "sqs:PurgeQueue") };
        const Statement = [denyPlainHttp, denyStrangers, fewer];
        const Policy = JSON.stringify({ ...soundPolicy, Statement });
        deployed().queueAttributes.set(inboxUrl(), { Policy });
      },
      { check: "inbox", status: "problem", message: /can take messages out of the queue\.$/ },
    ],
    [
      "an inbox that process-callback may not read",
      () => {
        const another = functionRole.replace("FunctionRole", "OtherRole");
        const [denyPlainHttp, denyStrangers, denyReaders] = soundPolicy.Statement;
        const Condition = { ArnNotLike: { "aws:PrincipalArn": [another] } };
        const Statement = [denyPlainHttp, denyStrangers, { ...denyReaders, Condition }];
        const Policy = JSON.stringify({ ...soundPolicy, Statement });
        deployed().queueAttributes.set(inboxUrl(), { Policy });
      },
      {
        check: "inbox",
        status: "problem",
        message:
          "The queue's policy does not let process-callback receive (statement OnlyItsFunctionReads).",
      },
    ],
    [
      "an operator of another account",
      () => {
        const Policy = JSON.stringify(soundPolicy).replace(
          operatorRole,
          "arn:aws:iam::999999999999:role/on-call",
        );
        deployed().queueAttributes.set(inboxUrl(), { Policy });
      },
      {
        check: "operators",
        status: "problem",
        message:
          "arn:aws:iam::999999999999:role/on-call is a role of another account and cannot send to the queues.",
      },
    ],
    [
      "a stack that lets nobody send by hand",
      () => {
        const text = JSON.stringify(soundPolicy).replace(`,"${operatorRole}"`, "");
        deployed().queueAttributes.set(inboxUrl(), { Policy: text });
      },
      { check: "operators", status: "warning", message: /^Nobody may redrive or replay/ },
    ],
    [
      "a table that cannot be restored",
      () => deployed().unrestorable.add(operated.stack().description.tables.orders),
      { check: "table of orders", status: "problem" },
    ],
    [
      "a table that can be deleted",
      () => deployed().unprotected.add(operated.stack().description.tables.callbacks),
      { check: "table of callbacks", status: "warning", message: /deletion protection is off\.$/ },
    ],
  ];
}

export function policyFor(principal: unknown, Action: unknown): string {
  return policyWith({ Effect: "Allow", Principal: principal, Action });
}

function policyWith(statement: object): string {
  return JSON.stringify({ ...soundPolicy, Statement: [...soundPolicy.Statement, statement] });
}
