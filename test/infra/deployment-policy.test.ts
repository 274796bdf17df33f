import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { functionNames } from "../../infra/config/function-names.ts";
import type { Principal } from "../../tools/local/permissions/guard.ts";
import { readPermissions } from "../../tools/local/permissions/read-permissions.ts";
import { createStackContext } from "../../tools/local/stack/template/stack-context.ts";
import { readTemplate } from "../../tools/local/stack/template/template.ts";
import { everyOption } from "./every-option.ts";
import { allows, type Call, type Policy } from "./iam-policy.ts";
import { permissionsOf, resourcesOf, synthesizeTemplate } from "./stack-template.ts";

const deployment = documented("deployment");
const boundary = documented("boundary");
const template = synthesizeTemplate(everyOption);

function documented(name: string): Policy {
  return JSON.parse(readFileSync(`docs/policies/${name}.json`, "utf8"));
}

const here = { "aws:RequestedRegion": "eu-west-1" };
const arn = (service: string, resource: string) =>
  `arn:aws:${service}:eu-west-1:123456789012:${resource}`;
const role = "arn:aws:iam::123456789012:role/payments-prod-IntakeReceiveCallbackRole-1A";
const withBoundary = {
  "iam:PermissionsBoundary": "arn:aws:iam::123456789012:policy/PaycastBoundary",
};
const on = (resource: string, actions: string, context: Record<string, string> = here): Call[] =>
  actions.split(" ").map((action) => ({ action, resource, context }));

const zone = "arn:aws:route53:::hostedzone/Z0123456789ABCDEFGHIJ";
const topic = arn("sns", "payments-prod-AlarmMail-1A");
const receiver = arn("lambda", "function:payments-prod-IntakeReceiveCallback-1A");
const secret = arn("secretsmanager", "secret:KeysCallbackKeysM1881D8BAF-1AbC-a1B2c3");
const stampKey = arn("secretsmanager", "secret:KeysStampKey28820820-1AbC-a1B2c3");
const auditLog = arn("logs", "log-group:payments-prod-AuditLogA5B7094E-1A");
const bootstrapVersion = arn("ssm", "parameter/cdk-bootstrap/payments/version");
const foreignKey = "arn:aws:kms:eu-west-1:210987654321:key/1234abcd-12ab-34cd-56ef-1234567890ab";
const key = arn("kms", "key/1234abcd-12ab-34cd-56ef-1234567890ab");
const through = (service: string) => ({ "kms:ViaService": `${service}.eu-west-1.amazonaws.com` });

