import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type FunctionName, functionNames } from "../../infra/config/function-names.ts";
import { bundleFunctions } from "../../infra/lambda/bundle.ts";
import { everyOption } from "./every-option.ts";
import {
  functionNamed,
  permissionsOf,
  propertiesOf,
  resourcesOf,
  smokeAndCapture,
  stackInWords,
} from "./stack-template.ts";

const template = stackInWords();
const withQueuesForADay = stackInWords(smokeAndCapture);

const requestKeys = ["KeysRequestKeysM1", "KeysRequestKeysM2"].map(
  (secret) => `secretsmanager:GetSecretValue ${secret}`,
);
const ordersByKey = ["dynamodb:GetItem RecordsOrders", "dynamodb:PutItem RecordsOrders"];
const readStampKey = "secretsmanager:GetSecretValue KeysStampKey";
const toInbox = [readStampKey, "sqs:SendMessage InboxMessagesQueue"];

/** A notice has a key that no receipt can have. */
const onlyNotices = `dynamodb:PutItem RecordsCallbacks if ${JSON.stringify({
  "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["#notice#*"] },
})}`;

/** What smoke tests and captured envelopes need in addition. */
const forADay: Partial<Record<FunctionName, string[]>> = {
  "receive-callback": [
    "secretsmanager:GetSecretValue KeysCallbackKeyspaycastsmoke",
    "sqs:SendMessage IntakeCaptured",
  ],
  "process-callback": ["sqs:SendMessage Subscriberspaycastsmoke"],
};

describe("each function's role", () => {
  test.each<[name: FunctionName, does: string, logs: string, permissions: string[]]>([
    [
      "receive-callback",
      "read callback keys and write to the inbox",
      "IntakeReceiveCallbackLogs",
      [
        "secretsmanager:GetSecretValue KeysCallbackKeysM1",
        "secretsmanager:GetSecretValue KeysCallbackKeysM2",
        ...toInbox,
      ],
    ],
    [
      "process-callback",
      "write records, read the inbox and send to subscribers",
      "ProcessingProcessCallbackLogs",
      [
        readStampKey,
        "dynamodb:GetItem RecordsCallbacks",
        "dynamodb:PutItem RecordsCallbacks",
        "dynamodb:UpdateItem RecordsCallbacks",
        ...ordersByKey,
        ...["ReceiveMessage", "DeleteMessage", "ChangeMessageVisibility", "GetQueueAttributes"].map(
          (action) => `sqs:${action} InboxMessagesQueue`,
        ),
        "sqs:SendMessage InboxMessagesDeadLetters",
        "sqs:SendMessage SubscribersfulfilmentQueue",
        "sqs:SendMessage SubscribersanalyticsQueue",
      ],
    ],
    [
      "count-attention",
      "read the index of what needs a person",
      "AttentionCountAttentionLogs",
      ["dynamodb:Query RecordsCallbacks/index/by-attention"],
    ],
    [
      "create-order",
      "write orders and notices and read request keys",
      "StorefrontCreateOrderLogs",
      [...ordersByKey, onlyNotices, ...requestKeys],
    ],
    [
      "query-order",
      "read orders and request keys and write to the inbox",
      "StorefrontQueryOrderLogs",
      [...ordersByKey, ...requestKeys, ...toInbox],
    ],
    [
      "reconcile-orders",
      "find due orders, read request keys, and write to the inbox and notices",
      "ReconciliationReconcileOrdersLogs",
      [
        ...ordersByKey,
        onlyNotices,
        "dynamodb:Query RecordsOrders/index/by-due",
        "dynamodb:Query RecordsOrders/index/by-early",
        ...requestKeys,
        ...toInbox,
      ],
    ],
  ])("lets %s %s, and no more", (name, _case, logs, permissions) => {
    const onLogs = [`logs:CreateLogStream ${logs}`, `logs:PutLogEvents ${logs}`];
    const allowed = [...onLogs, ...permissions].map((permission) => `Allow ${permission}`);
    expect(permissionsOf(template, name)).toEqual(allowed.sort());
    const added = (forADay[name] ?? []).map((permission) => `Allow ${permission}`);
    expect(permissionsOf(withQueuesForADay, name)).toEqual([...allowed, ...added].sort());
  });
});

