import { describe, expect, test } from "vitest";
import { functionNames } from "../../infra/config/function-names.ts";
import { everyOption } from "./every-option.ts";
import {
  deletedWithStack,
  endsOf,
  keptOnceMade,
  permissionsOf,
  propertiesOf,
  smokeAndCapture,
  stackInWords,
} from "./stack-template.ts";

const stack = stackInWords(smokeAndCapture);
const full = stackInWords(everyOption);

const attribute = (AttributeName: string, KeyType: string) => ({ AttributeName, KeyType });
const keys = (hash: string, range?: string) => [
  attribute(hash, "HASH"),
  ...(range === undefined ? [] : [attribute(range, "RANGE")]),
];
/** An index costs a write for each change of what it projects. */
const index = (IndexName: string, [hash, range]: [string, string], ...included: string[]) => ({
  IndexName,
  KeySchema: keys(hash, range),
  Projection:
    included.length > 0
      ? { ProjectionType: "INCLUDE", NonKeyAttributes: included }
      : { ProjectionType: "KEYS_ONLY" },
});
const restorable = {
  BillingMode: "PAY_PER_REQUEST",
  SSESpecification: { SSEEnabled: true },
  PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  DeletionProtectionEnabled: true,
  AttributeDefinitions: expect.anything(),
};

describe("the tables", () => {
  const tables = propertiesOf(stack, "AWS::DynamoDB::Table");

  test("are encrypted, can be restored to any second, and have indexes without what is large, secret or often changed", () => {
    expect(tables).toEqual({
      RecordsCallbacks: {
        ...restorable,
        KeySchema: keys("callbackKey", "receipt"),
        TimeToLiveSpecification: { AttributeName: "expiresAt", Enabled: true },
        GlobalSecondaryIndexes: [
          index("by-aggregate", ["group", "recordedAt"]),
          index(
            "by-time",
            ["timeBucket", "recordedAt"],
            "group",
            "sequence",
            "type",
            "merchantId",
            "keyVersion",
          ),
          index(
            "by-attention",
            ["attentionShard", "attentionSince"],
            "attention",
            "merchantId",
            "type",
            "reason",
            "detail",
            "callbackId",
            "group",
            "receivedAt",
            "keptUntil",
          ),
        ],
      },
      RecordsOrders: {
        ...restorable,
        KeySchema: keys("aggregateKey"),
        GlobalSecondaryIndexes: [
          index("by-day", ["dayShard", "dayPlace"]),
          index("by-due", ["dueShard", "dueAtMilliseconds"]),
          index("by-early", ["dueShard", "earlyAtMilliseconds"]),
        ],
      },
    });
    const due = { AttributeName: "dueAtMilliseconds", AttributeType: "N" };
    expect(tables["RecordsOrders"].AttributeDefinitions).toContainEqual(due);
  });

  test("outlive the stack, also one whose first deployment failed", () => {
    const kept = Object.keys(tables).map((id) => `${id}: Retain, Retain`);
    expect(endsOf(stack, "AWS::DynamoDB::Table")).toEqual(kept);
  });
});

describe("the secrets", () => {
  test("are two for each merchant and the stamp key, which outlive the stack, and one for smoke tests, which does not", () => {
    const ofMerchants = ["M1", "M2"].flatMap((id) => [
      `KeysCallbackKeys${id}`,
      `KeysRequestKeys${id}`,
    ]);
    const kept = [...ofMerchants, "KeysStampKey"];
    const smoke = "KeysCallbackKeyspaycastsmoke";
    expect(endsOf(stack, "AWS::SecretsManager::Secret")).toEqual(
      [...kept.map(keptOnceMade), deletedWithStack(smoke)].sort(),
    );
  });

  const { KeysStampKey, ...others } = propertiesOf(stack, "AWS::SecretsManager::Secret");

  test("of merchants begin without a value, so that unset keys cannot pass for wrong ones", () => {
    for (const properties of Object.values(others)) {
      expect(Object.keys(properties)).toEqual(["Description"]);
    }
  });

  test("for stamps begins with a random value that nobody knows", () => {
    const GenerateSecretString = { PasswordLength: 64, ExcludePunctuation: true };
    expect(KeysStampKey).toEqual({ Description: expect.any(String), GenerateSecretString });
  });
});

describe("the logs", () => {
  test.each([
    [90, stack],
    [30, full],
  ])(
    "are kept for %i days as the config says, and the audit log for ten years",
    (days, template) => {
      const logs = Object.entries(propertiesOf(template, "AWS::Logs::LogGroup"));
      const { AuditLog, ...others } = Object.fromEntries(
        logs.map(([id, { RetentionInDays }]) => [id, RetentionInDays]),
      );
      expect(AuditLog).toBe(3653);
      expect(Object.values(others)).toEqual(Array.from({ length: 7 }, () => days));
    },
  );

  test("of operators outlive the stack, and no function may write there", () => {
    expect(endsOf(stack, "AWS::Logs::LogGroup")).toContain("AuditLog: Retain, Retain");
    for (const name of functionNames) {
      expect(permissionsOf(full, name).join("\n")).not.toContain("AuditLog");
    }
  });
});
