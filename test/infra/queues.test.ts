import { describe, expect, test } from "vitest";
import { functionNames } from "../../infra/config/function-names.ts";
import { defaultMaxReceiveCount } from "../../shared/consumer/handle-batch.ts";
import { longestRetryMilliseconds, processTimeoutMilliseconds } from "../../shared/timing.ts";
import { messageOf } from "../builders/thrown-by.ts";
import { everyOption } from "./every-option.ts";
import {
  deletedWithStack,
  endsOf,
  functionNamed,
  keptOnceMade,
  permissionsOf,
  propertiesOf,
  smokeAndCapture,
  stackInWords,
  synthesizeTemplate,
} from "./stack-template.ts";

const stack = stackInWords(smokeAndCapture);
const full = stackInWords(everyOption);
const daySeconds = 24 * 3600;

const ordered = {
  FifoQueue: true,
  ContentBasedDeduplication: false,
  DeduplicationScope: "messageGroup",
  FifoThroughputLimit: "perMessageGroupId",
};
const encrypted = { SqsManagedSseEnabled: true, MaximumMessageSize: 1_048_576 };
const kept = { ...encrypted, MessageRetentionPeriod: 14 * daySeconds };
/** No queue may name it as its dead-letter queue. */
const noForeignLetters = { RedriveAllowPolicy: { redrivePermission: "denyAll" } };
const forADay = {
  ...encrypted,
  ...ordered,
  ...noForeignLetters,
  MessageRetentionPeriod: daySeconds,
};

const pair = (id: string, shape: object, maxReceiveCount: number) => ({
  [`${id}DeadLetters`]: { ...kept, ...shape },
  [`${id}Queue`]: {
    ...kept,
    ...shape,
    ...noForeignLetters,
    VisibilityTimeout: 180,
    RedrivePolicy: { deadLetterTargetArn: `${id}DeadLetters`, maxReceiveCount },
  },
});
const pairs = ["InboxMessages", "Subscribersfulfilment", "Subscribersanalytics"];
const keptQueues = pairs.flatMap((id) => [`${id}DeadLetters`, `${id}Queue`]);
const shortLived = ["Subscriberspaycastsmoke", "IntakeCaptured"];

describe("the queues", () => {
  test("are encrypted, in pairs for 14 days or without dead letters for a day, and no queue may name them as its dead letters", () => {
    expect(propertiesOf(stack, "AWS::SQS::Queue")).toEqual({
      ...pair("InboxMessages", ordered, 1000),
      ...pair("Subscribersfulfilment", ordered, defaultMaxReceiveCount),
      ...pair("Subscribersanalytics", {}, defaultMaxReceiveCount),
      Subscriberspaycastsmoke: forADay,
      IntakeCaptured: forADay,
    });
    expect(defaultMaxReceiveCount).toBe(10);
  });

  test("outlive the stack with their policies, so that their readers still get in, except for those of a day", () => {
    const queues = [...keptQueues.map(keptOnceMade), ...shortLived.map(deletedWithStack)];
    expect(endsOf(stack, "AWS::SQS::Queue")).toEqual(queues.sort());
    const kept = keptQueues.map((id) => keptOnceMade(`${id}Policy`));
    expect(endsOf(stack, "AWS::SQS::QueuePolicy")).toEqual(expect.arrayContaining(kept));
  });

  test("hide a message for six times the function's timeout, and the inbox gives up after half a day", () => {
    expect(6 * processTimeoutMilliseconds).toBe(180_000);
    expect(1000 * longestRetryMilliseconds).toBeGreaterThan((daySeconds / 2) * 1000);
  });

  test("feed process-callback from the inbox in batches that may fail in part, as many at once as the config says", () => {
    const mapping = {
      EventSourceArn: "InboxMessagesQueue",
      FunctionName: "ProcessingProcessCallbackFunction",
      BatchSize: 10,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
    };
    for (const [MaximumConcurrency, changes] of [
      [5, {}],
      [40, { concurrency: { inbox: 40 } }],
    ] as const) {
      const found = propertiesOf(stackInWords(changes), "AWS::Lambda::EventSourceMapping");
      expect(Object.values(found)).toEqual([{ ...mapping, ScalingConfig: { MaximumConcurrency } }]);
    }
  });
});

const operator = everyOption.operators![0]!;
const teamRole = everyOption.subscribers[0]!.operators![0]!;
const receiver = "IntakeReceiveCallbackRole";
const processor = "ProcessingProcessCallbackRole";
const askers = ["StorefrontQueryOrderRole", "ReconciliationReconcileOrdersRole"];
const readers = everyOption.subscribers[0]!.readers!.map(
  (account) => `arn:AWS::Partition:iam::${account}:root`,
);

const refusal = { Effect: "Deny", Principal: { AWS: "*" } };
const overTls = {
  ...refusal,
  Action: "sqs:*",
  Condition: { Bool: { "aws:SecureTransport": "false" } },
};
/** By a condition on roles: NotPrincipal does not know the sessions of a role. */
const onlyFrom = (...roles: string[]) => ({
  ...refusal,
  Sid: "OnlyKnownSenders",
  Action: "sqs:SendMessage",
  Condition: { ArnNotLike: { "aws:PrincipalArn": roles } },
});
/** Without `sqs:SetQueueAttributes` and `sqs:DeleteQueue`: CloudFormation needs them. */
const readOnlyBy = (role: string) => ({
  ...refusal,
  Sid: "OnlyItsFunctionReads",
  Action: ["ChangeMessageVisibility", "DeleteMessage", "PurgeQueue", "ReceiveMessage"].map(
    (action) => `sqs:${action}`,
  ),
  Condition: { ArnNotLike: { "aws:PrincipalArn": [role] } },
});
const mayRead = {
  Effect: "Allow",
  Principal: { AWS: readers },
  Action: ["ChangeMessageVisibility", "DeleteMessage", "GetQueueAttributes"]
    .concat("GetQueueUrl", "ReceiveMessage")
    .map((action) => `sqs:${action}`),
};

