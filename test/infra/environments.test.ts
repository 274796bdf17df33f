import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nameStack, parseDeployment } from "../../infra/config/environment-config.ts";
import { PaycastStack } from "../../infra/paycast-stack.ts";
import { createApp } from "../../infra/synthesize.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";
import { type StackTemplate, stub } from "./stack-template.ts";

const smallConfig = { merchants: ["M1"], subscribers: [{ name: "crm", types: ["*"] }] };
const production = {
  ...smallConfig,
  name: "payments-prod",
  account: "123456789012",
  region: "eu-west-1",
  tags: { team: "payments", "cost-centre": "4711" },
  terminationProtection: true,
  permissionsBoundary: "PaycastBoundary",
  qualifier: "payments",
};
const development = { ...smallConfig, name: "payments-dev", removalPolicy: "destroy" };

const folder = temporaryFolder("environments");

/** Both configs as stacks of one app. */
function synthesizeBoth() {
  const app = createApp({
    outdir: join(folder, "cdk.out"),
    builtinCloudFormationValidation: false,
  });
  for (const input of [production, development]) {
    const { config, environment } = parseDeployment(input);
    const codeOf = (name: Parameters<typeof stub>[1]) => stub(folder, name);
    new PaycastStack(app, String(environment.name), { config, codeOf, environment });
  }
  const assembly = app.synth();
  return {
    prod: assembly.getStackByName("payments-prod"),
    dev: assembly.getStackByName("payments-dev"),
  };
}

describe("two environments of one checkout", () => {
  const { prod, dev } = synthesizeBoth();
  const { Resources: kept }: StackTemplate = prod.template;
  const { Resources: disposable }: StackTemplate = dev.template;

  test("go to the account and the region of their config, and nowhere else", () => {
    expect(prod.environment).toMatchObject({ account: "123456789012", region: "eu-west-1" });
    expect(dev.environment).toMatchObject({ account: "unknown-account", region: "unknown-region" });
  });

  test("are deployed by the bootstrap of their qualifier, or by the one of all CDK apps", () => {
    expect(prod.assumeRoleArn).toContain("role/cdk-payments-deploy-role-");
    expect(dev.assumeRoleArn).toContain("role/cdk-hnb659fds-deploy-role-");
  });

  test("have the tags and the termination protection of their config", () => {
    expect(prod.tags).toEqual({ team: "payments", "cost-centre": "4711" });
    expect([prod.terminationProtection, dev.terminationProtection]).toEqual([true, false]);
  });

  test("give every role the permissions boundary of their config", () => {
    const boundaries = (resources: typeof kept) =>
      Object.values(resources)
        .filter(({ Type }) => Type === "AWS::IAM::Role")
        .map(({ Properties }) => Properties.PermissionsBoundary);
    expect(boundaries(kept)).toHaveLength(3);
    for (const boundary of boundaries(kept)) {
      expect(JSON.stringify(boundary)).toContain(":iam::123456789012:policy/PaycastBoundary");
    }
    expect(boundaries(disposable)).toEqual([undefined, undefined, undefined]);
  });

  test("share no name: every name that is not generated has the name of the stack in it", () => {
    const names = Object.values(kept).flatMap(({ Type, Properties = {} }) =>
      Object.entries(Properties)
        .filter(([key, value]) => /Name$/.test(key) && typeof value === "string")
        // Names of AWS, not of resources.
        .filter(([key]) => key !== "MetricName" && key !== "StageName")
        .map(([, value]) => [Type, value]),
    );
    expect(names).toEqual([
      ["AWS::ApiGatewayV2::Api", "payments-prod"],
      ["AWS::Logs::LogGroup", "/aws/vendedlogs/payments-prod-access"],
      ["AWS::CloudWatch::Dashboard", "payments-prod-eu-west-1"],
    ]);
  });

  test("count in their own metrics", () => {
    expect(JSON.stringify(kept)).not.toContain("payments-dev");
    expect(JSON.stringify(disposable)).not.toContain("payments-prod");
  });

  test("keep all that holds payments in production, and nothing at all in development", () => {
    const policies = (resources: typeof kept) =>
      new Set(Object.values(resources).map(({ DeletionPolicy = "Delete" }) => DeletionPolicy));
    expect(policies(kept)).toEqual(new Set(["Delete", "Retain", "RetainExceptOnCreate"]));
    expect(policies(disposable)).toEqual(new Set(["Delete"]));
    const tables = Object.values(disposable).filter(({ Type }) => Type === "AWS::DynamoDB::Table");
    for (const { Properties } of tables) {
      expect(Properties).toMatchObject({
        DeletionProtectionEnabled: false,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false },
      });
    }
  });
});

describe("an environment", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["a name with a space", { name: "my stack" }, "name must begin with a letter"],
    ["a name that begins with a digit", { name: "1st" }, "name must begin with a letter"],
    ["a name that is too long", { name: "p".repeat(65) }, "name must begin with a letter and have"],
    ["an account that is none", { account: 123456789012 }, "account must be a string"],
    ["an account with 11 digits", { account: "12345678901" }, "account must be an account id"],
    ["an account without a region", { region: undefined }, "region must be set together with"],
    ["a region that is none", { region: "Ireland" }, 'region must be a region, like "eu-west-1"'],
    ["a tag of AWS", { tags: { "aws:x": "1" } }, "tags must have names of 1 to 128 characters"],
    ["a tag that is no text", { tags: { team: 7 } }, "tags.team must be a string"],
    [
      "the ARN of a boundary",
      { permissionsBoundary: "arn:aws:iam::123456789012:policy/PaycastBoundary" },
      "permissionsBoundary must be the name of a policy in the account, not its ARN",
    ],
    [
      "a qualifier that cdk bootstrap does not take",
      { qualifier: "Payments-1" },
      "qualifier must be 1 to 10 lower case letters and digits",
    ],
    [
      "a path of a boundary that the ARN would have with two slashes",
      { permissionsBoundary: "/teams/PaycastBoundary" },
      "permissionsBoundary must be the name of a policy in the account, not its ARN, and a path must not begin with a slash",
    ],
    ["protection by a word", { terminationProtection: "yes" }, "terminationProtection must be a"],
    [
      "what lies in another region than its own",
      { alarms: { topicArn: "arn:aws:sns:us-east-1:123456789012:on-call" } },
      "alarms.topicArn must be in eu-west-1",
    ],
  ])("refuses %s, in one line", (_case, changes, message) => {
    const parse = () => parseDeployment({ ...production, ...changes }, { region: "us-east-1" });
    expect(parse).toThrow(message);
    expect(parse).not.toThrow("\n");
  });

  test("is reported with the faults of the rest of the config", () => {
    expect(() => parseDeployment({ ...production, name: "", merchants: [] })).toThrow(
      /^name must .*; merchants must /,
    );
  });

  test("may be left out, and then the command can name the stack", () => {
    const unnamed = parseDeployment(smallConfig);
    expect(unnamed.environment).toEqual({ tags: {}, terminationProtection: false });
    expect(nameStack(unnamed, "Second").environment.name).toBe("Second");
    expect(() => nameStack(unnamed, "no name")).toThrow("stackName must begin with a letter");
  });

  test("that has a name is not deployed under another one", () => {
    const deployment = parseDeployment(production);
    expect(nameStack(deployment, undefined)).toEqual(deployment);
    expect(nameStack(deployment, "payments-prod")).toEqual(deployment);
    expect(() => nameStack(deployment, "payments-dev")).toThrow(
      "stackName must be payments-prod, the name in the config",
    );
  });
});
