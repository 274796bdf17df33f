import { describe, expect, test } from "vitest";
import { type FunctionName, functionNames } from "../../infra/config/function-names.ts";
import * as timing from "../../shared/timing.ts";
import { everyOption } from "./every-option.ts";
import { functionNamed, resourcesOf, smokeAndCapture, stackInWords } from "./stack-template.ts";

const stack = stackInWords();
const full = stackInWords(everyOption);

const timeouts: Record<FunctionName, number> = {
  "receive-callback": timing.receiveTimeoutMilliseconds,
  "process-callback": timing.processTimeoutMilliseconds,
  "count-attention": timing.countTimeoutMilliseconds,
  "create-order": timing.createTimeoutMilliseconds,
  "query-order": timing.queryTimeoutMilliseconds,
  "reconcile-orders": timing.runTimeoutMilliseconds,
};

describe("every function", () => {
  const functions = resourcesOf(stack, "AWS::Lambda::Function");

  test.each(functionNames)("%s has the timeout that its deadlines are made for", (name) => {
    const { Properties } = functionNamed(stack, name);
    expect(Properties).toMatchObject({
      Runtime: "nodejs24.x",
      Architectures: ["arm64"],
      Handler: "index.handler",
      LoggingConfig: { LogFormat: "Text", LogGroup: Properties.Role.replace(/Role$/, "Logs") },
      Timeout: timeouts[name] / 1000,
    });
  });

  test("ships a bundle of its own and names its folder", () => {
    const assets = functions.map(([, { Metadata }]) => Metadata?.["aws:asset:path"]);
    expect(assets).toEqual(functions.map(() => expect.stringMatching(/^asset\.[0-9a-f]{64}$/)));
    expect(new Set(assets).size).toBe(functions.length);
  });

  test("shares the account's concurrency and is not traced, unless the config says so", () => {
    const found = [stack, full].map((template) =>
      functionNames.map((name) => {
        const { ReservedConcurrentExecutions, TracingConfig } = functionNamed(
          template,
          name,
        ).Properties;
        return [ReservedConcurrentExecutions, TracingConfig?.Mode];
      }),
    );
    const none = [undefined, undefined];
    const reserved = [20, 9, undefined, 4, 3, 1].map((instances) => [instances, "Active"]);
    expect(found).toEqual([functionNames.map(() => none), reserved]);
  });
});

