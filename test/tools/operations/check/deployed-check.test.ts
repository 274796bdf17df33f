import { describe, expect, test } from "vitest";
import { anyoneMaySend } from "../../../../shared/open-senders.ts";
import { checkDeployment } from "../../../../tools/operations/check/check.ts";
import type { CheckContext, Finding } from "../../../../tools/operations/check/finding.ts";
import { findTarget } from "../../../../tools/operations/target/find-target.ts";
import type { Target } from "../../../../tools/operations/target/target.ts";
import {
  operatorRole,
  soundAlarm,
  soundPolicy,
  stackName,
  useDeployedStack,
} from "../deployed-stack.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { policyFor, possibleFaults } from "./possible-faults.ts";

const operated = useOperatedStack();
const deployed = useDeployedStack(operated);

const context: CheckContext = {
  now: Date.now,
  fetch,
  commandVersion: "0.1.0",
  // Far from what a busy machine needs.
  limitMilliseconds: 120_000,
};

async function check(
  change: Partial<CheckContext> = {},
  changeTarget: (target: Target) => Target = withoutItems,
): Promise<readonly Finding[]> {
  const target = await findTarget({ stack: stackName, directory: operated.directory });
  try {
    return await checkDeployment(changeTarget(target), { ...context, ...change });
  } finally {
    target.clients.destroy();
  }
}

const withItems = (target: Target): Target => target;

/** A check asks the tables 160 times, and a fault in something else does not depend on what they hold. */
function withoutItems(target: Target): Target {
  target.clients.dynamodb.middlewareStack.add(
    (next, { commandName }) =>
      async (args) =>
        commandName === "QueryCommand"
          ? { output: { $metadata: {}, Items: [], Count: 0 }, response: {} }
          : await next(args),
    { step: "initialize" },
  );
  return target;
}

const faultsIn = (findings: readonly Finding[]) => findings.filter(({ status }) => status !== "ok");
const historyUrl = () => operated.target().subscribers[1]!.queueUrl;

describe("a sound deployment", () => {
  test("has no fault, and everything that only AWS has is checked too", async () => {
    const findings = await check({}, withItems);
    expect(faultsIn(findings)).toEqual([]);
    expect(findings.slice(0, 11).map(({ check: name, message }) => [name, message])).toEqual([
      ["deployment", "UPDATE_COMPLETE"],
      ["versions", "command and stack are 0.1.0"],
      ["function receive-callback", "active on nodejs24.x"],
      ["function process-callback", "active on nodejs24.x"],
      ["function count-attention", "active on nodejs24.x"],
      ["function create-order", "active on nodejs24.x"],
      ["function query-order", "active on nodejs24.x"],
      ["function reconcile-orders", "active on nodejs24.x"],
      ["inbox to process-callback", "enabled, with failures per message"],
      ["alarms", "2 alarms, and each has a topic to notify"],
      ["operators", `${operatorRole} may redrive and replay, if IAM allows it`],
    ]);
  });

  test("may leave it to IAM who sends to its queues, if its config names no operators", async () => {
    const [denyPlainHttp, , denyReaders] = soundPolicy.Statement;
    const Policy = JSON.stringify({ ...soundPolicy, Statement: [denyPlainHttp, denyReaders] });
    const { inbox, subscribers } = operated.target();
    for (const queue of [inbox, ...subscribers.map((one) => ({ ...one, url: one.queueUrl }))]) {
      deployed().queueAttributes.set(queue.url, { Policy });
      deployed().queueAttributes.set(queue.deadLettersUrl, { Policy });
    }
    expect(faultsIn(await check())).not.toEqual([]);
    deployed().outputs.delete("Operators");
    const findings = await check();
    expect(faultsIn(findings)).toEqual([]);
    expect(findings).toContainEqual({ check: "operators", status: "ok", message: anyoneMaySend });
  });

  test("is not blamed for the alarms of a rollout, which are for no person", async () => {
    const alarm = soundAlarm(`${stackName}-IntakeRolloutErrors1A2B3C4D`);
    const AlarmDescription = "Ends a rollout of receive-callback. Notifies nobody.";
    deployed().alarms.push({ ...alarm, AlarmActions: [], AlarmDescription });
    expect(faultsIn(await check())).toEqual([]);
  });

  test("is not blamed for an alarm of a stack whose name begins alike", async () => {
    const AlarmName = "Paycast-Staging-AlarmsRefused1A2B3C4D-5E6F7A8B9C0D";
    deployed().alarms.push({ ...soundAlarm(AlarmName), StateValue: "ALARM" });
    expect(faultsIn(await check())).toEqual([]);
  });

  test("may leave its tables without protection and backups if it says that it is disposable", async () => {
    const { callbacks, orders } = operated.stack().description.tables;
    deployed().unprotected.add(callbacks);
    deployed().unrestorable.add(orders);
    expect(faultsIn(await check())).toHaveLength(2);
    deployed().outputs.set("RemovalPolicy", "destroy");
    expect(faultsIn(await check())).toEqual([]);
  });

  test("is only read: no action of the check can change anything", async () => {
    await check({}, withItems);
    const reading = /:(Describe|Get|List|Query)/;
    expect(deployed().calls.filter((action) => !reading.test(action))).toEqual([]);
    expect(deployed().calls).not.toContain("sqs:ReceiveMessage");
  });
});

