import { describe, expect, test } from "vitest";
import {
  compile,
  evaluate,
  type Requirement,
} from "../../../../tools/local/permissions/evaluate.ts";
import { identityPolicySchema } from "../../../../tools/local/permissions/policy.ts";

const table = "arn:aws:dynamodb:us-east-1:000000000000:table/Orders";
const put: Requirement = { action: "dynamodb:PutItem", resource: table, context: {} };

function statements(...given: readonly object[]) {
  const Statement = given.map((statement) => {
    return { Effect: "Allow", Action: "dynamodb:PutItem", Resource: table, ...statement };
  });
  return identityPolicySchema.parse({ Version: "2012-10-17", Statement }).Statement;
}

const isAllowed = (requirement: Requirement, ...given: readonly object[]) =>
  evaluate(statements(...given).map(compile), requirement).isAllowed;

describe("a call is allowed", () => {
  test.each([
    ["by its action and resource", {}],
    ["by one of several actions", { Action: ["dynamodb:GetItem", "dynamodb:PutItem"] }],
    ["by a pattern of actions", { Action: "dynamodb:Put*" }],
    ["by an action in other letters", { Action: "DynamoDB:putitem" }],
    ["by a pattern of resources", { Resource: "arn:aws:dynamodb:*:*:table/Order?" }],
    ["by every resource", { Resource: "*" }],
  ])("%s", (_how, statement) => {
    expect(isAllowed(put, statement)).toBe(true);
  });

  test.each([
    ["nobody allows it", []],
    ["only another action is allowed", [{ Action: "dynamodb:GetItem" }]],
    ["only an index is allowed", [{ Resource: `${table}/index/*` }]],
    ["the resource only begins like it", [{ Resource: table.slice(0, -1) }]],
    ["the resource has other letters", [{ Resource: table.replace("Orders", "orders") }]],
    ["? would have to be no character", [{ Resource: `${table}?` }]],
    ["a point would have to be any character", [{ Resource: table.replace("O", ".") }]],
    ["a wildcard over colons denies it", [{}, { Effect: "Deny", Resource: "arn:aws:dynamodb:*" }]],
    ["? would have to be a colon", [{ Resource: table.replace(":table", "?table") }]],
    ["* in a part would have to be colons", [{ Resource: table.replace(/dynamodb.+:/, "d*b:") }]],
    ["a denial stands beside the allowance", [{}, { Effect: "Deny", Action: "dynamodb:*" }]],
    ["the denial comes first", [{ Effect: "Deny", Resource: "*" }, {}]],
  ])("not if %s", (_why, given) => {
    expect(isAllowed(put, ...given)).toBe(false);
  });

  test("also if a denial is about another resource", () => {
    expect(isAllowed(put, {}, { Effect: "Deny", Resource: `${table}2` })).toBe(true);
  });

  test("on an index, and not for its table's sake", () => {
    const onIndex = { ...put, resource: `${table}/index/by-due` };
    expect(isAllowed(onIndex, { Resource: `${table}/index/by-due` })).toBe(true);
    expect(isAllowed(onIndex, {})).toBe(false);
  });
});

