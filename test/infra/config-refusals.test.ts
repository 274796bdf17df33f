import { describe, expect, test } from "vitest";
import { parseConfig } from "../../infra/config/config-schema.ts";

const certificateArn = "arn:aws:acm:eu-west-1:123456789012:certificate/c-1";
const secret = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:one-a1B2c3";
const storefront = { access: "jwt", issuer: "https://id.example.com", audience: ["a"] };
const alias = "arn:aws:kms:eu-west-1:123456789012:alias/payments";
const account = "210987654321";
const crm = { name: "crm", types: ["*"] };

const right = {
  merchants: ["M1", "M2"],
  subscribers: [
    { ...crm, readers: [account], operators: [] },
    { ...crm, name: "mail", merchants: ["M1", "M2"] },
  ],
  callbacks: { sourceAddresses: ["203.0.113.0/24", "198.51.100.7"], maxAgeHours: 360 },
  secrets: { M1: { callbackKeysArn: secret }, M2: {} },
  gateway: { baseUrl: "https://pay.example.com", paths: {}, callerCodes: ["1"] },
  storefront: {
    ...storefront,
    cors: { origins: ["https://a.example"] },
    redirectOrigins: [],
    requestsPerSecond: {},
  },
  domain: { name: "pay.a.example", certificateArn },
  concurrency: { processCallback: 9 },
  egress: { subnetIds: ["subnet-0a1b2c3d4e5f60718"], securityGroupIds: ["sg-0a1b2c3d4e5f60718"] },
  operators: [],
  alarms: { email: "a@example.com" },
};

/** The right config with another value at a path such as "subscribers.0.name". */
function withValue(path: string, value: unknown): object {
  const config = structuredClone(right);
  const names = path.split(".");
  const last = names.pop()!;
  const part = names.reduce<object>((outer, name) => Reflect.get(outer, name), config);
  Reflect.set(part, last, value);
  return config;
}

const tooManyMerchants = Array.from({ length: 21 }, (_item, index) => `M${index}`);
const noService = "must be an https address";
const noOrigin = "must be an https origin";
const noRole = "must be the ARN of a role with its path";
const noDate = 'must be a date or a time, like "2026-11-30"';
const noAddress = 'must be an IP address or a block like "203.0.113.0/24"';
const ofCallbacks = "must not be a secret of callback keys";
const ofSmokeTests = (what: string) =>
  `must not be paycast-smoke: this is the ${what} of smoke tests`;

