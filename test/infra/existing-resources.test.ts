import { readFileSync } from "node:fs";
import { Stack } from "aws-cdk-lib";
import { Key } from "aws-cdk-lib/aws-kms";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { describe, expect, test } from "vitest";
import type { PaycastProps } from "../../infra/config/paycast-props.ts";
import { newApp, newFunction, newPaycast, place, templateWith } from "./paycast-app.ts";
import {
  propertiesOf,
  resourcesOf,
  type StackTemplate,
  smokeAndCapture,
} from "./stack-template.ts";

const gateway = { baseUrl: "https://payments.example.com" };
const { region } = place;
const arn = (service: string, name: string) => `arn:aws:${service}:${region}:123456789012:${name}`;
const callbackKeysArn = arn("secretsmanager", "secret:callbacks-a1B2c3");
const requestKeysArn = arn("secretsmanager", "secret:requests-d4E5f6");
const encryptionKeyArn = arn("kms", "key/k-1");

type Statement = {
  Action: string | string[];
  Resource: string;
  Condition?: object;
  Principal: { AWS?: string | string[] };
};

function statementsOf(template: StackTemplate, functionId: string): Statement[] {
  const roles = Object.entries(propertiesOf(template, "AWS::IAM::Role"));
  const [, role] = roles.find(([id]) => id.includes(functionId))!;
  return role.Policies[0].PolicyDocument.Statement;
}

const through = (service: string) => ({
  StringEquals: { "kms:ViaService": `${service}.${region}.amazonaws.com` },
});
const keyUsesOf = (template: StackTemplate, functionId: string) =>
  statementsOf(template, functionId).filter(({ Action }) => [Action].flat()[0]!.startsWith("kms:"));

describe("secrets that exist already", () => {
  const withSecrets = (M1: object) => templateWith(() => ({ gateway, secrets: { M1 } }));
  const both = { callbackKeysArn, requestKeysArn };
  const readBy = (template: StackTemplate, functionId: string) =>
    statementsOf(template, functionId)
      .filter(({ Action }) => Action === "secretsmanager:GetSecretValue")
      .flatMap(({ Resource }) => Resource)
      .filter((secret) => secret !== ownKey);
  /** The stack always makes the key for its own stamps. */
  const ownKey = "PaycastKeysStampKey";
  const madeIn = (template: StackTemplate) =>
    Object.keys(propertiesOf(template, "AWS::SecretsManager::Secret")).filter(
      (id) => id !== ownKey,
    );

  test("are read by the functions that need them, and not made again", () => {
    const template = withSecrets(both);
    expect(madeIn(template)).toEqual([]);
    expect(readBy(template, "ReceiveCallback")).toEqual([callbackKeysArn]);
    expect(readBy(template, "CreateOrder")).toEqual([requestKeysArn]);
    expect(template.Outputs["CallbackKeysM1"]?.Value).toBe(callbackKeysArn);
    const variables = JSON.stringify(resourcesOf(template, "AWS::Lambda::Function"));
    expect(variables).toContain("callbacks-a1B2c3");
  });

  test("may be some of all: the stack makes the rest", () => {
    expect(madeIn(withSecrets({ callbackKeysArn }))).toEqual(["PaycastKeysRequestKeysM1"]);
  });

  test("may come from another construct of the app", () => {
    const template = templateWith((stack) => ({
      secrets: { M1: { callbackKeysArn: new Secret(stack, "Own").secretArn } },
    }));
    expect(readBy(template, "ReceiveCallback")).toEqual(["Own"]);
  });

  test("with a key of their own can be decrypted, through Secrets Manager only", () => {
    const template = withSecrets({ ...both, encryptionKeyArn });
    const use = { Effect: "Allow", Action: "kms:Decrypt", Resource: encryptionKeyArn };
    for (const name of ["ReceiveCallback", "CreateOrder", "QueryOrder", "ReconcileOrders"]) {
      const uses = keyUsesOf(template, name);
      expect(uses, name).toEqual([{ ...use, Condition: through("secretsmanager") }]);
    }
    expect(keyUsesOf(template, "ProcessCallback")).toEqual([]);
  });
});

/** The key that each resource of a type names. */
const keysOf: Record<string, (properties: Record<string, { KMSMasterKeyId?: string }>) => unknown> =
  {
    "AWS::SQS::Queue": ({ KmsMasterKeyId }) => KmsMasterKeyId,
    "AWS::DynamoDB::Table": ({ SSESpecification }) => SSESpecification?.KMSMasterKeyId,
    "AWS::SecretsManager::Secret": ({ KmsKeyId }) => KmsKeyId,
    "AWS::Logs::LogGroup": ({ KmsKeyId }) => KmsKeyId,
    "AWS::SNS::Topic": ({ KmsMasterKeyId }) => KmsMasterKeyId,
  };

