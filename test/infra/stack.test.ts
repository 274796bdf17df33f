import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { functionNames } from "../../infra/config/function-names.ts";
import * as timing from "../../shared/timing.ts";
import { everyOption } from "./every-option.ts";
import {
  functionNamed,
  resourceNamed,
  resourcesOf,
  spell,
  synthesizeTemplate,
} from "./stack-template.ts";

const template = synthesizeTemplate();
const functions = resourcesOf(template, "AWS::Lambda::Function");

describe("the template", () => {
  test("can be deployed: no resources wait for each other", () => {
    expect(() => Template.fromJSON(template)).not.toThrow();
  });

  test("passes the library's own validation of CloudFormation", () => {
    expect(() => synthesizeTemplate({}, {})).not.toThrow();
  });

  test("holds plain resources only: no parameters, no custom resources, no nested stacks", () => {
    expect(Object.keys(template).sort()).toEqual(["Description", "Outputs", "Resources"]);
    const types = Object.values(template.Resources).map(({ Type }) => Type);
    expect(types.filter((type) => /^Custom::|CustomResource|::Stack$|CDK::/.test(type))).toEqual(
      [],
    );
  });

  test("leaves names to CloudFormation, so that it can be deployed twice", () => {
    const named = [
      "QueueName",
      "TableName",
      "FunctionName",
      "RoleName",
      "LogGroupName",
      "AlarmName",
    ];
    for (const [id, { Type, Properties }] of Object.entries(template.Resources)) {
      const physical =
        Type.startsWith("AWS::Lambda::") && Type !== "AWS::Lambda::Function" ? [] : named;
      // Named after the stack, because only a log group with this prefix is free of a limit of the account.
      if (/^\/aws\/vendedlogs\/Paycast-/.test(Properties.LogGroupName)) continue;
      for (const name of physical) expect(Properties, id).not.toHaveProperty(name);
      if (Type === "AWS::SecretsManager::Secret") expect(Properties).not.toHaveProperty("Name");
    }
  });
});

describe("every function", () => {
  test.each(functions)("%s runs on arm64 and Node 24, with a log of its own", (_, lambda) => {
    expect(lambda.Properties).toMatchObject({
      Runtime: "nodejs24.x",
      Architectures: ["arm64"],
      Handler: "index.handler",
      LoggingConfig: { LogFormat: "Text" },
    });
    expect(lambda.Properties).not.toHaveProperty("TracingConfig");
    const logs = resourceNamed(template, spell(lambda.Properties.LoggingConfig.LogGroup));
    expect(logs.Properties.RetentionInDays).toBe(90);
  });

  test.each(functions)("%s counts its outcomes under the stack's name", (_, lambda) => {
    expect(lambda.Properties.Environment.Variables.METRICS_NAMESPACE).toBe("Paycast");
  });

  test("ships a bundle of its own and names its folder", () => {
    const assets = functions.map(([, { Metadata }]) => Metadata?.["aws:asset:path"]);
    expect(assets).toEqual(functions.map(() => expect.stringMatching(/^asset\.[0-9a-f]{64}$/)));
    expect(new Set(assets).size).toBe(functions.length);
  });

  test.each([
    ["receive-callback", timing.receiveTimeoutMilliseconds],
    ["process-callback", timing.processTimeoutMilliseconds],
    ["create-order", timing.createTimeoutMilliseconds],
    ["query-order", timing.queryTimeoutMilliseconds],
    ["reconcile-orders", timing.runTimeoutMilliseconds],
    ["count-attention", timing.countTimeoutMilliseconds],
  ] as const)("%s has the timeout that its deadlines are made for", (name, milliseconds) => {
    expect(functionNamed(template, name).Properties.Timeout * 1000).toBe(milliseconds);
  });

  test("shares the account's concurrency with the others, unless the config reserves some", () => {
    for (const [, { Properties }] of functions) {
      expect(Properties).not.toHaveProperty("ReservedConcurrentExecutions");
    }
    const stack = synthesizeTemplate(everyOption);
    const reserved = functionNames.map(
      (name) => functionNamed(stack, name).Properties.ReservedConcurrentExecutions,
    );
    expect(reserved).toEqual([20, 9, undefined, 4, 3, 1]);
  });
});