/** What CloudFormation calls for each kind of resource, by its registry. */
const callsFor: Readonly<Record<string, readonly Call[]>> = {
  "AWS::ApiGatewayV2::Api": on("*", "apigateway:POST apigateway:PATCH apigateway:TagResource"),
  "AWS::ApiGatewayV2::ApiMapping": on("*", "apigateway:POST"),
  "AWS::ApiGatewayV2::Authorizer": on("*", "apigateway:POST"),
  "AWS::ApiGatewayV2::DomainName": [
    ...on("*", "apigateway:POST apigateway:GET"),
    ...on("*", "iam:CreateServiceLinkedRole", {
      "iam:AWSServiceName": "ops.apigateway.amazonaws.com",
    }),
  ],
  "AWS::ApiGatewayV2::Integration": on("*", "apigateway:POST"),
  "AWS::ApiGatewayV2::Route": on("*", "apigateway:POST"),
  // The access log.
  "AWS::ApiGatewayV2::Stage": on(
    "*",
    "apigateway:POST logs:CreateLogDelivery logs:PutResourcePolicy logs:DescribeResourcePolicies logs:DescribeLogGroups logs:GetLogDelivery logs:UpdateLogDelivery logs:DeleteLogDelivery",
  ),
  "AWS::CloudWatch::Alarm": [
    ...on("*", "cloudwatch:DescribeAlarms"),
    ...on(
      arn("cloudwatch", "alarm:payments-prod-InboxAge-1A"),
      "cloudwatch:PutMetricAlarm cloudwatch:DeleteAlarms cloudwatch:TagResource",
    ),
  ],
  "AWS::CloudWatch::Dashboard": on(
    "arn:aws:cloudwatch::123456789012:dashboard/payments-prod-eu-west-1",
    "cloudwatch:PutDashboard cloudwatch:GetDashboard cloudwatch:DeleteDashboards",
  ),
  "AWS::CodeDeploy::Application": on(
    arn("codedeploy", "application:payments-prod-IntakeRollout-1A"),
    "codedeploy:CreateApplication codedeploy:GetApplication codedeploy:DeleteApplication codedeploy:TagResource",
  ),
  "AWS::CodeDeploy::DeploymentGroup": [
    ...on(
      arn("codedeploy", "deploymentgroup:payments-prod-IntakeRollout-1A/payments-prod-Group-1A"),
      "codedeploy:CreateDeploymentGroup codedeploy:CreateDeployment codedeploy:GetDeployment codedeploy:DeleteDeploymentGroup",
    ),
    ...on(
      arn("codedeploy", "deploymentconfig:CodeDeployDefault.LambdaCanary10Percent5Minutes"),
      "codedeploy:GetDeploymentConfig",
    ),
    ...on(role, "iam:PassRole", { "iam:PassedToService": "codedeploy.amazonaws.com" }),
    ...on(role, "iam:AttachRolePolicy", withBoundary),
  ],
  "AWS::DynamoDB::Table": [
    ...on(
      arn("dynamodb", "table/payments-prod-RecordsOrders-1A"),
      "dynamodb:CreateTable dynamodb:DescribeTable dynamodb:UpdateTable dynamodb:UpdateTimeToLive dynamodb:UpdateContinuousBackups dynamodb:TagResource",
    ),
    ...on("*", "kms:DescribeKey"),
    ...on(
      key,
      "kms:CreateGrant kms:Decrypt kms:Encrypt kms:GenerateDataKey kms:ReEncryptFrom",
      through("dynamodb"),
    ),
  ],
  "AWS::Events::Rule": on(
    arn("events", "rule/payments-prod-ReconciliationEveryMinute-1A"),
    "events:PutRule events:DescribeRule events:PutTargets events:RemoveTargets events:DeleteRule events:TagResource",
  ),
  "AWS::IAM::Role": [
    ...on(role, "iam:CreateRole iam:PutRolePolicy iam:PutRolePermissionsBoundary", withBoundary),
    ...on(
      role,
      "iam:GetRole iam:GetRolePolicy iam:ListRolePolicies iam:ListAttachedRolePolicies iam:UpdateRole iam:UpdateRoleDescription iam:UpdateAssumeRolePolicy iam:DeleteRole iam:DeleteRolePolicy iam:DetachRolePolicy iam:TagRole iam:UntagRole",
    ),
  ],
  "AWS::Lambda::Alias": on(`${receiver}:live`, "lambda:CreateAlias lambda:UpdateAlias"),
  "AWS::Lambda::EventInvokeConfig": on(receiver, "lambda:PutFunctionEventInvokeConfig"),
  "AWS::Lambda::EventSourceMapping": on(
    "*",
    "lambda:CreateEventSourceMapping lambda:GetEventSourceMapping lambda:UpdateEventSourceMapping lambda:DeleteEventSourceMapping lambda:TagResource",
  ),
  "AWS::Lambda::Function": [
    ...on(receiver, "lambda:CreateFunction lambda:GetFunction lambda:UpdateFunctionCode"),
    ...on(receiver, "lambda:PutFunctionConcurrency lambda:DeleteFunction lambda:TagResource"),
    ...on(role, "iam:PassRole", { "iam:PassedToService": "lambda.amazonaws.com" }),
    ...on("*", "ec2:DescribeSecurityGroups ec2:DescribeSubnets ec2:DescribeVpcs"),
    ...on("arn:aws:s3:::cdk-payments-assets-123456789012-eu-west-1/abc.zip", "s3:GetObject"),
  ],
  "AWS::Lambda::Permission": on(receiver, "lambda:AddPermission lambda:RemovePermission"),
  "AWS::Lambda::Version": on(receiver, "lambda:PublishVersion"),
  "AWS::Logs::LogGroup": [
    ...on("*", "logs:DescribeLogGroups"),
    ...[
      "payments-prod-IntakeReceiveCallbackLogs-1A",
      "/aws/vendedlogs/payments-prod-access",
    ].flatMap((name) =>
      on(
        arn("logs", `log-group:${name}`),
        "logs:CreateLogGroup logs:PutRetentionPolicy logs:AssociateKmsKey logs:TagResource logs:DeleteLogGroup logs:GetDataProtectionPolicy logs:DescribeIndexPolicies",
      ),
    ),
    ...on(
      auditLog,
      "logs:CreateLogGroup logs:PutRetentionPolicy logs:AssociateKmsKey logs:GetDataProtectionPolicy logs:DescribeIndexPolicies",
    ),
  ],
  "AWS::Logs::MetricFilter": on(
    arn("logs", "log-group:/aws/vendedlogs/payments-prod-access"),
    "logs:PutMetricFilter logs:DescribeMetricFilters logs:DeleteMetricFilter",
  ),
  "AWS::Route53::RecordSet": [
    ...on(zone, "route53:ChangeResourceRecordSets route53:ListResourceRecordSets"),
    ...on("arn:aws:route53:::change/C1", "route53:GetChange"),
  ],
  "AWS::SNS::Subscription": [
    ...on(topic, "sns:Subscribe sns:ListSubscriptionsByTopic"),
    ...on("*", "sns:Unsubscribe sns:GetSubscriptionAttributes"),
  ],
  "AWS::SNS::Topic": on(topic, "sns:CreateTopic sns:SetTopicAttributes sns:TagResource"),
  "AWS::SNS::TopicPolicy": on(topic, "sns:SetTopicAttributes"),
  "AWS::SQS::Queue": on(
    arn("sqs", "payments-prod-InboxMessagesQueue-1A.fifo"),
    "sqs:CreateQueue sqs:SetQueueAttributes sqs:GetQueueAttributes sqs:DeleteQueue sqs:TagQueue",
  ),
  "AWS::SQS::QueuePolicy": on(
    arn("sqs", "payments-prod-InboxMessagesQueue-1A.fifo"),
    "sqs:SetQueueAttributes",
  ),
  "AWS::SecretsManager::Secret": [
    ...on(
      secret,
      "secretsmanager:CreateSecret secretsmanager:DescribeSecret secretsmanager:UpdateSecret secretsmanager:DeleteSecret secretsmanager:TagResource secretsmanager:UntagResource secretsmanager:GetSecretValue",
    ),
    // The stamp key, whose value CloudFormation makes.
    ...on(stampKey, "secretsmanager:CreateSecret secretsmanager:DescribeSecret"),
    ...on("*", "secretsmanager:GetRandomPassword"),
    ...on(key, "kms:GenerateDataKey kms:Decrypt", through("secretsmanager")),
  ],
};

