import { GetSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { describe, expect, test } from "vitest";
import { noSmoke } from "../../../../tools/operations/aws/unavailable.ts";
import { findTarget } from "../../../../tools/operations/find-target.ts";
import { available } from "../../../../tools/operations/ports/available.ts";
import type { RunSmoke } from "../../../../tools/operations/smoke/send-and-wait.ts";
import { planSmoke, runSmoke, smokeTiming } from "../../../../tools/operations/smoke/smoke.ts";
import { makeSmokeKeys } from "../../../../tools/operations/smoke/smoke-callback.ts";
import { until } from "../../../end-to-end/running-stack.ts";
import { stackName, useDeployedStack } from "../deployed-stack.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { fetchAndChange, fetchAndCopy, fetchAndThen, leftBehind, smokeRun } from "./smoke-run.ts";

/** A warm instance learns new keys within a minute. */
const withNewKeys = 150_000;

const operated = useOperatedStack({ smoke: true });
const { auditLines } = operated;
const deployed = useDeployedStack(operated);
const run = async (change: Partial<RunSmoke> = {}, target = operated.target()) =>
  await runSmoke(target, smokeRun(change));
const secretVersion = async () => {
  const SecretId = available(operated.target().stack.smoke).callbackKeys;
  const { secretsManager } = operated.clients();
  const command = new GetSecretValueCommand({ SecretId });
  return await secretsManager.send(command).catch(() => undefined);
};
const smokeOfDeployed = async (...flags: string[]) =>
  await operated.paycast("smoke", "--stack", stackName, "--yes", ...flags);

describe("npx paycast smoke", () => {
  test("without --yes says what it would do, changes nothing and does not pass", async () => {
    const { code, out } = await operated.paycast("smoke");
    expect(out).toContain("post one callback of that merchant twice to http://127.0.0.1:");
    expect(out).toMatch(/Nothing was changed\..+--yes\.\n$/);
    expect(code).toBe(1);
    expect(await secretVersion()).toBeUndefined();
    expect(auditLines()).toEqual([]);
  });

  test(
    "with --yes passes with these permissions and no other, and its audit line names the operator",
    async () => {
      // The first run of the file: later ones would wait until a warm instance looks for keys again.
      const { code, out } = await smokeOfDeployed("--timeout", "100", "--json");
      expect(JSON.parse(out)).toEqual({
        done: true,
        passed: true,
        leftovers: 0,
        attempts: expect.any(Number),
        answeredMilliseconds: expect.any(Number),
        eventMilliseconds: expect.any(Number),
        orderNo: expect.stringMatching(/^smoke-\d{8}T\d{6}Z-[0-9a-f]{8}$/),
      });
      expect(code).toBe(0);
      expect(deployed().audit).toMatchObject([
        {
          act: "smoke",
          merchantId: "paycast-smoke",
          who: "arn:aws:iam::000000000000:user/operator",
        },
      ]);
      expect(await leftBehind(operated.target())).toEqual([]);
      expect([...new Set(deployed().calls)].sort()).toEqual([
        "cloudformation:DescribeStacks",
        "dynamodb:DeleteItem",
        "lambda:GetFunctionConfiguration",
        "logs:CreateLogStream",
        "logs:PutLogEvents",
        "secretsmanager:PutSecretValue",
        "sqs:DeleteMessage",
        "sqs:ReceiveMessage",
        "sts:GetCallerIdentity",
      ]);
    },
    withNewKeys,
  );

  test.each([
    ["0", "at least 1"],
    ["601", "at most 600"],
    ["soon", "a whole number"],
  ])("--timeout %s is wrong usage", async (seconds, must) => {
    const { code, err } = await operated.paycast("smoke", "--timeout", seconds, "--yes");
    expect(err).toContain(`--timeout must be ${must}.`);
    expect(code).toBe(2);
  });
});

test(
  "a run tells the times, leaves nothing behind, and its keys are nowhere but in the secret",
  async () => {
    const result = await run();
    expect(result).toEqual({
      passed: true,
      answeredMilliseconds: expect.any(Number),
      attempts: expect.any(Number),
      eventMilliseconds: expect.any(Number),
      orderNo: expect.stringMatching(/^smoke-\d{8}T\d{6}Z-[0-9a-f]{8}$/),
      leftovers: 0,
    });
    expect(await leftBehind(operated.target())).toEqual([]);
    expect(auditLines().map((line) => JSON.parse(line))).toMatchObject([
      { act: "smoke", orderNo: result.orderNo, merchantId: "paycast-smoke" },
    ]);
    const { SecretString = "" } = (await secretVersion()) ?? {};
    expect(Object.keys(JSON.parse(SecretString))).toEqual(["aesKey", "servicePublicKey"]);
    expect(auditLines().join()).not.toContain(JSON.parse(SecretString).aesKey);
  },
  withNewKeys,
);

test("a refusal and an outage at first are waited for: new keys take up to a minute", async () => {
  const early = [401, 503];
  const fetchLate: typeof fetch = async (url, init) => {
    const status = early.shift();
    return status === undefined ? await fetch(url, init) : new Response("{}", { status });
  };
  expect(await run({ ...smokeTiming, fetch: fetchLate })).toMatchObject({ passed: true });
  expect(early).toEqual([]);
});

test(
  "two operators at once both pass, and neither takes the other's event",
  async () => {
    const results = await Promise.all([run(), run()]);
    expect(results.map(({ passed }) => passed)).toEqual([true, true]);
    expect(await leftBehind(operated.target())).toEqual([]);
  },
  withNewKeys,
);

test("what a run could not delete, as if it was killed, is deleted by a later one", async () => {
  const offline = await findTarget({ directory: operated.directory });
  offline.orders.database.client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === "DeleteItemCommand") throw new Error("no connection");
        return await next(args);
      },
    { step: "initialize" },
  );
  const { orderNo, notCleaned } = await blindRun(offline);
  offline.close();
  expect(notCleaned).toBe("Error: no connection");
  expect(await leftBehind(operated.target())).toContain(`paycast-smoke#order#${orderNo}`);
  expect(await leftoversOfNextRuns()).toBe(1);
  expect(await leftBehind(operated.target())).toEqual([]);
});