describe("a KMS key of one's own", () => {
  const readers = ["210987654321"];
  /** With all that there can be to encrypt. */
  const props: Partial<PaycastProps> = {
    gateway,
    smoke: smokeAndCapture.smoke,
    alarms: { email: "on-call@example.com" },
    callbacks: smokeAndCapture.callbacks,
    subscribers: [{ name: "ledger", types: ["*"], readers }],
  };
  const template = templateWith((stack) => ({ ...props, encryptionKey: new Key(stack, "Own") }));
  const imported = templateWith(() => ({ ...props, encryptionKeyArn }));

  test.each([
    ["of the app", template, "Own", "Own.Arn"],
    ["that is imported", imported, encryptionKeyArn, encryptionKeyArn],
  ])(
    "%s encrypts every queue, table, secret, log and topic, and is named by an output",
    (...row) => {
      const [, stack, key, keyArn] = row;
      for (const [type, keyOf] of Object.entries(keysOf)) {
        const resources = Object.entries(propertiesOf(stack, type));
        expect(resources.length, type).toBeGreaterThan(0);
        for (const [id, properties] of resources) expect(keyOf(properties), id).toBe(key);
      }
      for (const [id, queue] of Object.entries(propertiesOf(stack, "AWS::SQS::Queue"))) {
        expect(queue, id).toMatchObject({ SqsManagedSseEnabled: false });
      }
      expect(stack.Outputs["EncryptionKeyArn"]?.Value).toBe(keyArn);
    },
  );

  test.each([
    ["ReceiveCallback", ["sqs", "secretsmanager"]],
    ["ProcessCallback", ["sqs", "dynamodb", "secretsmanager"]],
    ["CreateOrder", ["dynamodb", "secretsmanager"]],
    ["QueryOrder", ["sqs", "dynamodb", "secretsmanager"]],
    ["ReconcileOrders", ["sqs", "dynamodb", "secretsmanager"]],
  ])("may be used by %s through the services that it calls: %s", (name, services) => {
    const uses = keyUsesOf(template, name);
    expect(uses.map(({ Condition }) => Condition)).toEqual(services.map(through));
    for (const { Resource } of uses) expect(Resource).toBe("Own");
    // In words, a key's id and its ARN are the same, unless it is imported.
    const ofImported = keyUsesOf(imported, name);
    expect(ofImported.map(({ Condition }) => Condition)).toEqual(services.map(through));
    for (const { Resource } of ofImported) expect(Resource).toBe(encryptionKeyArn);
  });

  test("may be used by a sender of messages to encrypt them", () => {
    const [onQueues] = keyUsesOf(template, "ReceiveCallback");
    expect([onQueues!.Action].flat().sort()).toEqual(["kms:Decrypt", "kms:GenerateDataKey"]);
  });

  test("is only decrypted with through DynamoDB, which encrypts with a key of the table", () => {
    const uses = keyUsesOf(template, "ProcessCallback");
    expect(uses.map(({ Action }) => Action)).toEqual([
      ["kms:Decrypt", "kms:GenerateDataKey"],
      "kms:Decrypt",
      "kms:Decrypt",
    ]);
  });

  test("of the app gets the statements that docs/construct.md has for an imported one: for logs, alarms and readers", () => {
    // The first one lets the account decide by IAM, as for every key.
    const [, ...made] = propertiesOf(template, "AWS::KMS::Key")["Own"].KeyPolicy.Statement;
    const guide = readFileSync("docs/construct.md", "utf8");
    const [, documented = ""] = /^```json\n(\[.*?^\])\n```$/ms.exec(guide) ?? [];
    expect(comparable(JSON.parse(documented))).toEqual(comparable(made));
  });

  test("is granted to a consumer in another stack", () => {
    const app = newApp();
    const encryptionKey = new Key(new Stack(app, "Keys"), "Own");
    const queue = newPaycast(app, { encryptionKey }).subscriberQueue("ledger");
    const stack = new Stack(app, "Ledger");
    newFunction(stack).addEventSource(new SqsEventSource(queue));
    const policies = resourcesOf(app.synth().getStackByName("Ledger").template, "AWS::IAM::Policy");
    expect(JSON.stringify(policies)).toContain("kms:Decrypt");
  });
});

/** One spelling for what IAM reads alike: the order of statements and actions, a list of one. */
function comparable(statements: readonly Statement[]) {
  return statements
    .map(({ Action, Principal, ...rest }) => {
      const accounts = Principal.AWS && { AWS: [Principal.AWS].flat() };
      return { ...rest, Action: [Action].flat().sort(), Principal: { ...Principal, ...accounts } };
    })
    .sort((left, right) => left.Action.join().localeCompare(right.Action.join()));
}
