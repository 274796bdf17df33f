import { readFileSync } from "node:fs";
import { Stack, Annotations as WarningsOf } from "aws-cdk-lib";
import { Annotations, Match } from "aws-cdk-lib/assertions";
import { Alias, Key } from "aws-cdk-lib/aws-kms";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Topic } from "aws-cdk-lib/aws-sns";
import { describe, expect, test } from "vitest";
import type { PaycastProps } from "../../infra/config/paycast-props.ts";
import { PaycastConsumer } from "../../infra/consuming/paycast-consumer.ts";
import { messageOf } from "../builders/thrown-by.ts";
import { newApp, newFunction, newPaycast, paycastIn } from "./consuming/consumer-stack.ts";
import { type Resource, resourcesOf, type StackTemplate } from "./stack-template.ts";

const gateway = { baseUrl: "https://payments.example.com" };
const region = "eu-west-1";
const readers = ["210987654321"];
const env = { account: "123456789012", region };
const arn = (name: string) => `arn:aws:secretsmanager:${region}:123456789012:secret:${name}`;

const encryptionKeyArn = `arn:aws:kms:${region}:123456789012:key/k-1`;

/** The construct in a stack that may make the resources that it is given. */
function templateWith(propsIn: (stack: Stack) => Partial<PaycastProps>): StackTemplate {
  const app = newApp();
  const stack = new Stack(app, "Payments", { env });
  paycastIn(stack, { gateway, ...propsIn(stack) });
  return app.synth().getStackByName("Payments").template;
}

type Statement = {
  Action: string | string[];
  Resource: unknown;
  Condition?: object;
  Principal?: object;
};

function statementsOf(template: StackTemplate, functionId: string): Statement[] {
  const roles = resourcesOf(template, "AWS::IAM::Role").filter(([id]) => id.includes(functionId));
  return roles[0]![1].Properties.Policies[0].PolicyDocument.Statement;
}

const through = (service: string) => {
  return { StringEquals: { "kms:ViaService": `${service}.${region}.amazonaws.com` } };
};
const keyUsesOf = (template: StackTemplate, functionId: string) =>
  statementsOf(template, functionId).filter(({ Action }) => [Action].flat()[0]!.startsWith("kms:"));

describe("secrets that exist already", () => {
  const existing = {
    M1: { callbackKeysArn: arn("callbacks-a1B2c3"), requestKeysArn: arn("requests-d4E5f6") },
  };

  test("are read by the functions that need them, and not made again", () => {
    const template = templateWith(() => ({ secrets: existing }));
    expect(resourcesOf(template, "AWS::SecretsManager::Secret")).toEqual([]);
    const receive = JSON.stringify(statementsOf(template, "ReceiveCallback"));
    expect(receive).toContain(existing.M1.callbackKeysArn);
    expect(receive).not.toContain(existing.M1.requestKeysArn);
    expect(JSON.stringify(statementsOf(template, "CreateOrder"))).toContain(
      existing.M1.requestKeysArn,
    );
    expect(template.Outputs["CallbackKeysM1"]?.Value).toBe(existing.M1.callbackKeysArn);
    const variables = JSON.stringify(resourcesOf(template, "AWS::Lambda::Function"));
    expect(variables).toContain("callbacks-a1B2c3");
  });

  test("may be some of all: the stack makes the rest", () => {
    const { callbackKeysArn } = existing.M1;
    const template = templateWith(() => ({ secrets: { M1: { callbackKeysArn } } }));
    const made = resourcesOf(template, "AWS::SecretsManager::Secret").map(([id]) => id);
    expect(made).toEqual([expect.stringContaining("RequestKeysM1")]);
  });

  test("may come from another construct of the app", () => {
    const template = templateWith((stack) => ({
      secrets: { M1: { callbackKeysArn: new Secret(stack, "Own").secretArn } },
    }));
    expect(JSON.stringify(statementsOf(template, "ReceiveCallback"))).toMatch(/"Ref":"Own\w+"/);
  });

  test("with a key of their own can be decrypted, through Secrets Manager only", () => {
    const template = templateWith(() => ({
      secrets: { M1: { ...existing.M1, encryptionKeyArn } },
    }));
    for (const name of ["ReceiveCallback", "CreateOrder", "QueryOrder", "ReconcileOrders"]) {
      expect(keyUsesOf(template, name)).toEqual([
        {
          Effect: "Allow",
          Action: "kms:Decrypt",
          Resource: encryptionKeyArn,
          Condition: through("secretsmanager"),
        },
      ]);
    }
    expect(keyUsesOf(template, "ProcessCallback")).toEqual([]);
  });
});

