import { describe, expect, test } from "vitest";
import { functionNames } from "../../../../infra/config/function-names.ts";
import { compile } from "../../../../tools/local/permissions/evaluate.ts";
import { readPermissions } from "../../../../tools/local/permissions/read-permissions.ts";
import { createStackContext } from "../../../../tools/local/stack/template/stack-context.ts";
import { readTemplate } from "../../../../tools/local/stack/template/template.ts";
import { everyOption } from "../../../infra/every-option.ts";
import { synthesizeTemplate } from "../../../infra/stack-template.ts";

const template = synthesizeTemplate(everyOption);

function permissionsOf(given: object) {
  const context = createStackContext({
    template: readTemplate(given),
    stackName: "Paycast",
    sqsEndpoint: "http://127.0.0.1:1",
    apiEndpoint: "http://127.0.0.1:2",
  });
  return readPermissions(context);
}

test("everything that a stack with every option declares is understood", () => {
  const { principals, resourceStatements, partitionKeys } = permissionsOf(template);
  expect(principals).toHaveLength(functionNames.length);
  for (const { arn, statements } of principals) {
    expect(arn).toMatch(/^arn:aws:iam::000000000000:role\/Paycast-/);
    expect(statements.map(compile).length).toBeGreaterThan(1);
  }
  expect(resourceStatements.map(compile).length).toBeGreaterThan(10);
  expect(resourceStatements.every(({ Principal }) => Principal !== undefined)).toBe(true);
  const places = [...partitionKeys].map(([place, key]) => `${place.replace(/^.*?\//, "")} ${key}`);
  expect(places).toContain("index/by-due dueShard");
});

describe("a template is refused, and the message names what is not understood:", () => {
  type Properties = Record<string, unknown>;
  function changed(type: string, change: (properties: Properties) => void): object {
    const copy = structuredClone(template);
    const found = Object.values(copy.Resources).find(
      ({ Type, Properties }) => Type === type && JSON.stringify(Properties).includes("dynamodb:"),
    );
    const other = Object.values(copy.Resources).find(({ Type }) => Type === type);
    change((found ?? other)!.Properties as Properties);
    return copy;
  }
  const withStatement = (statement: object) => (properties: Properties) => {
    const policies = properties["Policies"] as { PolicyDocument: { Statement: object[] } }[];
    const Action = "dynamodb:PutItem";
    policies[0]!.PolicyDocument.Statement.push({
      Effect: "Allow",
      Action,
      Resource: "*",
      ...statement,
    });
  };
  const withQueueStatement = (statement: object) => (properties: Properties) => {
    const { Statement } = properties["PolicyDocument"] as { Statement: object[] };
    Statement.push({ Effect: "Deny", Action: "sqs:*", Resource: "*", ...statement });
  };

  test.each<[string, string, (properties: Properties) => void]>([
    ["NotAction", "AWS::IAM::Role", withStatement({ NotAction: "sqs:*" })],
    [
      "ForAnyValue:StringEquals",
      "AWS::IAM::Role",
      withStatement({ Condition: { "ForAnyValue:StringEquals": {} } }),
    ],
    [
      "aws:SourceIp",
      "AWS::IAM::Role",
      withStatement({ Condition: { StringEquals: { "aws:SourceIp": "1.1.1.1" } } }),
    ],
    [
      "ManagedPolicyArns",
      "AWS::IAM::Role",
      (properties) =>
        Object.assign(properties, {
          ManagedPolicyArns: ["arn:aws:iam::aws:policy/AdministratorAccess"],
        }),
    ],
    ["NotPrincipal", "AWS::SQS::QueuePolicy", withQueueStatement({ NotPrincipal: { AWS: "*" } })],
    [
      "Service",
      "AWS::SQS::QueuePolicy",
      withQueueStatement({ Principal: { Service: "sns.amazonaws.com" } }),
    ],
  ])("%s", (name, type, change) => {
    expect(() => permissionsOf(changed(type, change))).toThrow(
      expect.objectContaining({
        code: "local-properties-unknown",
        message: expect.stringContaining(name),
      }),
    );
  });

  const queuePolicies = () => {
    const copy = structuredClone(template);
    const all = Object.values(copy.Resources).filter(
      ({ Type }) => Type === "AWS::SQS::QueuePolicy",
    );
    const [first, second] = all.map(({ Properties }) => Properties as Properties);
    return { copy, first: first!, second: second! };
  };

  test("a queue policy about another queue, which AWS would ignore", () => {
    const { copy, first, second } = queuePolicies();
    [first["Queues"], second["Queues"]] = [second["Queues"], first["Queues"]];
    expect(() => permissionsOf(copy)).toThrow("which is not one of its queues");
  });

  test("two policies of one queue, of which AWS would keep one", () => {
    const { copy, first, second } = queuePolicies();
    second["Queues"] = first["Queues"];
    expect(() => permissionsOf(copy)).toThrow("are both for http");
  });

  test("a policy beside the roles", () => {
    const Resources = {
      ...template.Resources,
      Extra: { Type: "AWS::IAM::Policy", Properties: {} },
    };
    expect(() => permissionsOf({ Resources })).toThrow("AWS::IAM::Policy (Extra)");
  });
});