describe("a deployment with a fault", () => {
  test.each(possibleFaults(operated, deployed))(
    "%s is found, and only that",
    async (_case, change, expected) => {
      change();
      const { message, ...rest } = expected;
      const found = faultsIn(await check());
      expect(found).toHaveLength(1);
      expect(found[0]).toMatchObject(rest);
      if (message !== undefined) expect(found[0]!.message).toMatch(message);
    },
  );

  test("a queue that was deleted is a problem of its own line", async () => {
    const gone = (target: Target): Target => ({
      ...withoutItems(target),
      inbox: {
        ...target.inbox,
        deadLettersUrl: `${target.inbox.deadLettersUrl.slice(0, -5)}x.fifo`,
      },
    });
    const found = faultsIn(await check({}, gone));
    expect(found.map(({ check: name, message }) => [name, message.slice(0, 25)])).toEqual([
      ["inbox", "Its dead letters go to ar"],
      ["dead letters of the inbox", "The queue does not exist:"],
    ]);
  });

  test("a queue must be encrypted with the KMS key that the stack was given, if it was given one", async () => {
    const key = "arn:aws:kms:eu-west-1:123456789012:key/k-1";
    deployed().outputs.set("EncryptionKeyArn", key);
    const attributes = { SqsManagedSseEnabled: "false", KmsMasterKeyId: key };
    deployed().queueAttributes.set(historyUrl(), attributes);
    const faults = faultsIn(await check());
    expect(faults.map(({ check: name }) => name)).not.toContain("queue of order-history");
    expect(faults.find(({ check: name }) => name === "inbox")).toMatchObject({
      status: "problem",
      message: "The queue is not encrypted with the key of the stack.",
    });
  });

  test("a queue with a KMS key that the stack was not given is told", async () => {
    deployed().queueAttributes.set(historyUrl(), { KmsMasterKeyId: "alias/other" });
    expect(faultsIn(await check())).toMatchObject([
      { check: "queue of order-history", status: "warning" },
    ]);
  });

  test("readers of other accounts are listed, and may only read", async () => {
    const readers = { AWS: ["arn:aws:iam::111122223333:root", "444455556666"] };
    const receive = ["sqs:ReceiveMessage", "SQS:DeleteMessage"];
    deployed().queueAttributes.set(historyUrl(), { Policy: policyFor(readers, receive) });
    const sound = (await check()).find(({ check: name }) => name === "queue of order-history");
    expect(sound).toMatchObject({
      status: "ok",
      message: expect.stringMatching(/, also read by 111122223333, 444455556666$/),
    });
    deployed().queueAttributes.set(historyUrl(), { Policy: policyFor(readers, "sqs:SendMessage") });
    expect(faultsIn(await check()).map(({ message }) => message)).toEqual([
      "The queue's policy lets arn:aws:iam::111122223333:root do sqs:SendMessage.",
      "The queue's policy lets 444455556666 do sqs:SendMessage.",
    ]);
  });
});

