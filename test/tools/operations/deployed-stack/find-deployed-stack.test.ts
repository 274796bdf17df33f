import { describe, expect, test, vi } from "vitest";
import { explainAwsError } from "../../../../tools/operations/explain-error.ts";
import { findTarget } from "../../../../tools/operations/find-target.ts";
import { available } from "../../../../tools/operations/ports/available.ts";
import { stackName, useDeployedStack } from "../deployed-stack.ts";
import { useTarget } from "../use-target.ts";

const operated = useTarget();
const deployed = useDeployedStack(operated);
const find = async (stack = stackName) =>
  await findTarget({ stack, directory: operated.directory });

describe("a deployed stack", () => {
  test("is found with its queues, tables, merchants and functions", async () => {
    const target = await find();
    const { description } = operated.parts();
    expect(target).toMatchObject({
      stack: {
        kind: "deployed",
        name: stackName,
        region: "us-east-1",
        callbackUrl: `${description.api}/callbacks`,
        deployment: { version: "0.1.0" },
        smoke: { unavailable: expect.stringContaining('"smoke": true') },
        local: { unavailable: expect.any(String) },
      },
      queues: {
        inbox: {
          url: description.queues.inbox,
          deadLettersUrl: description.queues.inboxDeadLetters,
        },
      },
      orders: { table: description.tables.orders },
      records: { table: description.tables.callbacks },
    });
    expect(target.queues.subscribers).toEqual(operated.target().queues.subscribers);
    expect(target.stack.merchants).toEqual(operated.target().stack.merchants);
    expect(target.functions.all.map(({ label }) => label).sort()).toEqual(
      Object.keys(description.functions).sort(),
    );
    target.close();
  });

  test("has an audit log that names the operator", async () => {
    const target = await find();
    await target.audit.write("replay", { count: 2 });
    target.close();
    expect(deployed().audit).toEqual([
      {
        at: expect.stringMatching(/^\d{4}-.+Z$/),
        who: "arn:aws:iam::000000000000:user/operator",
        act: "replay",
        count: 2,
      },
    ]);
  });

  test("without a log group for audit lines can be looked at, not changed", async () => {
    deployed().outputs.delete("AuditLogGroup");
    const target = await find();
    await expect(target.audit.write("replay", {})).rejects.toThrow("no output AuditLogGroup");
    target.close();
  });
});

describe("a stack that cannot be used is refused with what to do", () => {
  test("one that does not exist", async () => {
    await expect(find("Other")).rejects.toMatchObject({
      code: "target-not-found",
      message:
        "There is no stack Other in this account and region. Check --stack, AWS_PROFILE and AWS_REGION.",
    });
  });

  test("one of another version, which lacks an output", async () => {
    deployed().outputs.delete("InboxQueueUrl");
    await expect(find()).rejects.toMatchObject({
      code: "target-incomplete",
      message: expect.stringContaining("no output InboxQueueUrl"),
    });
  });

  test("one without the functions' names", async () => {
    deployed().outputs.delete("ProcessCallbackFunction");
    await expect(find()).rejects.toMatchObject({
      code: "target-incomplete",
      message: expect.stringContaining("SUBSCRIBERS"),
    });
  });
});

describe("what AWS or the network refuses is explained", () => {
  const explanation = async () => {
    const error: unknown = await find().catch((thrown: unknown) => thrown);
    const explained = explainAwsError(error);
    if (explained === undefined) throw new Error(`not explained: ${error}`);
    return { code: explained.code, message: explained.message };
  };

  test.each([["cloudformation:DescribeStacks"], ["lambda:GetFunctionConfiguration"]])(
    "the missing permission %s is named",
    async (action) => {
      deployed().denied.add(action);
      expect(await explanation()).toEqual({
        code: "aws-denied",
        message: `You lack the permission ${action} on *. npx paycast policy prints the policy that has it (docs/operating.md).`,
      });
    },
  );

  test.each([[undefined], [""], ["us east 1"]])("the region %j", async (region) => {
    await withEnvironment({ AWS_REGION: region, AWS_CONFIG_FILE: "/dev/null" }, async () => {
      expect(await explanation()).toEqual({
        code: "aws-credentials",
        message: "No valid AWS region is set. Set AWS_REGION, or a profile.",
      });
    });
  });

  test("no credentials", async () => {
    const none = { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "", AWS_CONFIG_FILE: "/dev/null" };
    const nowhere = { AWS_SHARED_CREDENTIALS_FILE: "/dev/null", AWS_EC2_METADATA_DISABLED: "true" };
    await withEnvironment({ ...none, ...nowhere }, async () => {
      expect(await explanation()).toMatchObject({
        code: "aws-credentials",
        message: expect.stringMatching(/Sign in again, or set AWS_PROFILE\.$/),
      });
    });
  });

  test("nothing answers", async () => {
    await withEnvironment({ AWS_ENDPOINT_URL: "http://127.0.0.1:9" }, async () => {
      expect(await explanation()).toMatchObject({
        code: "aws-unreachable",
        message: expect.stringContaining("cannot be reached"),
      });
    });
  });
});

/** `unstubAllEnvs` would also take away where the deployed stack is. */
async function withEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
  work: () => Promise<void>,
): Promise<void> {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  const set = ([name, value]: readonly [string, string | undefined]) => vi.stubEnv(name, value);
  Object.entries(variables).forEach(set);
  await work().finally(() => before.forEach(set));
}

test("the local stack is found with its subscribers as the functions run them", () => {
  const { tables } = operated.parts().description;
  const { subscribers } = operated.target().queues;
  const { merchants, gateway } = operated.target().stack;
  expect(subscribers.map(({ name, types, ordered }) => [name, types, ordered])).toEqual([
    ["fulfilment", ["payment.order.success", "payment.refund.*"], true],
    ["order-history", ["*"], true],
    ["analytics", ["*"], false],
  ]);
  for (const { queueUrl, deadLettersUrl } of subscribers) expect(deadLettersUrl).not.toBe(queueUrl);
  expect(merchants.map(({ merchantId }) => merchantId)).toEqual(["shop-1"]);
  expect(tables).toEqual(operated.parts().description.tables);
  expect(available(gateway).baseUrl).toBe(operated.parts().description.gateway);
});

test("where no stack runs, the message says what to do", async () => {
  await expect(findTarget({ directory: "/nowhere" })).rejects.toThrow(
    "No local stack is running here. Start it with npm start, or name a deployed stack with --stack NAME.",
  );
});