describe("a KMS key of one's own", () => {
  const subscribers: PaycastProps["subscribers"] = [{ name: "ledger", types: ["*"], readers }];
  const withOwnKey = (stack: Stack) => ({ encryptionKey: new Key(stack, "Own"), subscribers });
  const captureUntil = new Date(Date.now() + 24 * 3_600_000).toISOString();
  /** With all queues that there can be. */
  const template = templateWith((stack) => ({
    ...withOwnKey(stack),
    smoke: true,
    callbacks: { captureUntil },
  }));
  const keyPolicy: Statement[] = resourcesOf(template, "AWS::KMS::Key")[0]![1].Properties.KeyPolicy
    .Statement;
  const ownKey = { "Fn::GetAtt": [expect.stringMatching(/^Own/), "Arn"] };

  test("encrypts every queue, table, secret and log", () => {
    const keyOf: Record<string, (properties: Resource["Properties"]) => unknown> = {
      "AWS::SQS::Queue": (queue) => queue["KmsMasterKeyId"],
      "AWS::DynamoDB::Table": (table) => table["SSESpecification"]["KMSMasterKeyId"],
      "AWS::SecretsManager::Secret": (secret) => secret["KmsKeyId"],
      "AWS::Logs::LogGroup": (log) => log["KmsKeyId"],
    };
    for (const [type, read] of Object.entries(keyOf)) {
      const resources = resourcesOf(template, type);
      expect(resources.length, type).toBeGreaterThan(1);
      for (const [id, { Properties }] of resources) expect(read(Properties), id).toEqual(ownKey);
    }
    expect(JSON.stringify(template)).not.toContain("SqsManagedSseEnabled");
  });

  test.each([
    ["ReceiveCallback", ["sqs", "secretsmanager"]],
    ["ProcessCallback", ["sqs", "dynamodb"]],
    ["CreateOrder", ["dynamodb", "secretsmanager"]],
    ["QueryOrder", ["sqs", "dynamodb", "secretsmanager"]],
    ["ReconcileOrders", ["sqs", "dynamodb", "secretsmanager"]],
  ])("may be used by %s through the services that it calls: %s", (name, services) => {
    const uses = keyUsesOf(template, name);
    expect(uses.map(({ Condition }) => Condition)).toEqual(services.map(through));
    for (const { Resource } of uses) expect(Resource).toEqual(ownKey);
  });

  test("may be used by a sender of messages to encrypt them", () => {
    const [onQueues] = keyUsesOf(template, "ReceiveCallback");
    expect([onQueues!.Action].flat().sort()).toEqual(["kms:Decrypt", "kms:GenerateDataKey"]);
  });

  test("lets readers in other accounts decrypt what they receive, and CloudWatch Logs write", () => {
    const foreign = keyPolicy.filter(({ Principal }) =>
      JSON.stringify(Principal).includes(readers[0]!),
    );
    expect(foreign).toMatchObject([{ Action: "kms:Decrypt", Condition: through("sqs") }]);
    const logs = keyPolicy.find(({ Principal }) => JSON.stringify(Principal).includes("logs."));
    expect(logs?.Principal).toEqual({ Service: `logs.${region}.amazonaws.com` });
    expect(JSON.stringify(logs?.Condition)).toContain(`:logs:${region}:123456789012:log-group:*`);
  });

  test("is granted to a consumer in another stack", () => {
    const app = newApp();
    const encryptionKey = new Key(new Stack(app, "Keys"), "Own");
    const queue = newPaycast(app, { encryptionKey }).subscriberQueue("ledger");
    const stack = new Stack(app, "Ledger");
    new PaycastConsumer(stack, "Events", { queue, function: newFunction(stack) });
    const policies = resourcesOf(app.synth().getStackByName("Ledger").template, "AWS::IAM::Policy");
    expect(JSON.stringify(policies)).toContain("kms:Decrypt");
  });

  test("that is imported encrypts every queue", () => {
    const queues = resourcesOf(
      templateWith(() => ({ encryptionKeyArn })),
      "AWS::SQS::Queue",
    );
    expect(queues.length).toBeGreaterThan(1);
    for (const [, queue] of queues) expect(queue.Properties.KmsMasterKeyId).toBe(encryptionKeyArn);
  });

  test("is named by an output, so that `npx paycast check` knows it", () => {
    expect(template.Outputs["EncryptionKeyArn"]?.Value).toEqual(ownKey);
  });

  test("that is imported is silent once its owner has acknowledged the warning", () => {
    const stack = new Stack(newApp(), "Payments", { env });
    const paycast = paycastIn(stack, { encryptionKeyArn });
    WarningsOf.of(paycast).acknowledgeWarning("paycast:keyPolicy");
    WarningsOf.of(paycast).acknowledgeWarning("paycast:alarmsUnheard");
    Annotations.fromStack(stack).hasNoWarning("*", Match.anyValue());
  });

  test("is refused twice, or as an alias", () => {
    const refusalOf = (propsIn: (stack: Stack) => Partial<PaycastProps>) =>
      messageOf(() => templateWith(propsIn));
    expect(refusalOf((stack) => ({ ...withOwnKey(stack), encryptionKeyArn }))).toContain(
      "\n  encryptionKeyArn must not be given beside encryptionKey",
    );
    const alias = (stack: Stack) =>
      new Alias(stack, "A", { aliasName: "alias/a", targetKey: new Key(stack, "K") });
    const aliasArn = `arn:aws:kms:${region}:123456789012:alias/a`;
    const imported = (stack: Stack) => Key.fromKeyArn(stack, "I", aliasArn);
    for (const made of [alias, imported]) {
      expect(refusalOf((stack) => ({ encryptionKey: made(stack) }))).toContain(
        "\n  encryptionKey must be a key, not an alias",
      );
    }
  });
});