describe("the documented policy of deployments", () => {
  const types = new Set(Object.values(template.Resources).map(({ Type }) => Type));

  test.each([...types])("lets CloudFormation make each %s of a stack with every option", (type) => {
    const missing = callsFor[type]!.filter((call) => !allows(deployment, call));
    expect(missing).toEqual([]);
  });

  test("lets CloudFormation read the version of its bootstrap, which the template of a CDK app names", () => {
    const calls = on(bootstrapVersion, "ssm:GetParameters", here);
    expect(calls.filter((call) => !allows(deployment, call))).toEqual([]);
  });

  test.each(["deployment", "boundary"])("lets the %s use a KMS key of another account", (name) => {
    const calls = on(foreignKey, "kms:Decrypt kms:GenerateDataKey", through("sqs"));
    expect(calls.filter((call) => !allows(documented(name), call))).toEqual([]);
  });

  test.each(["deployment", "boundary"])("fits into a policy of IAM: %s", (name) => {
    expect(JSON.stringify(documented(name)).length).toBeLessThanOrEqual(6_144);
  });

  const anywhere = { ...here, ...through("secretsmanager") };
  test.each<[string, Call[]]>([
    ["a role without the boundary", on(role, "iam:CreateRole iam:PutRolePolicy", here)],
    ["an administrator", on(role, "iam:AttachRolePolicy", here)],
    ["a role that loses its boundary", on(role, "iam:DeleteRolePermissionsBoundary", withBoundary)],
    [
      "a role of others",
      on("arn:aws:iam::123456789012:role/admin", "iam:PassRole iam:PutRolePolicy", withBoundary),
    ],
    [
      "payments",
      on(
        arn("dynamodb", "table/payments-prod-RecordsOrders-1A"),
        "dynamodb:GetItem dynamodb:Scan dynamodb:PutItem dynamodb:PartiQLSelect",
      ),
    ],
    [
      "messages",
      on(
        arn("sqs", "payments-prod-Inbox.fifo"),
        "sqs:ReceiveMessage sqs:SendMessage sqs:PurgeQueue",
      ),
    ],
    ["a call", on(receiver, "lambda:InvokeFunction")],
    [
      "the changes of a table",
      on(arn("dynamodb", "table/payments-prod-RecordsOrders-1A/stream/1"), "dynamodb:GetRecords"),
    ],
    [
      "a table that others may read",
      on(arn("dynamodb", "table/payments-prod-RecordsOrders-1A"), "dynamodb:PutResourcePolicy"),
    ],
    [
      "log lines",
      on(
        arn("logs", "log-group:payments-prod-IntakeReceiveCallbackLogs-1A"),
        "logs:GetLogEvents logs:FilterLogEvents logs:StartQuery logs:StartLiveTail logs:CreateExportTask logs:PutSubscriptionFilter",
      ),
    ],
    [
      "secrets of others",
      on(arn("secretsmanager", "secret:db-a1B2c3"), "secretsmanager:GetSecretValue"),
    ],
    ["new values of secrets", on(secret, "secretsmanager:PutSecretValue")],
    ["what is encrypted, by itself", on(key, "kms:Decrypt", here)],
    ["parameters", on(arn("ssm", "parameter/db-password"), "ssm:GetParameters", anywhere)],
    ["functions of others", on(arn("lambda", "function:billing"), "lambda:AddPermission")],
    ["queues of others", on(arn("sqs", "billing"), "sqs:SetQueueAttributes")],
    [
      "another hosted zone",
      on("arn:aws:route53:::hostedzone/Z9", "route53:ChangeResourceRecordSets"),
    ],
    ["the audit log's end", on(auditLog, "logs:DeleteLogGroup logs:DeleteLogStream")],
    [
      "logs of others",
      on(
        arn("logs", "log-group:/aws/lambda/billing"),
        "logs:DeleteLogGroup logs:PutRetentionPolicy",
      ),
    ],
    [
      "alarms and dashboards of others",
      [
        ...on(
          arn("cloudwatch", "alarm:billing"),
          "cloudwatch:DeleteAlarms cloudwatch:PutMetricAlarm",
        ),
        ...on("arn:aws:cloudwatch::123456789012:dashboard/billing", "cloudwatch:DeleteDashboards"),
      ],
    ],
    ["rules of others", on(arn("events", "rule/billing"), "events:PutTargets events:DeleteRule")],
    [
      "deployments of others",
      on(arn("codedeploy", "deploymentgroup:billing/all"), "codedeploy:CreateDeployment"),
    ],
    ["a KMS key of others by itself", on(foreignKey, "kms:Decrypt", here)],
    ["another region", on("*", "apigateway:POST", { "aws:RequestedRegion": "us-east-1" })],
  ])("does not let it have %s", (_case, calls) => {
    expect(calls.filter((call) => allows(deployment, call))).toEqual([]);
  });
});

