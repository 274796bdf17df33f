import { describe, expect, test } from "vitest";
import { parseConfig } from "../../infra/config/config.ts";

const secret = (name: string) => `arn:aws:secretsmanager:eu-west-1:123456789012:secret:${name}`;
const subscriber = (changes: Record<string, unknown> = {}) => ({
  name: "crm",
  types: ["*"],
  ...changes,
});

describe("a config", () => {
  const gateway = { baseUrl: "https://pay.example.com" };

  test.each<[string, Record<string, unknown>, string]>([
    ["an unknown field", { subscribes: [] }, "the config has unknown fields: subscribes"],
    ["no merchants", { merchants: undefined }, "merchants must be an array"],
    [
      "a merchant id that is too long",
      { merchants: ["M".repeat(19)] },
      "merchants.0 must be 1 to 18 ",
    ],
    ["a merchant id with other characters", { merchants: ["a b"] }, "merchants.0 must be 1 to 18 "],
    [
      "a merchant id that readers of JSON drop",
      { merchants: ["M1", "__proto__"] },
      "merchants.1 must not be __proto__",
    ],
    ["a merchant twice", { merchants: ["M1", "M1"] }, "merchants must not name a merchant twice"],
    [
      "too many merchants",
      { merchants: Array.from({ length: 21 }, (_, i) => `M${i}`) },
      "merchants must be at most 20",
    ],
    [
      "a subscriber name with capitals",
      { subscribers: [subscriber({ name: "CRM" })] },
      "subscribers.0.name must be lower case",
    ],
    [
      "a type twice",
      { subscribers: [subscriber({ types: ["*", "*"] })] },
      "subscribers.0.types must not name a type twice",
    ],
    [
      "a subscriber twice",
      { subscribers: [subscriber(), subscriber()] },
      "subscribers.1.name must differ",
    ],
    [
      "names that differ in dashes only",
      { subscribers: [subscriber({ name: "a1" }), subscriber({ name: "a-1" })] },
      "subscribers.1.name must differ",
    ],
    [
      "a queue of another account to push into",
      { subscribers: [subscriber({ queueArn: "arn:aws:sqs:eu-west-1:210987654321:x.fifo" })] },
      "subscribers.0 has unknown fields: queueArn",
    ],
    [
      "a subscriber to a merchant that is not configured",
      { subscribers: [subscriber(), subscriber({ name: "mail", merchants: ["M1", "M2"] })] },
      "subscribers.1.merchants.1 must be one of the config's merchants",
    ],
    [
      "a subscriber to no merchant",
      { subscribers: [subscriber({ merchants: [] })] },
      "subscribers.0.merchants must be at least 1 entries long",
    ],
    [
      "a subscriber to a merchant twice",
      { subscribers: [subscriber({ merchants: ["M1", "M1"] })] },
      "subscribers.0.merchants must not name a merchant twice",
    ],
    [
      "the merchant of smoke tests among the real ones",
      { merchants: ["M1", "paycast-smoke"] },
      "merchants.1 must not be paycast-smoke: this is the merchant of smoke tests",
    ],
    [
      "a subscriber to the merchant of smoke tests",
      { smoke: true, subscribers: [subscriber({ merchants: ["paycast-smoke"] })] },
      "subscribers.0.merchants.0 must be one of the config's merchants",
    ],
    [
      "a subscriber by the name of the one of smoke tests, with its dashes or without",
      {
        subscribers: [subscriber({ name: "paycast-smoke" }), subscriber({ name: "paycastsmoke" })],
      },
      "subscribers.0.name must not be paycast-smoke: this is the subscriber of smoke tests; " +
        "subscribers.1.name must not be paycast-smoke",
    ],
    [
      "capturing until no date",
      { callbacks: { captureUntil: "2026-02-30" } },
      'callbacks.captureUntil must be a date or a time, like "2026-11-30"',
    ],
    [
      "capturing until a time without a zone",
      { callbacks: { captureUntil: "2026-11-30T18:00:00" } },
      "callbacks.captureUntil must be a date or a time",
    ],
    [
      "an account twice",
      { subscribers: [subscriber({ readers: ["111111111111", "111111111111"] })] },
      "subscribers.0.readers must not name an account twice",
    ],
    [
      "a wait that ends after the messages are gone",
      { subscribers: [subscriber({ maxWaitMinutes: 20_000 })] },
      "subscribers.0.maxWaitMinutes must be at most 14400",
    ],
    [
      "a source that is a host name",
      { callbacks: { sourceAddresses: ["203.0.113.0/24", "pay.example.com"] } },
      'callbacks.sourceAddresses.1 must be an IP address or a block like "203.0.113.0/24"',
    ],
    [
      "all addresses as sources, also in two halves",
      { callbacks: { sourceAddresses: ["10.0.0.0/8", "0.0.0.0/1", "128.0.0.0/1", "::/0"] } },
      "callbacks.sourceAddresses.1 must not be a block larger than /8: without sourceAddresses, callbacks are accepted from anywhere; callbacks.sourceAddresses.2 must not",
    ],
    [
      "no source at all",
      { callbacks: { sourceAddresses: [] } },
      "callbacks.sourceAddresses must be at least 1 entries long",
    ],
    [
      "one secret for the keys of both directions",
      {
        secrets: {
          M1: { callbackKeysArn: secret("one-a1B2c3"), requestKeysArn: secret("one-a1B2c3") },
        },
      },
      "secrets.M1.requestKeysArn must not be a secret of callback keys",
    ],
    [
      "the callback keys of one merchant as the request keys of another",
      {
        merchants: ["M1", "M2"],
        secrets: {
          M1: { callbackKeysArn: secret("one-a1B2c3") },
          M2: { requestKeysArn: secret("one-a1B2c3") },
        },
      },
      "secrets.M2.requestKeysArn must not be a secret of callback keys",
    ],
    [
      "a reader that is no account",
      { subscribers: [subscriber({ readers: ["1234"] })] },
      "subscribers.0.readers.0 must be an account id of 12 digits",
    ],
    [
      "records that expire before the inbox",
      { callbacks: { recordExpiryDays: 14 } },
      "callbacks.recordExpiryDays must be at least 15",
    ],
    [
      "records that expire inside the window",
      { callbacks: { recordExpiryDays: 15, maxAgeHours: 360 } },
      "callbacks.recordExpiryDays must be longer than maxAgeHours",
    ],
    [
      "a service without TLS",
      { gateway: { baseUrl: "http://pay.example.com" } },
      "gateway.baseUrl must be an https address",
    ],
    [
      "a service address with a path",
      { gateway: { baseUrl: "https://pay.example.com/cgi" } },
      "gateway.baseUrl must be an https address",
    ],
    [
      "a prefix without a slash",
      { gateway: { ...gateway, pathPrefix: "cgi" } },
      "gateway.pathPrefix must be empty or like",
    ],
    [
      "a path without a slash",
      { gateway: { ...gateway, paths: { query: "q" } } },
      "gateway.paths.query must be a path",
    ],
    [
      "a storefront without a service",
      { storefront: { access: "iam" } },
      "gateway must be given together with storefront",
    ],
    [
      "another kind of access",
      { gateway, storefront: { access: "public" } },
      'storefront.access must be one of "iam", "jwt", "open"',
    ],
    [
      "tokens of nobody",
      { gateway, storefront: { access: "jwt", audience: ["a"] } },
      "storefront.issuer must be given",
    ],
    [
      "tokens for nobody",
      { gateway, storefront: { access: "jwt", issuer: "https://id.example.com" } },
      "storefront.audience must be given",
    ],
    [
      "an issuer that is not asked",
      { gateway, storefront: { issuer: "https://id.example.com" } },
      "storefront.issuer must be given",
    ],
    [
      "an origin with a path",
      { gateway, storefront: { cors: { origins: ["https://a.example/x"] } } },
      "storefront.cors.origins.0 must be an https origin",
    ],
    [
      "every origin",
      { gateway, storefront: { cors: { origins: ["*"] } } },
      "storefront.cors.origins.0 must be an https origin",
    ],
    [
      "a scheme that browsers run",
      { gateway, storefront: { redirectOrigins: ["javascript:"] } },
      "storefront.redirectOrigins.0 must be an https origin",
    ],
    [
      "a plain http origin",
      { gateway, storefront: { redirectOrigins: ["http://a.example"] } },
      "storefront.redirectOrigins.0 must be an https origin",
    ],
    [
      "a domain that is an address",
      { domain: { name: "https://a.example", certificateArn: "x" } },
      "domain.name must be a host name",
    ],
    [
      "a certificate that is none",
      { domain: { name: "a.example", certificateArn: "x" } },
      "domain.certificateArn must be an ACM certificate ARN",
    ],
    [
      "a function that is switched off",
      { concurrency: { receiveCallback: 0 } },
      "concurrency.receiveCallback must be at least 1",
    ],
    [
      "an inbox that is read once at a time",
      { concurrency: { inbox: 1 } },
      "concurrency.inbox must be at least 2",
    ],
    [
      "an inbox that is read more often than the function may run",
      { concurrency: { inbox: 10, processCallback: 9 } },
      "concurrency.inbox must be at most processCallback",
    ],
    [
      "the inbox's default beside a smaller reservation",
      { concurrency: { processCallback: 4 } },
      "concurrency.inbox must be at most processCallback",
    ],
    [
      "instances for a storefront that is not there",
      { concurrency: { queryOrder: 3 } },
      "gateway must be given together with concurrency.createOrder",
    ],
    [
      "a topic that is none",
      { alarms: { topicArn: "on-call" } },
      "alarms.topicArn must be the ARN",
    ],
    [
      "an operator by the ARN of a session",
      { operators: ["arn:aws:sts::123456789012:assumed-role/on-call/anna"] },
      "operators.0 must be the ARN of a role with its path",
    ],
    [
      "every role of an account as an operator",
      { operators: ["arn:aws:iam::123456789012:role/*"] },
      "operators.0 must be the ARN of a role with its path",
    ],
    [
      "operators of every account",
      { operators: ["arn:aws:iam::*:role/on-call"] },
      "operators.0 must be the ARN of a role with its path",
    ],
    [
      "a role of IAM Identity Center without its path",
      { operators: ["arn:aws:iam::123456789012:role/AWSReservedSSO_Ops_*"] },
      "operators.0 must have the path of the role",
    ],
    [
      "an operator of a subscriber that is no role",
      { subscribers: [subscriber({ operators: ["arn:aws:iam::123456789012:user/anna"] })] },
      "subscribers.0.operators.0 must be the ARN of a role with its path",
    ],
    ["alarms for nobody", { alarms: {} }, "alarms must have topicArn or email"],
    [
      "alarms that only the morning hears",
      { alarms: { morning: { email: "a@example.com" } } },
      "alarms must have topicArn or email",
    ],
    [
      "a morning without anybody",
      { alarms: { email: "a@example.com", morning: {} } },
      "alarms.morning must have topicArn or email",
    ],
    [
      "an address that is none",
      { alarms: { email: "on-call" } },
      "alarms.email must be an email address",
    ],
  ])("refuses %s", (_, changes, message) => {
    const config = { merchants: ["M1"], subscribers: [], ...changes };
    expect(() => parseConfig(config)).toThrow(message);
  });
});