describe("the functions' environment", () => {
  const variablesOf = (name: Parameters<typeof functionNamed>[1], stack = template) => {
    const { Variables } = functionNamed(stack, name).Properties.Environment;
    return Object.fromEntries(Object.entries(Variables).map(([key, value]) => [key, spell(value)]));
  };

  test("tells receive-callback the inbox, the callback keys and the window", () => {
    expect(variablesOf("receive-callback")).toEqual({
      INBOX_QUEUE_URL: "InboxMessagesQueue",
      CALLBACK_KEYS: '{"M1":"KeysCallbackKeysM1","M2":"KeysCallbackKeysM2"}',
      CALLBACK_MAX_AGE_SECONDS: String(192 * 3600),
      CALLBACK_MAX_AHEAD_SECONDS: "300",
      PREVIOUS_KEYS_SECONDS: String(192 * 3600),
      METRICS_NAMESPACE: "Paycast",
    });
  });

  test("tells process-callback the tables, the inbox, the dead letters, the subscribers and the event's source", () => {
    expect(variablesOf("process-callback")).toEqual({
      CALLBACKS_TABLE: "RecordsCallbacks",
      ORDERS_TABLE: "RecordsOrders",
      INBOX_QUEUE_URL: "InboxMessagesQueue",
      INBOX_DEAD_LETTERS_URL: "InboxMessagesDeadLetters",
      SUBSCRIBERS: expect.any(String),
      RECORD_EXPIRY_DAYS: "90",
      EVENT_SOURCE: "urn:paycast:AWS::Region:AWS::AccountId:Paycast",
      METRICS_NAMESPACE: "Paycast",
    });
  });

  test("tells the functions that call the payment service its address, the request keys and what each of them needs", () => {
    const gateway = {
      baseUrl: "https://payments.example.com",
      pathPrefix: "",
      paths: {
        create: "/payment/api/v1/payment-order",
        query: "/payment/api/v1/payment-order/query",
      },
      shortOrderNumbers: false,
    };
    const shared = {
      ORDERS_TABLE: "RecordsOrders",
      REQUEST_KEYS: '{"M1":"KeysRequestKeysM1","M2":"KeysRequestKeysM2"}',
      GATEWAY: JSON.stringify(gateway),
      METRICS_NAMESPACE: "Paycast",
    };
    expect(variablesOf("create-order")).toEqual({
      ...shared,
      CALLBACK_URL: "HttpApi/callbacks",
      REDIRECT_ORIGINS: "[]",
    });
    for (const name of ["query-order", "reconcile-orders"] as const) {
      expect(variablesOf(name)).toEqual({ ...shared, INBOX_QUEUE_URL: "InboxMessagesQueue" });
    }
  });

  test("follows the config", () => {
    const stack = synthesizeTemplate({
      callbacks: { maxAgeHours: 1, maxAheadSeconds: 2, previousKeysHours: 3, recordExpiryDays: 20 },
      storefront: { redirectOrigins: ["https://shop.example.com", "myshop:"] },
    });
    expect(variablesOf("receive-callback", stack)).toMatchObject({
      CALLBACK_MAX_AGE_SECONDS: "3600",
      CALLBACK_MAX_AHEAD_SECONDS: "2",
      PREVIOUS_KEYS_SECONDS: "10800",
    });
    expect(variablesOf("process-callback", stack)["RECORD_EXPIRY_DAYS"]).toBe("20");
    expect(variablesOf("create-order", stack)["REDIRECT_ORIGINS"]).toBe(
      '["https://shop.example.com","myshop:"]',
    );
  });
});

describe("the schedules", () => {
  const rules = resourcesOf(template, "AWS::Events::Rule");
  const invokes = resourcesOf(template, "AWS::Lambda::EventInvokeConfig");

  test("are two: reconcile-orders and count-attention, once a minute, and nothing else", () => {
    expect(rules.map(([, { Properties }]) => Properties)).toMatchObject(
      Array.from({ length: 2 }, () => ({
        ScheduleExpression: "rate(1 minute)",
        State: "ENABLED",
        Targets: [{}],
      })),
    );
    const started = rules.map(([, { Properties }]) => spell(Properties.Targets[0].Arn));
    expect(started.sort()).toEqual([
      "AttentionCountAttentionFunction",
      "ReconciliationReconcileOrdersFunction",
    ]);
    expect(resourcesOf(template, "AWS::Scheduler::Schedule")).toEqual([]);
  });

  test("repeat no run: neither Lambda nor EventBridge, since the next run finds the same orders", () => {
    const once = { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 };
    expect(invokes.map(([, { Properties }]) => Properties)).toMatchObject([once, once]);
    const retries = rules.map(([, { Properties }]) => Properties.Targets[0].RetryPolicy);
    expect(retries).toEqual([once, once]);
  });

  test("count what needs a person also without a payment service to ask", () => {
    const alone = synthesizeTemplate({ gateway: undefined });
    const [[, rule]] = resourcesOf(alone, "AWS::Events::Rule") as [(typeof rules)[number]];
    expect(spell(rule.Properties.Targets[0].Arn)).toBe("AttentionCountAttentionFunction");
    expect(resourcesOf(alone, "AWS::Events::Rule")).toHaveLength(1);
    expect(resourcesOf(alone, "AWS::Lambda::Function")).toHaveLength(3);
  });
});