test("a key or a topic of another region is refused, because a deployment would fail with it", () => {
  const elsewhere = (stack: Stack) => ({
    encryptionKey: Key.fromKeyArn(stack, "K", "arn:aws:kms:us-east-1:123456789012:key/k-1"),
    alarmTopic: Topic.fromTopicArn(stack, "T", "arn:aws:sns:us-east-1:123456789012:on-call"),
    morningAlarmTopic: Topic.fromTopicArn(stack, "M", "arn:aws:sns:us-east-1:123456789012:mail"),
  });
  expect(messageOf(() => templateWith(elsewhere))).toBe(
    "Payments/Paycast has props that are wrong:\n" +
      "  encryptionKey must be in eu-west-1, where the stack is deployed\n" +
      "  alarmTopic must be in eu-west-1, where the stack is deployed\n" +
      "  morningAlarmTopic must be in eu-west-1, where the stack is deployed",
  );
});

test.each<[string, (stack: Stack) => Partial<PaycastProps>, warning: string]>([
  [
    "of a key of another account, because its policy must let this one use it",
    () => ({ encryptionKeyArn: `arn:aws:kms:${region}:999956789012:key/k-1` }),
    "in account 999956789012.* let account 123456789012 use",
  ],
  [
    "of what the policy of an imported key must allow",
    () => ({ encryptionKeyArn, subscribers: [{ name: "ledger", types: ["*"], readers }] }),
    "let CloudWatch Logs use the key, and let 210987654321 decrypt",
  ],
  [
    "if the key of the alarms' topic cannot be changed, because alarms could start unheard",
    (stack) => ({
      alarmTopic: Topic.fromTopicAttributes(stack, "OnCall", {
        topicArn: `arn:aws:sns:${region}:123456789012:on-call`,
        keyArn: encryptionKeyArn,
      }),
    }),
    "KMS key of alarmTopic cannot be changed here.*cloudwatch",
  ],
])("the app warns %s", (_, propsIn, warning) => {
  const stack = new Stack(newApp(), "Payments", { env });
  paycastIn(stack, propsIn(stack));
  Annotations.fromStack(stack).hasWarning("/Payments/Paycast", Match.stringLikeRegexp(warning));
});

