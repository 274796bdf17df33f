import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { captureEndMilliseconds } from "../../infra/config/callback-config.ts";
import { type ConfigInput, parseConfig } from "../../infra/config/config-schema.ts";
import { parseDeployment } from "../../infra/config/environment-config.ts";
import { defaultConfigPath, loadConfig } from "../../infra/config/load-config.ts";
import { messageOf } from "../builders/thrown-by.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";

const smallConfig: ConfigInput = { merchants: ["M1"], subscribers: [] };

const refusalOf = (changes: Record<string, unknown>, region?: string) =>
  messageOf(() => parseConfig({ ...smallConfig, ...changes }, { region }));

const subscriber = (changes: Record<string, unknown> = {}) => ({
  name: "crm",
  types: ["*"],
  ...changes,
});

describe("a config", () => {
  test("needs no more than merchants and subscribers", () => {
    expect(parseConfig(smallConfig)).toEqual({
      merchants: ["M1"],
      subscribers: [],
      operators: [],
      smoke: false,
      callbacks: {
        maxAgeHours: 192,
        maxAheadSeconds: 300,
        previousKeysHours: 192,
        recordExpiryDays: 90,
      },
      dashboard: true,
      tracing: false,
      concurrency: { inbox: 5 },
      logRetentionDays: 90,
      rollout: "at-once",
      secrets: {},
      removalPolicy: "retain",
    });
  });

  test("fills in the payment service's paths", () => {
    expect(
      parseConfig({ ...smallConfig, gateway: { baseUrl: "https://pay.example.com/" } }).gateway,
    ).toEqual({
      baseUrl: "https://pay.example.com",
      pathPrefix: "",
      paths: {
        create: "/payment/api/v1/payment-order",
        query: "/payment/api/v1/payment-order/query",
      },
      shortOrderNumbers: false,
      exactSums: true,
      callerCodes: [],
    });
  });

  test("takes other paths of the payment service", () => {
    const gateway = {
      baseUrl: "http://127.0.0.1:3001",
      pathPrefix: "/cgi",
      paths: { create: "/payment/api/v1/payment-order", query: "/api/v1/gateway" },
      shortOrderNumbers: true,
      exactSums: true,
      callerCodes: ["40012", "http-400"],
    };
    expect(parseConfig({ ...smallConfig, gateway }).gateway).toEqual(gateway);
  });

  test("says which subscriber's type is wrong and which ones there are", () => {
    const subscribers = [subscriber(), { name: "mail", types: ["payment.order.paid"] }];
    expect(refusalOf({ subscribers })).toBe(
      'subscribers.1.types.0 must be one of "payment.order.confirming", "payment.order.timeout", ' +
        '"payment.order.failed", "payment.order.success", "payment.refund.failed", ' +
        '"payment.refund.success", "payment.order.*", "payment.refund.*", "*"',
    );
  });

  test("names every wrong field at once", () => {
    expect(refusalOf({ merchants: [], subscribers: [subscriber({ types: [] })] })).toBe(
      "merchants must have at least 1 entry; subscribers.0.types must have at least 1 entry",
    );
  });

  test("refuses what lies in another region than the stack, when that is known", () => {
    const changes = {
      domain: {
        name: "pay.example.com",
        certificateArn: "arn:aws:acm:eu-west-1:123456789012:certificate/abc",
      },
      alarms: { topicArn: "arn:aws:sns:us-east-1:123456789012:on-call" },
    };
    expect(refusalOf(changes)).toBe("accepted");
    expect(refusalOf(changes, "eu-west-1")).toBe(
      "alarms.topicArn must be in eu-west-1, where the stack is deployed",
    );
    expect(refusalOf(changes, "us-east-1")).toBe(
      "domain.certificateArn must be in us-east-1, where the stack is deployed",
    );
  });

  test("gives each subscriber an ordered queue that is read all the time, unless it says otherwise", () => {
    const [parsed] = parseConfig({ ...smallConfig, subscribers: [subscriber()] }).subscribers;
    expect(parsed).toEqual({
      name: "crm",
      types: ["*"],
      ordered: true,
      readers: [],
      operators: [],
      consumerTimeoutSeconds: 30,
      maxWaitMinutes: 15,
    });
  });

  test("takes an inbox that is read as often as process-callback may run", () => {
    const concurrency = { processCallback: 5 };
    expect(parseConfig({ ...smallConfig, concurrency }).concurrency).toEqual({
      ...concurrency,
      inbox: 5,
    });
  });
});

