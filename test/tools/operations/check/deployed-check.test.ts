import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { anyoneMaySend } from "../../../../shared/open-senders.ts";
import { localAccountId } from "../../../../tools/local/aws/local-account.ts";
import { checkDeployment } from "../../../../tools/operations/check/check.ts";
import type { CheckContext, Finding } from "../../../../tools/operations/check/finding.ts";
import { findTarget } from "../../../../tools/operations/find-target.ts";
import { available } from "../../../../tools/operations/ports/available.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";
import { soundAlarm, stackName, useDeployedStack } from "../deployed-stack.ts";
import { useTarget } from "../use-target.ts";
import { possibleFaults } from "./possible-faults.ts";

const operatorRole = `arn:aws:iam::${localAccountId}:role/operators/*`;
const reader = "111122223333";
const operated = useTarget({
  operators: [operatorRole],
  smoke: true,
  subscribers: [
    { name: "fulfilment", types: ["payment.order.success"] },
    { name: "order-history", types: ["*"], readers: [reader] },
    { name: "analytics", types: ["*"], ordered: false },
  ],
});
const deployed = useDeployedStack(operated);

/** What receive-callback answers to an empty callback, with the header that HTTP servers add. */
const receiverAnswers: typeof fetch = async () =>
  new Response('{"code":40000}', { status: 400, headers: { date: new Date().toUTCString() } });

const context: CheckContext = {
  now: Date.now,
  fetch: receiverAnswers,
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
    target.close();
  }
}

const withItems = (target: Target): Target => target;

