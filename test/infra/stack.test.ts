import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { everyOption } from "./every-option.ts";
import {
  propertiesOf,
  resourcesOf,
  type StackTemplate,
  smokeAndCapture,
  stackInWords,
  synthesizeTemplate,
} from "./stack-template.ts";

const stack = stackInWords();
const receiving = stackInWords({ gateway: undefined });

describe("the template", () => {
  test("can be deployed: no resources wait for each other", () => {
    expect(() => Template.fromJSON(synthesizeTemplate())).not.toThrow();
  });

  test("passes the library's own validation of CloudFormation, with every option", () => {
    expect(() => synthesizeTemplate(everyOption, {})).not.toThrow();
  });

  test("holds plain resources only: no parameters, no custom resources, no nested stacks", () => {
    expect(Object.keys(stack).sort()).toEqual(["Description", "Outputs", "Resources"]);
    const types = Object.values(stack.Resources).map(({ Type }) => Type);
    expect(types.filter((type) => /^Custom::|CustomResource|::Stack$|CDK::/.test(type))).toEqual(
      [],
    );
  });

  test("leaves names to CloudFormation, so that it can be deployed twice", () => {
    const names = ["Queue", "Table", "Function", "Role", "LogGroup", "Alarm", "Secret"];
    const named = Object.values(synthesizeTemplate().Resources).filter(({ Type, Properties }) =>
      names.some(
        (name) =>
          Type.endsWith(`::${name}`) && ("Name" in Properties || `${name}Name` in Properties),
      ),
    );
    // Named after the stack, because only a log group with this prefix is free of a limit of the account.
    expect(named.map(({ Properties }) => Properties)).toMatchObject([
      { LogGroupName: expect.stringMatching(/^\/aws\/vendedlogs\/Paycast-/) },
    ]);
  });
});

describe("the schedules", () => {
  const counting = "AttentionCountAttentionFunction";
  const startedBy = (template: StackTemplate) =>
    Object.values(propertiesOf(template, "AWS::Events::Rule")).map(({ Targets }) => Targets[0].Arn);

  test("are two, or one without a payment service to ask", () => {
    expect(startedBy(stack).sort()).toEqual([counting, "ReconciliationReconcileOrdersFunction"]);
    expect(startedBy(receiving)).toEqual([counting]);
    expect(resourcesOf(stack, "AWS::Scheduler::Schedule")).toEqual([]);
  });

  test("start once a minute and repeat no run: neither Lambda nor EventBridge, since the next run finds the same", () => {
    const once = { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 };
    const invokes = Object.values(propertiesOf(stack, "AWS::Lambda::EventInvokeConfig"));
    expect(invokes).toMatchObject([once, once]);
    const rule = { ScheduleExpression: "rate(1 minute)", State: "ENABLED" };
    const each = { ...rule, Targets: [{ RetryPolicy: once }] };
    expect(Object.values(propertiesOf(stack, "AWS::Events::Rule"))).toMatchObject([each, each]);
  });
});

const numbered = <T>(length: number, make: (index: number) => T) =>
  Array.from({ length }, (_item, index) => make(index));

describe("the outputs", () => {
  const valuesOf = ({ Outputs }: StackTemplate) =>
    Object.fromEntries(Object.entries(Outputs).map(([key, { Value }]) => [key, Value]));
  /** Several outputs about one resource or group of resources, by the ends of their names. */
  const outputsOf = (output: string, id: string, parts: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(parts).map(([end, resource]) => [output + end, id + resource]),
    );
  const ofFunction = (flow: string, name: string) =>
    outputsOf(name, flow + name, { Function: "Function", LogGroup: "Logs", RoleArn: "Role.Arn" });
  const ofQueues = (output: string, id: string) => ({
    ...outputsOf(output, id, { QueueUrl: "Queue", QueueArn: "Queue.Arn" }),
    ...outputsOf(output, id, { DeadLettersUrl: "DeadLetters", DeadLettersArn: "DeadLetters.Arn" }),
  });
  const keysOf = (merchantId: string) => ({
    [`CallbackKeys${merchantId}`]: `KeysCallbackKeys${merchantId}`,
    [`RequestKeys${merchantId}`]: `KeysRequestKeys${merchantId}`,
  });
  const withoutService = {
    CallbackUrl: "HttpApi.ApiEndpoint/callbacks",
    ApiUrl: "HttpApi.ApiEndpoint",
    ApiId: "HttpApi",
    ExecuteApiArn: "arn:AWS::Partition:execute-api:AWS::Region:AWS::AccountId:HttpApi",
    CallbacksTable: "RecordsCallbacks",
    OrdersTable: "RecordsOrders",
    ...keysOf("M1"),
    ...keysOf("M2"),
    StampKey: "KeysStampKey",
    ...ofQueues("Inbox", "InboxMessages"),
    ...ofQueues("SubscriberFulfilment", "Subscribersfulfilment"),
    ...ofQueues("SubscriberAnalytics", "Subscribersanalytics"),
    ...ofFunction("Intake", "ReceiveCallback"),
    ...ofFunction("Processing", "ProcessCallback"),
    ...ofFunction("Attention", "CountAttention"),
    AccessLogGroup: "HttpAccessLog",
    AuditLogGroup: "AuditLog",
    DashboardUrl: expect.stringContaining("#dashboards/dashboard/Paycast-"),
    Version: packageJson.version,
  };
  const usual = {
    ...withoutService,
    ...ofFunction("Storefront", "CreateOrder"),
    ...ofFunction("Storefront", "QueryOrder"),
    ...ofFunction("Reconciliation", "ReconcileOrders"),
  };

  test("name what people and commands need to find", () => {
    expect(valuesOf(stack)).toEqual(usual);
    expect(valuesOf(receiving)).toEqual(withoutService);
    expect(valuesOf(stackInWords(smokeAndCapture))).toEqual({
      ...usual,
      SmokeCallbackKeys: "KeysCallbackKeyspaycastsmoke",
      SmokeQueueUrl: "Subscriberspaycastsmoke",
      CapturedQueueUrl: "IntakeCaptured",
    });
  });

  test("stay below CloudFormation's limit of 200 in the largest config that fits", () => {
    const merchants = numbered(20, (index) => `M${index}`);
    const subscribers = numbered(13, (index) => ({ name: `s${index}`, types: ["*" as const] }));
    const { Outputs } = synthesizeTemplate({ merchants, subscribers, smoke: true });
    expect(Object.keys(Outputs).length).toBeLessThanOrEqual(200);
  });

  test("keep merchants apart whose ids differ in punctuation only", () => {
    const { Outputs } = synthesizeTemplate({ merchants: ["a-b", "a_b", "ab"] });
    const keys = Object.keys(Outputs).filter((key) => key.startsWith("CallbackKeys"));
    expect(new Set(keys).size).toBe(3);
    expect(keys).toContain("CallbackKeysab");
  });
});