describe("a condition", () => {
  const notices = {
    "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["#notice#*"] },
  };
  const onlyBy = (arn: string) => ({ ArnNotLike: { "aws:PrincipalArn": [arn] } });
  const of = (context: Requirement["context"]) => ({ ...put, context });

  test.each([
    ["all keys begin so", ["#notice#a", "#notice#b"], true],
    ["one of them does not", ["#notice#a", "shop#b"], false],
    ["there is none", [], true],
    ["the call has no such key", undefined, true],
  ])("about all values: %s", (_what, keys, expected) => {
    const requirement = of({ "dynamodb:LeadingKeys": keys });
    expect(isAllowed(requirement, { Condition: notices })).toBe(expected);
  });

  test.each([
    ["the only one", "arn:aws:iam::1:role/Own", "arn:aws:iam::1:role/Own", true],
    ["one of a pattern", "arn:aws:iam::*:role/Own*", "arn:aws:iam::1:role/Owner", true],
    ["another one", "arn:aws:iam::1:role/Own", "arn:aws:iam::1:role/Other", false],
    ["one of another account", "arn:aws:iam::1*:role/Own", "arn:aws:iam::2:role/Own", false],
    ["a pattern over parts", "arn:*:role/Own", "arn:aws:iam::1:role/Own", false],
  ])("that is negated denies everybody but one: %s", (_who, arn, caller, expected) => {
    const requirement = of({ "aws:PrincipalArn": [caller] });
    const denial = { Effect: "Deny", Condition: onlyBy(arn) };
    expect(isAllowed(requirement, {}, denial)).toBe(expected);
  });

  test("that is negated denies a caller without a name", () => {
    const denial = { Effect: "Deny", Condition: onlyBy("arn:aws:iam::1:role/Own") };
    expect(isAllowed(put, {}, denial)).toBe(false);
  });

  test("denies the code of a function what Lambda may do with its role", () => {
    const functions = "arn:aws:lambda:us-east-1:000000000000:function:*";
    const Condition = { ArnLike: { "lambda:SourceFunctionArn": functions } };
    const byCode = of({ "lambda:SourceFunctionArn": [functions.replace("*", "create-order")] });
    expect(isAllowed(byCode, {}, { Effect: "Deny", Condition })).toBe(false);
    expect(isAllowed(put, {}, { Effect: "Deny", Condition })).toBe(true);
  });

  test("about a key that the call does not have is not met", () => {
    const Condition = { Bool: { "aws:SecureTransport": "true" } };
    expect(isAllowed(put, { Condition })).toBe(false);
    expect(isAllowed(of({ "aws:SecureTransport": ["true"] }), { Condition })).toBe(true);
  });

  test.each([
    ["the wanted value", ["NONE"], true],
    ["another value", ["ALL_OLD"], false],
    ["no value", undefined, true],
  ])("only if the key exists: %s", (_what, returned, expected) => {
    const Condition = { StringEqualsIfExists: { "dynamodb:ReturnValues": "NONE" } };
    expect(isAllowed(of({ "dynamodb:ReturnValues": returned }), { Condition })).toBe(expected);
  });

  test("equality knows no wildcards", () => {
    const Condition = { "ForAllValues:StringEquals": { "dynamodb:Attributes": ["due*"] } };
    expect(isAllowed(of({ "dynamodb:Attributes": ["dueAt"] }), { Condition })).toBe(false);
  });

  test("all of several must be met", () => {
    const Condition = { ...notices, Bool: { "aws:SecureTransport": "true" } };
    const wrong = of({ "dynamodb:LeadingKeys": ["shop#b"], "aws:SecureTransport": ["true"] });
    expect(isAllowed(wrong, { Condition })).toBe(false);
  });
});

describe("a policy is refused by name if it has", () => {
  test.each([
    ["NotAction", { NotAction: "dynamodb:*" }],
    ["NotResource", { NotResource: table }],
    ["NotPrincipal", { NotPrincipal: { AWS: "*" } }],
    ["Principal", { Principal: "*" }],
    ["IpAddress", { Condition: { IpAddress: { "aws:SourceIp": "127.0.0.1" } } }],
    ["StringLike", { Condition: { StringLike: { "kms:ViaService": "sqs.*" } } }],
    ["aws:SourceVpc", { Condition: { StringEquals: { "aws:SourceVpc": "vpc-1" } } }],
    ["variable", { Resource: `${table}/\${aws:username}` }],
    [
      "variable",
      {
        Condition: {
          "ForAllValues:StringLike": { "dynamodb:LeadingKeys": `\${aws:PrincipalTag/shop}#*` },
        },
      },
    ],
  ])("%s", (name, statement) => {
    expect(() => statements(statement)).toThrow(name);
  });
});