/** A check asks the tables 160 times, and a fault in something else does not depend on what they hold. */
function withoutItems(target: Target): Target {
  target.orders.database.client.middlewareStack.add(
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

describe("a sound deployment", () => {
  test("has no fault, and everything that only AWS has is checked too", async () => {
    const findings = await check({}, withItems);
    expect(faultsIn(findings)).toEqual([]);
    expect(findings.slice(0, 12).map(({ check: name, message }) => [name, message])).toEqual([
      ["deployment", "UPDATE_COMPLETE"],
      ["versions", "command and stack are 0.1.0"],
      ["function receive-callback", "active on nodejs24.x"],
      ["function process-callback", "active on nodejs24.x"],
      ["function count-attention", "active on nodejs24.x"],
      ["function create-order", "active on nodejs24.x"],
      ["function query-order", "active on nodejs24.x"],
      ["function reconcile-orders", "active on nodejs24.x"],
      [
        "concurrency",
        "The account may run 1000 instances at the same time; receive-callback has 20 reserved",
      ],
      ["inbox to process-callback", "enabled"],
      ["alarms", "2 alarms, and each has a topic to notify"],
      ["operators", `${operatorRole} may redrive and replay, if IAM allows it`],
    ]);
  });

  test("may leave it to IAM who sends to its queues, if its config names no operators", async () => {
    deployed().queueAttributes.set(operated.target().queues.inbox.url, { Policy: "" });
    const findings = await check();
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

  test("is only read: no action of the check can change anything", async () => {
    await check({}, withItems);
    const reading = /:(Describe|FilterLogEvents|Get|List|Query)/;
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

  const deleted = "https://sqs.us-east-1.amazonaws.com/000000000000/deleted.fifo";

  test.each<[name: string, without: (target: Target) => Partial<Target>]>([
    [
      "dead letters of the inbox",
      ({ queues }) => ({
        queues: { ...queues, inbox: { ...queues.inbox, deadLettersUrl: deleted } },
      }),
    ],
    [
      "inbox",
      ({ queues }) => ({ queues: { ...queues, inbox: { ...queues.inbox, url: deleted } } }),
    ],
    [
      "dead letters of fulfilment",
      ({ queues }) => {
        const [first, ...others] = queues.subscribers;
        const subscribers = [{ ...first!, deadLettersUrl: deleted }, ...others];
        return { queues: { ...queues, subscribers } };
      },
    ],
    [
      "queue of smoke tests",
      ({ stack }) => ({
        stack: { ...stack, smoke: { ...available(stack.smoke), queueUrl: deleted } },
      }),
    ],
    [
      "queue of captured callbacks",
      ({ queues }) => ({ queues: { ...queues, captured: { url: deleted } } }),
    ],
  ])("a deleted queue is found, with the command that creates it: %s", async (name, without) => {
    const gone = (target: Target) => ({ ...withoutItems(target), ...without(target) });
    const found = faultsIn(await check({}, gone));
    expect(found.filter((finding) => finding.check === name)).toEqual([
      {
        check: name,
        status: "problem",
        message: "The queue does not exist: it was deleted outside the stack.",
        action: "Create it again: npx cdk deploy Paycast -c config=FILE --revert-drift",
      },
    ]);
  });

  test("with a subscriber's queue its events are gone, so the replay of all that it can have held is named", async () => {
    const now = () => Date.parse("2026-11-16T03:28:07.123Z");
    const gone = (target: Target): Target => {
      const [first, ...others] = target.queues.subscribers;
      const subscribers = [{ ...first!, queueUrl: deleted }, ...others];
      const { queues, clock, ...rest } = withoutItems(target);
      return { ...rest, queues: { ...queues, subscribers }, clock: { ...clock, now } };
    };
    expect(await check({}, gone)).toContainEqual({
      check: "queue of fulfilment",
      status: "problem",
      message:
        "The queue does not exist: it was deleted outside the stack, with the events that were in it.",
      action:
        "Create it again and send the events of the last 14 days again, which consumers recognise by their ids: npx cdk deploy Paycast -c config=FILE --revert-drift && npx paycast replay --to fulfilment --since '2026-11-02T03:28:07Z' --yes --stack Paycast",
    });
  });

  test.each([
    [
      "a role of another account among the operators",
      "arn:aws:iam::999999999999:role/on-call",
      {
        status: "problem",
        message:
          "arn:aws:iam::999999999999:role/on-call is a role of another account and cannot send to the queues.",
      },
    ],
    [
      "a stack that lets nobody send by hand",
      undefined,
      { status: "warning", message: expect.stringMatching(/^Nobody may redrive or replay/) },
    ],
  ])("%s is found", async (_name, role, expected) => {
    const { inbox } = operated.target().queues;
    const { Attributes = {} } = await operated
      .clients()
      .sqs.send(new GetQueueAttributesCommand({ QueueUrl: inbox.url, AttributeNames: ["Policy"] }));
    const text = role === undefined ? `,"${operatorRole}"` : operatorRole;
    const Policy = Attributes["Policy"]!.replace(text, role ?? "");
    deployed().queueAttributes.set(inbox.url, { Policy });
    const found = faultsIn(await check());
    expect(found.find(({ check: name }) => name === "operators")).toMatchObject(expected);
  });
});

test("an account whose instances a payment service that hangs could use up is found", async () => {
  const stack = deployed();
  stack.reserved = undefined;
  stack.concurrency = { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 };
  expect(faultsIn(await check())).toEqual([
    {
      check: "concurrency",
      status: "warning",
      message: expect.stringMatching(/may run 10 instances .* leave none for callbacks/),
      action: expect.stringContaining("raise the quota"),
    },
  ]);
});

describe("a check that cannot be made", () => {
  test.each([
    ["sqs:GetQueueAttributes", 11],
    ["cloudwatch:DescribeAlarms", 1],
    ["lambda:ListEventSourceMappings", 1],
    ["lambda:GetAccountSettings", 1],
    ["lambda:GetFunctionConcurrency", 1],
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

  test("is no fault where only some may read: keys are not looked at, and the permission is named", async () => {
    deployed().denied.add("secretsmanager:GetSecretValue");
    const findings = await check();
    expect(faultsIn(findings)).toEqual([]);
    const keys = findings.filter(({ check: name }) => /^(callback|request) keys of /.test(name));
    expect(keys).toHaveLength(2);
    for (const { message } of keys) expect(message).toContain("secretsmanager:GetSecretValue");
  });

  test("ends when AWS does not answer", async () => {
    deployed().silent.add("cloudwatch:DescribeAlarms");
    const found = faultsIn(await check({ limitMilliseconds: 5_000 }));
    expect(found).toContainEqual({
      check: "alarms",
      status: "problem",
      message: expect.stringMatching(/^There was no response within 5 seconds\./),
    });
  });

  test("says that the API cannot be reached", async () => {
    expect(faultsIn(await check({ fetch }))).toEqual([
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
    stage: "service",
    reason: "gateway-refused",
    merchantId: "shop-1",
    orderNo: "D-1",
    httpStatus: 502,
    timestamp: Date.now(),
  };
  const lines = ["50001", "40103"].map((serviceCode) => ({ ...line, serviceCode }));
  deployed().logLines.push(...lines.map((candidate) => JSON.stringify(candidate)));
  const [found] = faultsIn(await check());
  const action = expect.stringMatching(/ See: npx paycast keys check --stack Paycast\. /);
  expect(found).toMatchObject({ check: "storefront", status: "problem", action });
  expect(found?.message).toMatch(
    /^The payment service rejected 2 of 3 orders of the last hour, the last at .+Z: 40103\.$/,
  );
});

test("while refused callbacks are captured, a warning says until when", async () => {
  const until = Date.now() + 86_400_000;
  const capturing = (target: Target): Target => {
    const { queues, functions, ...rest } = withoutItems(target);
    const all = functions.all.map((each) => ({
      ...each,
      environment: { ...each.environment, CAPTURE_UNTIL_MILLISECONDS: String(until) },
    }));
    const captured = { url: queues.inbox.url };
    return { ...rest, queues: { ...queues, captured }, functions: { ...functions, all } };
  };
  expect(faultsIn(await check({}, capturing))).toMatchObject([
    {
      check: "captured callbacks",
      status: "warning",
      message: `Rejected callbacks are captured until ${new Date(until).toISOString()}.`,
    },
  ]);
  const later = await check({}, (target) => ({
    ...capturing(target),
    clock: { ...target.clock, now: () => until + 1 },
  }));
  expect(later.find(({ check: name }) => name === "captured callbacks")?.status).toBe("ok");
});