describe("the functions' environment", () => {
  const gateway = (changes: object) =>
    JSON.stringify({
      baseUrl: "https://payments.example.com",
      pathPrefix: "",
      paths: {
        create: "/payment/api/v1/payment-order",
        query: "/payment/api/v1/payment-order/query",
      },
      shortOrderNumbers: false,
      exactSums: true,
      callerCodes: [],
      ...changes,
    });
  const subscriber = (name: string, types: string[]) => ({
    name,
    types,
    queue: `Subscribers${name}Queue`,
  });
  const subscribers = [
    subscriber("fulfilment", ["payment.order.success"]),
    subscriber("analytics", ["*"]),
  ];
  const secrets = (kind: string) => ({ M1: `Keys${kind}KeysM1`, M2: `Keys${kind}KeysM2` });
  const callsService = {
    ORDERS_TABLE: "RecordsOrders",
    REQUEST_KEYS: JSON.stringify(secrets("Request")),
    GATEWAY: gateway({}),
  };
  const notices = { CALLBACKS_TABLE: "RecordsCallbacks", RECORD_EXPIRY_DAYS: "90" };
  const STAMP_KEY = "KeysStampKey";
  const toInbox = { INBOX_QUEUE_URL: "InboxMessagesQueue", STAMP_KEY };
  const usual: Record<FunctionName, Record<string, string>> = {
    "receive-callback": {
      INBOX_QUEUE_URL: "InboxMessagesQueue",
      STAMP_KEY,
      CALLBACK_KEYS: JSON.stringify(secrets("Callback")),
      CALLBACK_MAX_AGE_SECONDS: String(192 * 3600),
      CALLBACK_MAX_AHEAD_SECONDS: "300",
      PREVIOUS_KEYS_SECONDS: String(192 * 3600),
    },
    "process-callback": {
      CALLBACKS_TABLE: "RecordsCallbacks",
      ORDERS_TABLE: "RecordsOrders",
      INBOX_QUEUE_URL: "InboxMessagesQueue",
      INBOX_DEAD_LETTERS_URL: "InboxMessagesDeadLetters",
      STAMP_KEY,
      SUBSCRIBERS: JSON.stringify(subscribers),
      RECORD_EXPIRY_DAYS: "90",
      EVENT_SOURCE: "urn:paycast:AWS::Region:AWS::AccountId:Paycast",
    },
    "count-attention": { CALLBACKS_TABLE: "RecordsCallbacks" },
    "create-order": {
      ...callsService,
      ...notices,
      CALLBACK_URL: "HttpApi/callbacks",
      REDIRECTS: '{"loopback":false}',
    },
    "query-order": { ...callsService, ...toInbox },
    "reconcile-orders": { ...callsService, ...toInbox, ...notices },
  };
  const smoke = { name: "paycast-smoke", types: ["*"], merchants: ["paycast-smoke"] };

  test.each<[string, Parameters<typeof stackInWords>[0], Partial<typeof usual>]>([
    ["needs: addresses, keys and windows", {}, {}],
    [
      "needs for smoke tests and captured envelopes, which no storefront knows",
      smokeAndCapture,
      {
        "receive-callback": {
          CALLBACK_KEYS: JSON.stringify({
            ...secrets("Callback"),
            "paycast-smoke": "KeysCallbackKeyspaycastsmoke",
          }),
          CAPTURED_QUEUE_URL: "IntakeCaptured",
          CAPTURE_UNTIL_MILLISECONDS: String(Date.parse("2020-02-01T00:00:00Z")),
        },
        "process-callback": {
          SUBSCRIBERS: JSON.stringify([
            ...subscribers,
            { ...smoke, queue: "Subscriberspaycastsmoke" },
          ]),
        },
      },
    ],
    [
      "finds in the config",
      {
        callbacks: {
          maxAgeHours: 1,
          maxAheadSeconds: 2,
          previousKeysHours: 3,
          recordExpiryDays: 20,
          sourceAddresses: ["203.0.113.0/24"],
        },
        storefront: { redirectOrigins: ["https://shop.example.com", "myshop:"] },
        subscribers: [{ name: "mail", types: ["*"], merchants: ["M2"] }],
      },
      {
        "receive-callback": {
          CALLBACK_MAX_AGE_SECONDS: "3600",
          CALLBACK_MAX_AHEAD_SECONDS: "2",
          PREVIOUS_KEYS_SECONDS: "10800",
          ALLOWED_SOURCES: '["203.0.113.0/24"]',
        },
        "process-callback": {
          RECORD_EXPIRY_DAYS: "20",
          SUBSCRIBERS: JSON.stringify([
            {
              name: "mail",
              types: ["*"],
              merchants: ["M2"],
              queue: "SubscribersmailQueue",
            },
          ]),
        },
        "create-order": {
          RECORD_EXPIRY_DAYS: "20",
          REDIRECTS: '{"origins":["https://shop.example.com","myshop:"],"loopback":false}',
        },
        "reconcile-orders": { RECORD_EXPIRY_DAYS: "20" },
      },
    ],
    [
      "needs where strangers may create orders",
      { storefront: { access: "open" } },
      { "create-order": { REDIRECTS: '{"origins":[],"loopback":false}' } },
    ],
  ])("tells each of them what it %s", (_case, changes, others) => {
    const template = stackInWords(changes);
    for (const name of functionNames) {
      expect(functionNamed(template, name).Properties.Environment.Variables, name).toEqual({
        ...usual[name],
        ...others[name],
        METRICS_NAMESPACE: "Paycast",
      });
    }
  });
});