/** Runs until nothing is left, and tells how many leftovers were found. */
async function leftoversOfNextRuns(): Promise<number> {
  let found = 0;
  return await until("a clean stack", async () => {
    const { passed, leftovers } = await run({ leftoverMilliseconds: 0 });
    expect(passed).toBe(true);
    found += leftovers;
    return (await leftBehind(operated.target())).length === 0 ? found : undefined;
  });
}

/** A run that looks into the wrong queue. Its time is over as soon as its event is sent. */
async function blindRun(target = operated.target()) {
  let isOver = false;
  const fetch = fetchAndThen(target, async () => {
    isOver = true;
  });
  const now = () => Date.now() + (isOver ? 100_000 : 0);
  const { stack, queues } = target;
  const smoke = { ...available(stack.smoke), queueUrl: queues.inbox.deadLettersUrl };
  return await run({ fetch, now }, { ...target, stack: { ...stack, smoke } });
}

describe("a smoke test that fails names the stage, and cleans up", () => {
  const short = { timeoutMilliseconds: 500 };
  const answering = (status: number) => async () => new Response("{}", { status });

  test("the API cannot be reached", async () => {
    const { stack, ...rest } = operated.target();
    const target = { ...rest, stack: { ...stack, callbackUrl: "http://127.0.0.1:9/callbacks" } };
    expect(await run(short, target)).toMatchObject({ passed: false, stage: "api-unreachable" });
  });

  test("the callback is refused", async () => {
    const { secretText } = smokeRun().makeKeys();
    const { sealing } = makeSmokeKeys();
    const result = await run({ ...short, makeKeys: () => ({ sealing, secretText }) });
    expect(result).toMatchObject({ passed: false, stage: "refused" });
  });

  test.each([
    [503, "not-stored"],
    [429, "not-stored"],
    [404, "api-unexpected"],
    [200, "api-unexpected"],
    [301, "api-unexpected"],
  ])("the API answers %i: %s", async (status, stage) => {
    const result = await run({ ...short, fetch: answering(status) });
    expect(result).toMatchObject({ passed: false, stage, leftovers: 0 });
  });

  test("the callback is stored and not processed", async () => {
    const stored = async () => Response.json({ code: 20000, msg: "" });
    const result = await run({ ...short, fetch: stored });
    expect(result).toMatchObject({
      passed: false,
      stage: "no-event",
      message: expect.stringMatching(
        /^No event arrived within 0\.5 seconds\. The callback is stored but not processed: about 0 /,
      ),
    });
  });

  test("its event went elsewhere", async () => {
    expect(await blindRun()).toMatchObject({
      stage: "no-event",
      message: expect.stringContaining("was sent to the queue of smoke tests"),
    });
    // The next run finds the event that nobody took.
    expect(await leftoversOfNextRuns()).toBe(1);
  });

  test.each([
    ["amount", (data) => Object.assign(data["amount"], { value: "99.00", minor: "9900" })],
    ["currency", (data) => Object.assign(data["amount"], { currency: "USD" })],
    ["callbackId", (data) => Object.assign(data, { callbackId: "another" })],
    ["merchantId, orderNo", (data) => Object.assign(data, { merchantId: "m", orderNo: "o" })],
    ["type", (_data, event) => Object.assign(event, { type: "payment.order.confirming" })],
  ] satisfies [string, Parameters<typeof fetchAndChange>[1]][])(
    "the event differs from its callback in: %s",
    async (names, change) => {
      const result = await run({ fetch: fetchAndChange(operated.target(), change) });
      expect(result).toMatchObject({
        passed: false,
        stage: "wrong-event",
        message: `The event differs from its callback in: ${names}.`,
      });
      expect(await leftBehind(operated.target())).toEqual([]);
    },
    withNewKeys,
  );

  test("one callback leads to two events", async () => {
    const quietMilliseconds = 3_000;
    const result = await run({ fetch: fetchAndCopy(operated.target()), quietMilliseconds });
    expect(result).toMatchObject({ passed: false, stage: "second-event" });
    expect(await leftBehind(operated.target())).toEqual([]);
  });

  test("Ctrl-C ends it in order", async () => {
    const stop = new AbortController();
    const onStage = (stage: string) => stage.startsWith("Waiting") && stop.abort();
    const result = await run({ signal: stop.signal, onStage });
    expect(result).toMatchObject({ passed: false, stage: "stopped" });
    await leftoversOfNextRuns();
  });
});

describe("a deployed stack", () => {
  test("is not changed without a line in its audit log", async () => {
    deployed().denied.add("logs:PutLogEvents");
    const { code, err } = await smokeOfDeployed();
    expect(err).toContain("You lack the permission logs:PutLogEvents");
    expect(code).toBe(4);
    expect(deployed().calls).not.toContain("secretsmanager:PutSecretValue");
  });

  test("that does not let the operator store keys names the missing permission", async () => {
    deployed().denied.add("secretsmanager:PutSecretValue");
    const { code, err } = await smokeOfDeployed();
    expect(err).toContain("You lack the permission secretsmanager:PutSecretValue");
    expect(code).toBe(4);
  });

  test("without the merchant of smoke tests is refused, and the config field is named", () => {
    const target = { stack: { ...operated.target().stack, smoke: noSmoke } };
    expect(() => planSmoke(target)).toThrow('Set "smoke": true in its config and deploy it.');
  });
});