describe("the stack's permissions as a whole", () => {
  test("gives every function a role of its own, which only Lambda can take, without policies elsewhere", () => {
    const roles = propertiesOf(template, "AWS::IAM::Role");
    const functions = Object.values(propertiesOf(template, "AWS::Lambda::Function"));
    expect(functions.map(({ Role }) => Role).sort()).toEqual(Object.keys(roles).sort());
    const statement = { Action: "sts:AssumeRole", Effect: "Allow" };
    const Statement = [{ ...statement, Principal: { Service: "lambda.amazonaws.com" } }];
    for (const role of Object.values(roles)) {
      expect(role).not.toHaveProperty("ManagedPolicyArns");
      expect(role.AssumeRolePolicyDocument.Statement).toEqual(Statement);
    }
    expect(resourcesOf(template, "AWS::IAM::Policy")).toEqual([]);
    expect(resourcesOf(template, "AWS::IAM::ManagedPolicy")).toEqual([]);
  });

  test("grants sending to the dead letters alone when there are no subscribers", () => {
    const alone = stackInWords({ subscribers: [] });
    const sends = permissionsOf(alone, "process-callback").filter((line) =>
      line.includes("sqs:SendMessage"),
    );
    expect(sends).toEqual(["Allow sqs:SendMessage InboxMessagesDeadLetters"]);
  });
});

const networkActions = [
  "CreateNetworkInterface",
  "DeleteNetworkInterface",
  "DescribeNetworkInterfaces",
  "AssignPrivateIpAddresses",
  "UnassignPrivateIpAddresses",
  "DescribeSubnets",
].map((action) => `ec2:${action}`);

describe("with every option", () => {
  const full = stackInWords(everyOption);
  const { subnetIds, securityGroupIds } = everyOption.egress!;

  test.each(functionNames)(
    "%s leaves the stack by the network only to call the service",
    (name) => {
      const isCaller = ["create-order", "query-order", "reconcile-orders"].includes(name);
      const { VpcConfig } = functionNamed(full, name).Properties;
      const network = { SubnetIds: subnetIds, SecurityGroupIds: securityGroupIds };
      expect(VpcConfig).toEqual(isCaller ? network : undefined);
      const wild = permissionsOf(full, name).filter((line) => line.endsWith(" *"));
      // What Lambda may do with the role, the function's own code may not.
      const lines = isCaller
        ? networkActions.flatMap((action) => [`Allow ${action} *`, `Deny ${action} *`])
        : [];
      const tracing = ["Allow xray:PutTelemetryRecords *", "Allow xray:PutTraceSegments *"];
      expect(wild).toEqual([...lines, ...tracing].sort());
    },
  );

  test("the network is denied only to the code of functions, not to Lambda", () => {
    const role = JSON.stringify(full.Resources["StorefrontCreateOrderRole"]);
    expect(role).toMatch(/"Condition":\{"ArnLike":\{"lambda:SourceFunctionArn":.*function:\*/);
  });
});

const code = new Map<string, string>();

beforeAll(async () => {
  for (const { name, directory } of await bundleFunctions(functionNames)) {
    code.set(name, readFileSync(join(directory, "index.mjs"), "utf8"));
  }
});

/** Every operation of AWS that is left in a bundle: what nothing calls has been shaken out of it. */
function operationsIn(bundle: string): Set<string> {
  const commands = bundle.matchAll(/extends [\w$]+\([^()]*,"([A-Z]\w+)",[\w$]+\)\{\}/g);
  // The batch form of an SQS call needs the permission of the single one.
  const operations = new Set([...commands].map(([, name]) => name!.replace(/Batch$/, "")));
  // The DynamoDB client brings it along for the discovery of endpoints, which is off.
  operations.delete("DescribeEndpoints");
  if (operations.delete("TransactWriteItems")) {
    // A transaction needs the permissions of its parts.
    for (const [, part] of bundle.matchAll(/[{,](Put|Update|Delete):/g))
      operations.add(`${part}Item`);
    if (/[{,]ConditionCheck:/.test(bundle)) operations.add("ConditionCheckItem");
  }
  return operations;
}

/** What Lambda itself does on the function's behalf; the function may do some of it too. */
const byLambda = new Set([
  "logs:CreateLogStream",
  "logs:PutLogEvents",
  "xray:PutTraceSegments",
  "xray:PutTelemetryRecords",
  "sqs:ReceiveMessage",
  "sqs:DeleteMessage",
  "sqs:ChangeMessageVisibility",
  "sqs:GetQueueAttributes",
]);

describe("least privilege", () => {
  test.each(functionNames)(
    "%s may call the operations that its code calls, and no others",
    (name) => {
      const called = operationsIn(code.get(name)!);
      const allowed = permissionsOf(template, name).flatMap((line) => {
        const action = line.split(" ")[1]!;
        const operation = action.split(":")[1]!;
        return byLambda.has(action) && !called.has(operation) ? [] : [operation];
      });
      expect(new Set(allowed)).toEqual(called);
    },
  );
});