describe("capturing", () => {
  const nowMilliseconds = Date.parse("2026-11-15T12:00:00Z");
  const parseUntil = (captureUntil: string) =>
    parseConfig({ ...smallConfig, callbacks: { captureUntil } }, { nowMilliseconds });

  test("is allowed for 31 days, and no longer", () => {
    expect(parseUntil("2026-12-16T12:00:00Z").callbacks.captureUntil).toBe("2026-12-16T12:00:00Z");
    expect(() => parseUntil("2026-12-16T12:00:01Z")).toThrow(
      "callbacks.captureUntil must be at most 31 days ahead",
    );
    expect(() => parseUntil("2026-12-16T13:00:00+01:00")).not.toThrow();
    expect(() => parseUntil("2026-12-16T12:00:00-01:00")).toThrow("31 days");
  });

  test("is allowed for 31 days in a deployment, too, by the clock that it is given", () => {
    const input = { ...smallConfig, name: "payments", callbacks: { captureUntil: "2026-12-16" } };
    const nextDay = nowMilliseconds + 86_400_000;
    expect(() => parseDeployment(input, { nowMilliseconds })).toThrow("31 days");
    expect(() => parseDeployment(input, { nowMilliseconds: nextDay })).not.toThrow();
  });

  test("until a date includes that day", () => {
    expect(captureEndMilliseconds("2026-11-30")).toBe(Date.parse("2026-12-01T00:00:00Z"));
    expect(captureEndMilliseconds("2026-11-30T18:00:00+02:00")).toBe(
      Date.parse("2026-11-30T16:00:00Z"),
    );
    expect(() => parseUntil("2026-12-15")).not.toThrow();
    expect(() => parseUntil("2026-12-16")).toThrow("31 days");
  });

  test("until a day in the past is accepted, so that an old config still works", () => {
    expect(() => parseUntil("2020-01-01")).not.toThrow();
  });
});

describe("a config file", () => {
  const folder = temporaryFolder("config");

  test("comes with the project and works as it is", () => {
    expect(loadConfig().subscribers.length).toBeGreaterThan(0);
    expect(loadConfig()).toEqual(loadConfig(defaultConfigPath));
  });

  test("is named in what is said of it", () => {
    const path = join(folder, "wrong.json");
    writeFileSync(path, '{"merchants":["M1"]}');
    expect(() => loadConfig(path)).toThrow(`${path}: subscribers must be an array`);
  });

  test("is distinguished when it is missing or no JSON", () => {
    const path = join(folder, "broken.json");
    writeFileSync(path, "{");
    expect(() => loadConfig(path)).toThrow(`${path}: is not JSON`);
    writeFileSync(path, '{\n  "merchants": [\n    M1\n  ]\n}\n');
    expect(() => loadConfig(path)).toThrow(/: is not JSON \(.+\)$/);
    writeFileSync(path, '{\n  "merchants": ["M1"],\n  "subscribers": [],\n}\n');
    expect(() => loadConfig(path)).toThrow(/: is not JSON \(.+ line 4.*\)$/);
    expect(() => loadConfig(join(folder, "none.json"))).toThrow(
      "none.json: cannot be read (there is no such file)",
    );
    expect(() => loadConfig(folder)).toThrow(`${folder}: cannot be read (EISDIR)`);
    // As after `-c config=$FILE` without such a variable. The sample must not be deployed in its place.
    expect(() => loadConfig("")).toThrow("The path of the config is empty");
  });

  test("is refused if a name comes twice, whose first value nobody would read", () => {
    const path = join(folder, "twice.json");
    const sample = readFileSync(defaultConfigPath, "utf8").trimEnd();
    writeFileSync(path, `${sample.slice(0, -1)}, "subscribers": [] }`);
    expect(() => loadConfig(path)).toThrow(`${path}: has "subscribers" twice in one object`);
  });

  test("may begin with a byte order mark, as editors on Windows write it", () => {
    const path = join(folder, "marked.json");
    writeFileSync(path, `\uFEFF${readFileSync(defaultConfigPath, "utf8")}`);
    expect(loadConfig(path)).toEqual(loadConfig());
  });
});