const isOnSending = (statement: object) => JSON.stringify(statement).includes("OnlyKnownSenders");

/** The statements about each queue, which all name that queue and no other. */
function statementsIn(template: typeof stack): Record<string, object[]> {
  const policies = Object.values(propertiesOf(template, "AWS::SQS::QueuePolicy"));
  const statements = policies.map(({ Queues: [queue, ...others], PolicyDocument }) => {
    expect(others).toEqual([]);
    return [
      queue,
      PolicyDocument.Statement.map(({ Resource, ...statement }: { Resource: string }) => {
        expect(Resource).toBe(queue);
        return statement;
      }),
    ];
  });
  return Object.fromEntries(statements);
}

describe("the policies of the queues", () => {
  const byQueue = {
    InboxMessagesQueue: [overTls, readOnlyBy(processor), onlyFrom(receiver, ...askers, operator)],
    InboxMessagesDeadLetters: [overTls, onlyFrom(processor, operator)],
    SubscribersfulfilmentQueue: [overTls, mayRead, onlyFrom(processor, operator, teamRole)],
    SubscribersfulfilmentDeadLetters: [overTls, mayRead, onlyFrom(operator)],
    SubscribersanalyticsQueue: [overTls, onlyFrom(processor, operator)],
    SubscribersanalyticsDeadLetters: [overTls, onlyFrom(operator)],
    Subscriberspaycastsmoke: [overTls, onlyFrom(processor, operator)],
    IntakeCaptured: [overTls, onlyFrom(receiver, operator)],
  };

  test("let the functions that send there and operators send over TLS, named accounts read, and only process-callback read the inbox", () => {
    expect(statementsIn(full)).toEqual(byQueue);
    const queues = Object.keys(propertiesOf(full, "AWS::SQS::Queue"));
    expect(Object.keys(byQueue).sort()).toEqual(queues.sort());
  });

  test("name exactly the functions that have the permission to send", () => {
    const granted = functionNames.flatMap((name) => {
      const { Role } = functionNamed(full, name).Properties;
      const lines = permissionsOf(full, name).map((line) => line.split(" "));
      return lines.flatMap(([, action, queue]) =>
        action === "sqs:SendMessage" ? [`${Role} ${queue}`] : [],
      );
    });
    const named = Object.entries(byQueue).flatMap(([queue, statements]) =>
      [receiver, processor, ...askers]
        .filter((role) => JSON.stringify(statements.filter(isOnSending)).includes(role))
        .map((role) => `${role} ${queue}`),
    );
    expect(granted.sort()).toEqual(named.sort());
  });

  test("leave it to IAM who may send if no operators are named, and still let only process-callback read the inbox", () => {
    const alone = statementsIn(stackInWords({ ...everyOption, operators: [] }));
    expect(alone).toEqual({
      InboxMessagesQueue: [overTls, readOnlyBy(processor)],
      InboxMessagesDeadLetters: [overTls],
      SubscribersfulfilmentQueue: [overTls, mayRead],
      SubscribersfulfilmentDeadLetters: [overTls, mayRead],
      SubscribersanalyticsQueue: [overTls],
      SubscribersanalyticsDeadLetters: [overTls],
      Subscriberspaycastsmoke: [overTls],
      IntakeCaptured: [overTls],
    });
  });
});

describe("a queue policy over SQS's limits", () => {
  const fulfilment = { name: "fulfilment", types: ["*" as const] };
  const accounts = (count: number) =>
    Array.from({ length: count }, (_item, index) => String(210_000_000_000 + index));
  const roles = (count: number, length: number) =>
    Array.from({ length: count }, (_item, index) =>
      `arn:aws:iam::123456789012:role/${index}-`.padEnd(length, "x"),
    );
  const refusalOf = (changes: Parameters<typeof synthesizeTemplate>[0]) =>
    messageOf(() => synthesizeTemplate(changes));

  test.each([
    [
      "readers",
      { operators: [], subscribers: [{ ...fulfilment, readers: accounts(50) }] },
      "operators, and readers and operators of subscriber fulfilment, must be shorter: a queue's policy would take 51 principals, and SQS allows 50",
    ],
    [
      "readers and operators together",
      {
        operators: roles(20, 150),
        subscribers: [{ ...fulfilment, readers: accounts(40), operators: roles(20, 150) }],
      },
      /^operators, and readers and operators of subscriber fulfilment, must be shorter: a queue's policy would take 9\d{3} bytes, and SQS allows 8192$/,
    ],
    [
      "operators",
      { operators: roles(20, 500) },
      /^operators must be shorter: a queue's policy would take 1\d{4} bytes, and SQS allows 8192$/,
    ],
  ])("is refused for too many %s, by name", (_case, changes, message) => {
    expect(refusalOf(changes)).toMatch(message);
  });

  test("is far away for the readers and operators that a team has", () => {
    const subscribers = [{ ...fulfilment, readers: accounts(10), operators: roles(10, 130) }];
    expect(refusalOf({ operators: roles(20, 130), subscribers })).toBe("accepted");
    const most = [{ ...fulfilment, readers: accounts(48) }];
    expect(refusalOf({ subscribers: most })).toBe("accepted");
  });
});
