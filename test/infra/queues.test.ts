import { describe, expect, test } from "vitest";
import { functionNames } from "../../infra/config/function-names.ts";
import { defaultMaxReceiveCount } from "../../shared/consumer/handle-batch.ts";
import { longestRetryMilliseconds, processTimeoutMilliseconds } from "../../shared/timing.ts";
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
const encrypted = { SqsManagedSseEnabled: true };
const kept = { ...encrypted, MessageRetentionPeriod: 14 * daySeconds };
/** No queue may name it as its dead-letter queue. */
const noForeignLetters = { RedriveAllowPolicy: { redrivePermission: "denyAll" } };
const forADay = {
  ...{ ...encrypted, ...ordered, ...noForeignLetters },
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
  ...{ ...refusal, Action: "sqs:*" },
  Condition: { Bool: { "aws:SecureTransport": "false" } },
};
/** By a condition on roles: NotPrincipal does not know the sessions of a role. */
const onlyFrom = (...roles: string[]) => ({
  ...{ ...refusal, Sid: "OnlyKnownSenders", Action: "sqs:SendMessage" },
  ...(roles.length > 0 && { Condition: { ArnNotLike: { "aws:PrincipalArn": roles } } }),
});
const mayRead = {
  ...{ Effect: "Allow", Principal: { AWS: readers } },
  Action: ["ChangeMessageVisibility", "DeleteMessage", "GetQueueAttributes"]
    .concat("GetQueueUrl", "ReceiveMessage")
    .map((action) => `sqs:${action}`),
};

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
    InboxMessagesQueue: [overTls, onlyFrom(receiver, ...askers, operator)],
    InboxMessagesDeadLetters: [overTls, onlyFrom(processor, operator)],
    SubscribersfulfilmentQueue: [overTls, mayRead, onlyFrom(processor, operator, teamRole)],
    SubscribersfulfilmentDeadLetters: [overTls, mayRead, onlyFrom(operator)],
    SubscribersanalyticsQueue: [overTls, onlyFrom(processor, operator)],
    SubscribersanalyticsDeadLetters: [overTls, onlyFrom(operator)],
    Subscriberspaycastsmoke: [overTls, onlyFrom(processor, operator)],
    IntakeCaptured: [overTls, onlyFrom(receiver, operator)],
  };

  test("let the functions that send there and operators send over TLS, and named accounts read", () => {
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
        .filter((role) => JSON.stringify(statements).includes(role))
        .map((role) => `${role} ${queue}`),
    );
    expect(granted.sort()).toEqual(named.sort());
  });

  test("let nobody send dead letters by hand if no operators are named", () => {
    const alone = statementsIn(stackInWords({ operators: [] }));
    expect(alone["InboxMessagesQueue"]).toEqual([overTls, onlyFrom(receiver, ...askers)]);
    expect(alone["SubscribersanalyticsDeadLetters"]).toEqual([overTls, onlyFrom()]);
  });
});