describe("a check that cannot be made", () => {
  test.each([
    ["sqs:GetQueueAttributes", 10],
    // Request keys that only some may read are a line, and no fault.
    ["secretsmanager:GetSecretValue", 1],
    ["cloudwatch:DescribeAlarms", 1],
    ["lambda:ListEventSourceMappings", 1],
    ["dynamodb:DescribeContinuousBackups", 2],
    ["dynamodb:DescribeTimeToLive", 1],
  ])("names the missing permission %s, and the others go on", async (action, lines) => {
    deployed().denied.add(action);
    const findings = await check();
    const found = faultsIn(findings);
    expect(found).toHaveLength(lines);
    for (const { status, message } of found) {
      expect({ status, message }).toMatchObject({
        status: "problem",
        message: expect.stringContaining(`You lack the permission ${action}`),
      });
    }
    expect(findings.length - lines).toBeGreaterThan(10);
  });

  test("ends when AWS does not answer", async () => {
    deployed().silent.add("cloudwatch:DescribeAlarms");
    const found = faultsIn(await check({ limitMilliseconds: 5_000 }));
    expect(found).toContainEqual({
      check: "alarms",
      status: "problem",
      message: expect.stringMatching(/^There was no answer within 5 seconds\./),
    });
  });

  test("says that the API cannot be reached", async () => {
    const elsewhere = (target: Target) => ({
      ...withoutItems(target),
      callbackUrl: "http://127.0.0.1:9/callbacks",
    });
    expect(faultsIn(await check({}, elsewhere))).toEqual([
      {
        check: "API",
        status: "problem",
        message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:9\/callbacks cannot be reached \(/),
      },
    ]);
  });

  test("accepts that receive-callback takes nothing from the operator's address, but not another 403", async () => {
    const refusing = (body: string) => async () => new Response(body, { status: 403 });
    expect(faultsIn(await check({ fetch: refusing('{"code":40300}') }))).toEqual([]);
    const found = faultsIn(await check({ fetch: refusing('{"message":"Forbidden"}') }));
    expect(found).toMatchObject([{ check: "API", status: "problem" }]);
  });

  test("says that something else answers in place of receive-callback", async () => {
    const fetchOther = async () => new Response("hello", { status: 404 });
    const found = faultsIn(await check({ fetch: fetchOther }));
    expect(found).toMatchObject([{ check: "API", status: "problem" }]);
    expect(found[0]!.action).toContain("domain, DNS and routes");
  });
});

test.each([
  [-120_000, "warning", /^It is 1\d\d seconds behind\.$/],
  [600_000, "problem", /^It is (59|60)\d seconds ahead\.$/],
])("a clock that is wrong by %i ms is a %s", async (offset, status, message) => {
  const found = faultsIn(await check({ now: () => Date.now() + offset }));
  expect(found.map(({ check: name }) => name).sort()).toEqual(["API", "clock of this machine"]);
  for (const finding of found) {
    expect(finding.status).toBe(status);
    expect(finding.message).toMatch(message);
  }
});

test("orders that the service refuses are a problem, with the code of the latest one", async () => {
  deployed().metrics.set("ServiceRefused", 2).set("Created", 1);
  const line = {
    service: "create-order",
    outcome: "problem",
    errorCode: "gateway-refused",
    merchantId: "shop-1",
    orderNo: "D-1",
    httpStatus: 502,
    timestamp: Date.now(),
  };
  const lines = ["50001", "40103"].map((serviceCode) => ({ ...line, serviceCode }));
  deployed().logLines.push(...lines.map((one) => JSON.stringify(one)));
  const [found] = faultsIn(await check());
  const action = "npx paycast keys check --stack Paycast";
  expect(found).toMatchObject({ check: "storefront", status: "problem", action });
  const { out } = await operated.paycast("status", "--stack", "Paycast");
  expect(out).toContain(`-> ${action}\n`);
  expect(found?.message).toMatch(/^The service refused 2 of 3 orders at .+Z: 40103\.$/);
});

test("while refused callbacks are captured, a warning says until when", async () => {
  const until = Date.now() + 86_400_000;
  const capturing = (target: Target): Target => ({
    ...withoutItems(target),
    capturedUrl: target.inbox.url,
    functions: target.functions.map((one) => ({
      ...one,
      environment: { ...one.environment, CAPTURE_UNTIL_MILLISECONDS: String(until) },
    })),
  });
  expect(faultsIn(await check({}, capturing))).toMatchObject([
    {
      check: "captured callbacks",
      status: "warning",
      message: `Refused callbacks are captured until ${new Date(until).toISOString()}.`,
    },
  ]);
  const ended = { now: () => until + 1 };
  const later = await check({ ...ended }, capturing);
  expect(later.find(({ check: name }) => name === "captured callbacks")?.status).toBe("ok");
});