describe("a topic of the app", () => {
  test("gets every alarm, and CloudWatch may publish to it and use its key", () => {
    const template = templateWith((stack) => ({
      alarmTopic: new Topic(stack, "OnCall", {
        masterKey: new Key(stack, "TopicKey"),
        enforceSSL: true,
      }),
    }));
    for (const [, { Properties }] of resourcesOf(template, "AWS::CloudWatch::Alarm")) {
      expect(Properties.AlarmActions).toEqual([{ Ref: expect.stringMatching(/^OnCall/) }]);
      expect(Properties.OKActions).toEqual(Properties.AlarmActions);
    }
    const policies = resourcesOf(template, "AWS::SNS::TopicPolicy");
    expect(policies[0]![1].Properties.PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({
        Effect: "Allow",
        Action: "sns:Publish",
        Principal: { Service: "cloudwatch.amazonaws.com" },
        Condition: { StringEquals: { "aws:SourceAccount": env.account } },
      }),
    );
    const keys = JSON.stringify(resourcesOf(template, "AWS::KMS::Key"));
    expect(keys).toContain("cloudwatch.amazonaws.com");
  });

  test("is refused beside the ARN of another, and if it is FIFO", () => {
    const topicArn = `arn:aws:sns:${region}:123456789012:on-call`;
    const refusal = messageOf(() =>
      templateWith((stack) => ({
        alarmTopic: new Topic(stack, "OnCall", { fifo: true }),
        alarms: { topicArn },
      })),
    );
    expect(refusal).toContain("\n  alarms must not be given beside alarmTopic");
    expect(refusal).toContain("\n  alarmTopic must be a standard topic");
  });
});

const guide = readFileSync(new URL("../../docs/construct.md", import.meta.url), "utf8");

/** One spelling for what IAM reads alike: the order of statements and actions, a list of one. */
function comparable(
  statements: readonly { Action: string | string[]; Principal: { AWS?: string | string[] } }[],
) {
  return statements
    .map(({ Action, Principal, ...rest }) => {
      const accounts = Principal.AWS && { AWS: [Principal.AWS].flat() };
      return { ...rest, Action: [Action].flat().sort(), Principal: { ...Principal, ...accounts } };
    })
    .sort((one, other) => one.Action.join().localeCompare(other.Action.join()));
}

test("the statements that docs/construct.md has for an imported key are those that a key of the app gets", () => {
  const template = templateWith((stack) => ({
    encryptionKey: new Key(stack, "Own"),
    subscribers: [{ name: "ledger", types: ["*"], readers }],
    alarms: { email: "on-call@example.com" },
  }));
  const [, { Properties }] = resourcesOf(template, "AWS::KMS::Key")[0]!;
  // The first one lets the account decide by IAM, as for every key.
  const [, ...made] = Properties.KeyPolicy.Statement;
  const [, documented = ""] = /^```json\n(\[.*?^\])\n```$/ms.exec(guide) ?? [];
  expect(comparable(JSON.parse(documented))).toEqual(comparable(made));
});