describe("a config", () => {
  test("is accepted if it is right, so each row below shows what one wrong value does", () => {
    expect(() => parseConfig(right)).not.toThrow();
  });

  test.each<[wrong: string, path: string, value: unknown, message: string]>([
    ["no merchants", "merchants", undefined, "must be an array"],
    ["an id that is too long", "merchants.0", "M".repeat(19), "must be 1 to 18 "],
    ["an id with other characters", "merchants.0", "a b", "must be 1 to 18 "],
    ["an id that readers of JSON drop", "merchants.1", "__proto__", "must not be __proto__"],
    ["the smoke tests' merchant", "merchants.1", "paycast-smoke", ofSmokeTests("merchant")],
    ["a merchant twice", "merchants", ["M1", "M1"], "must not name a merchant twice"],
    ["too many merchants", "merchants", tooManyMerchants, "must have at most 20 entries"],
    ["a name with capitals", "subscribers.0.name", "CRM", "must be lower case"],
    ["the smoke name", "subscribers.0.name", "paycast-smoke", ofSmokeTests("subscriber")],
    ["it without a dash", "subscribers.1.name", "paycastsmoke", ofSmokeTests("subscriber")],
    ["a subscriber twice", "subscribers.1.name", "crm", "must differ"],
    ["names that differ in dashes only", "subscribers.1.name", "c-rm", "must differ"],
    ["a type twice", "subscribers.0.types", ["*", "*"], "must not name a type twice"],
    ["events of no merchant", "subscribers.1.merchants", [], "must have at least 1 entry"],
    ["one twice", "subscribers.1.merchants", ["M1", "M1"], "must not name a merchant twice"],
    ["an unknown one", "subscribers.1.merchants.1", "M3", "must be one of the config's merchants"],
    [
      "a reader twice",
      "subscribers.0.readers",
      [account, account],
      "must not name an account twice",
    ],
    ["no account", "subscribers.0.readers.0", "1234", "must be an account id of 12 digits"],
    ["no role", "subscribers.0.operators.0", "arn:aws:iam::123456789012:user/anna", noRole],
    ["too fast a consumer", "subscribers.0.consumerTimeoutSeconds", 29, "must be at least 30"],
    ["no Lambda's timeout", "subscribers.0.consumerTimeoutSeconds", 901, "must be at most 900"],
    ["too long a wait", "subscribers.0.maxWaitMinutes", 20_000, "must be at most 14400"],
    ["capturing until no date", "callbacks.captureUntil", "2026-02-30", noDate],
    ["a time without a zone", "callbacks.captureUntil", "2026-11-30T18:00:00", noDate],
    ["a host name as source", "callbacks.sourceAddresses.1", "pay.example.com", noAddress],
    ["no source", "callbacks.sourceAddresses", [], "must have at least 1 entry"],
    ["less than the inbox keeps", "callbacks.recordExpiryDays", 14, "must be at least 15"],
    ["only the window", "callbacks.recordExpiryDays", 15, "must be longer than maxAgeHours"],
    ["keys of nobody", "secrets.M9", {}, "must belong to one of the config's merchants"],
    [
      "half an ARN",
      "secrets.M2.callbackKeysArn",
      secret.slice(0, -7),
      "must be the complete ARN of a",
    ],
    ["one secret for both directions", "secrets.M1.requestKeysArn", secret, ofCallbacks],
    ["another's callback keys", "secrets.M2.requestKeysArn", secret, ofCallbacks],
    ["a storefront alone", "gateway", undefined, "must be set together with storefront"],
    ["no code of the service", "gateway.callerCodes.0", "not a code", "must be 1 to 40 letters"],
    ["too many codes", "gateway.callerCodes", Array(31).fill("1"), "must have at most 30 entries"],
    ["a service without TLS", "gateway.baseUrl", "http://pay.example.com", noService],
    ["a service with a path", "gateway.baseUrl", "https://pay.example.com/cgi", noService],
    ["a prefix without a slash", "gateway.pathPrefix", "cgi", "must be empty or like"],
    ["a path without a slash", "gateway.paths.query", "q", "must be a path"],
    ["other access", "storefront.access", "public", 'must be one of "iam", "jwt", "open"'],
    ["tokens of nobody", "storefront.issuer", undefined, "must be set"],
    ["tokens for nobody", "storefront.audience", undefined, "must be set"],
    ["an origin with a path", "storefront.cors.origins.0", "https://a.example/x", noOrigin],
    ["every origin", "storefront.cors.origins.0", "*", noOrigin],
    ["no requests at all", "storefront.requestsPerSecond.create", 0, "must be at least 1"],
    ["a scheme that browsers run", "storefront.redirectOrigins.0", "javascript:", noOrigin],
    ["a plain http origin", "storefront.redirectOrigins.0", "http://a.example", noOrigin],
    ["a domain that is an address", "domain.name", "https://a.example", "must be a host name"],
    ["no certificate", "domain.certificateArn", "x", "must be an ACM certificate ARN"],
    ["a function that is off", "concurrency.receiveCallback", 0, "must be at least 1"],
    ["one reader of the inbox", "concurrency.inbox", 1, "must be at least 2"],
    ["more readers than instances", "concurrency.inbox", 10, "must be at most processCallback"],
    ["no subnet", "egress.subnetIds", [], "must have at least 1 entry"],
    ["the name of a subnet", "egress.subnetIds.0", "private", "must be the id of a subnet"],
    ["no security group", "egress.securityGroupIds", undefined, "must be an array"],
    ["a time CloudWatch does not know", "logRetentionDays", 15, "must be one of 1, 3, 5, 7, 14,"],
    ["another rollout", "rollout", "canary", 'must be one of "at-once", "gradual"'],
    ["a policy with a copy", "removalPolicy", "snapshot", 'must be "retain" or "destroy"'],
    [
      "an alias of a key",
      "encryptionKeyArn",
      alias,
      "must be the ARN of a KMS key, not of an alias",
    ],
    ["a session", "operators.0", "arn:aws:sts::123456789012:assumed-role/on-call/anna", noRole],
    ["every role of an account", "operators.0", "arn:aws:iam::123456789012:role/*", noRole],
    ["a role of every account", "operators.0", "arn:aws:iam::*:role/on-call", noRole],
    ["a topic that is none", "alarms.topicArn", "on-call", "must be the ARN"],
    ["an address that is none", "alarms.email", "on-call", "must be an email address"],
    [
      "an address with a name",
      "alarms.email",
      "on call <a@example.com",
      "must be an email address",
    ],
    ["alarms for nobody", "alarms", {}, "must have topicArn or email"],
    ["a morning without anybody", "alarms.morning", {}, "must have topicArn or email"],
  ])("refuses %s: %s = %j", (_case, path, value, message) => {
    expect(() => parseConfig(withValue(path, value))).toThrow(`${path} ${message}`);
  });

  test.each<[wrong: string, changes: object, message: string]>([
    ["an unknown field", { subscribes: [] }, "the config has unknown fields: subscribes"],
    [
      "a queue of another account to push into",
      { subscribers: [{ ...crm, queueArn: `arn:aws:sqs:eu-west-1:${account}:x.fifo` }] },
      "subscribers.0 has unknown fields: queueArn",
    ],
    [
      "a subscriber to the merchant of smoke tests",
      { smoke: true, subscribers: [{ ...crm, merchants: ["paycast-smoke"] }] },
      "subscribers.0.merchants.0 must be one of the config's merchants",
    ],
    [
      "all addresses as sources, also in two halves",
      { callbacks: { sourceAddresses: ["10.0.0.0/8", "0.0.0.0/1", "128.0.0.0/1", "::/0"] } },
      "callbacks.sourceAddresses.1 must not be a block larger than /8: without sourceAddresses, callbacks are accepted from anywhere; callbacks.sourceAddresses.2 must not",
    ],
    [
      "an issuer that is not asked",
      { storefront: { issuer: storefront.issuer } },
      "storefront.issuer must be set",
    ],
    [
      "the inbox's default beside a smaller reservation",
      { concurrency: { processCallback: 4 } },
      "concurrency.inbox must be at most processCallback",
    ],
    [
      "instances for a storefront that is not there",
      { gateway: undefined, storefront: undefined, concurrency: { queryOrder: 3 } },
      "gateway must be set together with concurrency.createOrder",
    ],
    [
      "a fixed address without a payment service to call",
      { gateway: undefined, storefront: undefined },
      "gateway must be set together with egress",
    ],
    [
      "a role of IAM Identity Center without its path",
      { operators: ["arn:aws:iam::123456789012:role/AWSReservedSSO_Ops_*"] },
      "operators.0 must include the path of the role",
    ],
    [
      "alarms that only the morning hears",
      { alarms: { morning: { email: "a@example.com" } } },
      "alarms must have topicArn or email",
    ],
    [
      "a runbook beside alarms that only the morning hears",
      { alarms: { morning: { email: "a@example.com" }, runbookUrl: "https://example.com/r" } },
      "alarms must have topicArn or email",
    ],
    ...["http://example.com/r", "docs/runbook.md", "https://example.com/r#keys"].map(
      (runbookUrl): [string, object, string] => [
        `the runbook ${runbookUrl}`,
        { alarms: { runbookUrl } },
        "alarms.runbookUrl must be an https address without a fragment",
      ],
    ),
    [
      "a runbook whose address leaves no room for the alarm's text",
      { alarms: { runbookUrl: `https://example.com/${"r".repeat(181)}` } },
      "alarms.runbookUrl",
    ],
  ])("refuses %s", (_case, changes, message) => {
    expect(() => parseConfig({ ...right, ...changes })).toThrow(message);
  });
});