function contextOf(given: object) {
  return createStackContext({
    template: readTemplate(given),
    stackName: "payments-prod",
    sqsEndpoint: "http://sqs",
    apiEndpoint: "http://api",
  });
}

/** The stack's own: docs/deploying.md says that secrets of others are added by hand. */
const isOwn = (resource: string) => resource.includes("payments-prod");
/** Secrets Manager makes the ARN of a secret from its name. The local stack has no log groups, so their ARNs lack a part. */
const callOf = (action: string, resource: string): Call => ({
  action,
  resource: resource.startsWith("arn:")
    ? resource.replace(/^(arn:aws:logs:[^:]+:\d+:)/, "$1log-group:")
    : arn("secretsmanager", `secret:${resource}`),
});

describe("the documented boundary of roles", () => {
  const used = new Set(
    functionNames.flatMap((name) =>
      permissionsOf(template, name).flatMap((line) => {
        const [effect = "", action = ""] = line.split(" ");
        return effect === "Allow" ? [action] : [];
      }),
    ),
  );
  /** AWSCodeDeployRoleForLambdaLimited, without what needs a file in S3. */
  const byCodeDeploy = [
    "cloudwatch:DescribeAlarms",
    "lambda:GetAlias",
    "lambda:GetProvisionedConcurrencyConfig",
    "lambda:UpdateAlias",
  ];

  test("lets the roles of a stack with every option do what they need, and no more", () => {
    const bounded = boundary.Statement.flatMap(({ Action }) => [Action].flat());
    const needed = [...new Set([...used, ...byCodeDeploy])];
    // One statement may have the group of actions that holds another one's single action.
    const isCovered = (action: string) =>
      bounded.includes(action) || bounded.includes(`${action}*`);
    expect(needed.filter((action) => !isCovered(action))).toEqual([]);
    expect(bounded.filter((action) => !needed.includes(action))).toEqual([]);
  });

  test("lets each function use each resource that its role names, also the key of the stamps", () => {
    const text = JSON.stringify(readPermissions(contextOf(template)).principals)
      .replaceAll("us-east-1", "eu-west-1")
      .replaceAll("000000000000", "123456789012");
    const principals: Principal[] = JSON.parse(text);
    const calls = principals.flatMap(({ statements }) =>
      statements.flatMap(({ Action, Resource }) =>
        Action.flatMap((action) =>
          Resource.filter(isOwn).flatMap((named) => callOf(action, named)),
        ),
      ),
    );
    expect(calls.length).toBeGreaterThan(30);
    expect(calls.filter((call) => !allows(boundary, call))).toEqual([]);
  });

  test.each<[string, Call[], Call[]]>([
    [
      "queues",
      on(arn("sqs", "payments-prod-Inbox.fifo"), "sqs:SendMessage"),
      on(arn("sqs", "billing"), "sqs:SendMessage"),
    ],
    [
      "secrets",
      on(secret, "secretsmanager:GetSecretValue"),
      on(arn("secretsmanager", "secret:db-a1B2c3"), "secretsmanager:GetSecretValue"),
    ],
    [
      "functions",
      on(`${receiver}:live`, "lambda:GetAlias lambda:UpdateAlias"),
      on(arn("lambda", "function:billing:live"), "lambda:GetAlias lambda:UpdateAlias"),
    ],
  ])("lets them have %s of the stack, and none of others", (_case, own, foreign) => {
    expect(own.filter((call) => !allows(boundary, call))).toEqual([]);
    expect(foreign.filter((call) => allows(boundary, call))).toEqual([]);
  });

  test("is not needed for anything but roles", () => {
    expect(resourcesOf(template, "AWS::IAM::Policy")).toEqual([]);
    expect(resourcesOf(template, "AWS::IAM::ManagedPolicy")).toEqual([]);
  });
});
