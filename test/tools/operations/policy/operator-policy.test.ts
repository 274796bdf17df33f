import { readFileSync } from "node:fs";
import type { DescribeSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { expect, test } from "vitest";
import { openSecrets } from "../../../../tools/operations/aws/open-secrets.ts";
import { policyFor, policyNames } from "../../../../tools/operations/policy/operator-policy.ts";
import type { Statement } from "../../../../tools/operations/policy/policy-document.ts";
import { keysOfSecrets, type StackArns } from "../../../../tools/operations/policy/stack-arns.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";
import { allows } from "../../../infra/iam-policy.ts";

/** SQS takes names of 80 characters, and CloudFormation uses them up if the stack's name is long. */
const longName = (end: string) =>
  `${"payments-production-eu-".repeat(4)}`.slice(0, 75 - end.length) + end;
const arn = (service: string, resource: string) =>
  `arn:aws-us-gov:${service}:us-gov-west-1:123456789012:${resource}`;
const pair = (name: string) => ({
  queue: arn("sqs", `${longName(name)}.fifo`),
  deadLetters: arn("sqs", `${longName(`${name}-dead`)}.fifo`),
});
const numbered = (count: number) => Array.from({ length: count }, (_item, index) => index);
const log = (name: string) => arn("logs", `log-group:${longName(name)}:*`);

function arnsWith(subscribers: number, merchants: number): StackArns {
  return {
    stack: arn("cloudformation", "stack/payments/*"),
    functions: numbered(5).map((index) => arn("lambda", `function:${longName(`f${index}`)}`)),
    tables: {
      callbacks: arn("dynamodb", `table/${longName("Callbacks")}`),
      orders: arn("dynamodb", `table/${longName("Orders")}`),
    },
    inbox: pair("inbox"),
    subscribers: numbered(subscribers).map((index) => pair(`subscriber-${index}`)),
    captured: arn("sqs", `${longName("captured")}.fifo`),
    smoke: {
      queue: arn("sqs", `${longName("smoke")}.fifo`),
      callbackKeys: arn("secretsmanager", "secret:KeysCallbackKeyspaycastsmoke-a-a1B2c3"),
    },
    logs: [...numbered(5).map((index) => log(`f${index}`)), log("access")],
    auditLog: log("audit"),
    stampKey: arn("secretsmanager", "secret:KeysStampKey1A2B3C4D-1AbCdEfGhIjK-a1B2c3"),
    secrets: numbered(merchants).flatMap((index) =>
      ["Callback", "Request"].map((kind) =>
        arn(
          "secretsmanager",
          `secret:Keys${kind}KeysMerchantNumber${index}881D8BAF-1AbCdEfGhIjK-a1B2c3`,
        ),
      ),
    ),
    kmsKeys: [arn("kms", "key/1234abcd-12ab-34cd-56ef-1234567890ab")],
  };
}

const smallStack = arnsWith(1, 1);
const large = arnsWith(50, 20);
const statementsIn = (arns: StackArns, name: (typeof policyNames)[number]) =>
  policyFor(arns, name).flatMap(({ Statement }) => Statement);
const everyStatement = policyNames.flatMap((name) => statementsIn(smallStack, name));

test("a small stack needs one document for each policy", () => {
  for (const name of policyNames) expect(policyFor(smallStack, name)).toHaveLength(1);
});

test("50 subscribers and 20 merchants fit, in documents that IAM takes and a role can have together", () => {
  const documents = policyNames.flatMap((name) => policyFor(large, name));
  for (const document of documents) {
    expect(JSON.stringify(document).replace(/\s/g, "").length).toBeLessThanOrEqual(6_144);
    const names = document.Statement.map(({ Sid }) => Sid);
    expect(new Set(names).size).toBe(names.length);
  }
  expect(documents.length).toBeGreaterThan(policyNames.length);
  // IAM's default for the policies of one role.
  expect(documents.length).toBeLessThanOrEqual(10);
});

test.each(policyNames)("what is split into documents allows the same: %s", (name) => {
  const grants = (statements: readonly Statement[]) =>
    statements
      .flatMap(({ Action, Resource }) =>
        Action.flatMap((action) => Resource.map((resource) => `${action} ${resource}`)),
      )
      .sort();
  const parts = grants(statementsIn(large, name));
  expect(new Set(parts).size).toBe(parts.length);
  const text = JSON.stringify(policyFor(large, name));
  const { subscribers, secrets } = large;
  const wanted =
    name === "keys" ? secrets : subscribers.flatMap((subscriber) => Object.values(subscriber));
  for (const action of wanted) expect(text).toContain(`"${action}"`);
});

test("nothing beside the stack's own resources is named, except what AWS has no resource for", () => {
  const own = JSON.stringify(smallStack);
  for (const { Sid, Resource } of everyStatement) {
    if (Sid === "LookAtMappingsAlarmsAndMetrics") continue;
    for (const candidate of Resource) expect(own).toContain(candidate.replace(/\/index\/.+$/, ""));
  }
});

test("people who look may change nothing: their other actions begin a read or give a message back", () => {
  const actions = statementsIn(smallStack, "look").flatMap(({ Action }) => Action);
  const reads = /:(BatchGet|Describe|Filter|Get|List|Query|Scan)/;
  expect(actions.filter((action) => !reads.test(action))).toEqual([
    "sqs:ReceiveMessage",
    "sqs:ChangeMessageVisibility",
    "logs:StartQuery",
    "kms:Decrypt",
  ]);
});

test("people who act may send only where a redrive or a replay sends", () => {
  const statement = (name: (typeof policyNames)[number]) => ({
    Statement: statementsIn(smallStack, name),
  });
  const { inbox, subscribers, secrets } = smallStack;
  const sends = (resource: string) => ({ action: "sqs:SendMessage", resource });
  expect(allows(statement("look"), sends(inbox.queue))).toBe(false);
  expect(allows(statement("act"), sends(inbox.queue))).toBe(true);
  expect(allows(statement("act"), sends(subscribers[0]!.queue))).toBe(true);
  expect(allows(statement("act"), sends(subscribers[0]!.deadLetters))).toBe(false);
  const read = { action: "secretsmanager:GetSecretValue", resource: secrets[0]! };
  expect(allows(statement("act"), read)).toBe(false);
  expect(allows(statement("keys"), read)).toBe(true);
});

test("people who look see which versions of keys there are, and no key", () => {
  const look = { Statement: statementsIn(smallStack, "look") };
  const [resource = ""] = smallStack.secrets;
  const mayDo = (action: string) => allows(look, { action: `secretsmanager:${action}`, resource });
  expect(["DescribeSecret", "ListSecretVersionIds"].map(mayDo)).toEqual([true, true]);
  const others = ["GetSecretValue", "PutSecretValue", "UpdateSecretVersionStage"];
  expect(others.map(mayDo)).toEqual([false, false, false]);
});

test("people who look may receive where a look needs it, and only count elsewhere", () => {
  const look = { Statement: statementsIn(smallStack, "look") };
  const { inbox, subscribers, captured, smoke } = smallStack;
  const looked = [inbox.deadLetters, subscribers[0]!.deadLetters, captured!, smoke!.queue];
  const live = [inbox.queue, subscribers[0]!.queue];
  const mayDo = (action: string, resource: string) => allows(look, { action, resource });
  for (const action of ["sqs:ReceiveMessage", "sqs:ChangeMessageVisibility"]) {
    expect(looked.map((queue) => mayDo(action, queue))).toEqual(looked.map(() => true));
    expect(live.map((queue) => mayDo(action, queue))).toEqual(live.map(() => false));
  }
  for (const queue of [...looked, ...live]) {
    expect(mayDo("sqs:GetQueueAttributes", queue)).toBe(true);
  }
});

test.each([
  ["look", ["kms:Decrypt"], ["sqs", "dynamodb"]],
  ["act", ["kms:Decrypt", "kms:GenerateDataKey"], ["sqs", "dynamodb", "secretsmanager"]],
  ["keys", ["kms:Decrypt", "kms:GenerateDataKey"], ["secretsmanager"]],
] as const)(
  "%s uses a KMS key of the customer only through the services that need it",
  (name, Action, services) => {
    const ofKms = statementsIn(smallStack, name).filter(({ Action: all }) =>
      all.some((action) => action.startsWith("kms:")),
    );
    const via = services.map((service) => `${service}.us-gov-west-1.amazonaws.com`);
    const Condition = { StringEquals: { "kms:ViaService": via } };
    expect(ofKms).toMatchObject([{ Action, Resource: smallStack.kmsKeys, Condition }]);
  },
);

test("people who act may dismiss, and change nothing of a record that a dismissal does not name", () => {
  const source = readFileSync("tools/operations/attention/dismiss.ts", "utf8");
  const { Action, Resource, Condition } = statementsIn(smallStack, "act").find(
    ({ Sid }) => Sid === "Dismiss",
  )!;
  expect({ Action, Resource }).toEqual({
    Action: ["dynamodb:UpdateItem"],
    Resource: [smallStack.tables.callbacks],
  });
  const named = Condition?.["ForAllValues:StringEquals"]?.["dynamodb:Attributes"] ?? [];
  const inExpressions = ["attention", "attentionShard", "attentionSince", "pending", "dismissed"];
  for (const name of [...inExpressions, "dismissedAt", "expiresAt"]) {
    expect(source).toContain(name);
    expect(named).toContain(name);
  }
  for (const name of ["message", "event", "outcome"]) expect(named).not.toContain(name);
});

test("people who act may move an order's next check, and change nothing else of an order", () => {
  const source = readFileSync("tools/operations/calling/check-now.ts", "utf8");
  const onOrders = statementsIn(smallStack, "act").filter(
    ({ Action, Resource }) =>
      Action.includes("dynamodb:UpdateItem") && Resource.includes(smallStack.tables.orders),
  );
  const attributes = ["aggregateKey", "dueAtMilliseconds", "dueShard"];
  expect(onOrders).toMatchObject([
    {
      Resource: [smallStack.tables.orders],
      Condition: { "ForAllValues:StringEquals": { "dynamodb:Attributes": attributes } },
    },
  ]);
  const expressions = source.match(/"(SET|attribute_|dueAt)[^"]+"/g) ?? [];
  expect(expressions).toHaveLength(3);
  const named = expressions.join(" ").match(/(?<![:\w])[a-z]\w+(?![\w(])/g);
  expect(new Set(named)).toEqual(new Set(attributes));
});

test("people who look may run the runbook's queries over every log of the stack", () => {
  const look = statementsIn(smallStack, "look");
  const actions = look.flatMap(({ Action }) => Action);
  expect(actions).toContain("logs:GetQueryResults");
  expect(actions).toContain("cloudwatch:GetDashboard");
  const query = look.find(({ Action }) => Action.includes("logs:StartQuery"));
  expect(query?.Resource).toEqual(smallStack.logs);
});

test("a role that may change keys may use the KMS key of each secret, the stack's own key included", async () => {
  const arns = arnsWith(1, 2);
  const [own] = arns.kmsKeys;
  const keyOf = new Map([[arns.secrets[0], own]]);
  const send = async ({ input }: DescribeSecretCommand) => ({
    KmsKeyId: keyOf.get(input.SecretId!),
  });
  const secrets = openSecrets({ send } as unknown as SecretsManagerClient, Date.now);
  const target = { keys: secrets } as unknown as Target;
  expect(own).toBeDefined();
  expect(await keysOfSecrets(target, arns)).toEqual([own]);
});
