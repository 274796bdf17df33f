import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GetSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { describe, expect, test } from "vitest";
import type { RunSmoke } from "../../../operations/smoke/send-and-wait.ts";
import { planSmoke, runSmoke } from "../../../operations/smoke/smoke.ts";
import { makeSmokeKeys } from "../../../operations/smoke/smoke-callback.ts";
import { until } from "../../end-to-end/running-stack.ts";
import { stackName, useDeployedStack } from "../deployed-stack.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { spawnPaycast } from "../spawn-paycast.ts";
import { fetchAndChange, fetchAndCopy, leftBehind, smokeRun } from "./smoke-run.ts";

/** A warm instance learns new keys within a minute. */
const withNewKeys = 150_000;

const operated = useOperatedStack({ smoke: true });
const { auditLines } = operated;
const deployed = useDeployedStack(operated);
const run = async (change: Partial<RunSmoke> = {}, target = operated.target()) =>
  await runSmoke(target, smokeRun(change));
const secretVersion = async () => {
  const SecretId = operated.target().smoke!.callbackKeys;
  const { secretsManager } = operated.target().clients;
  const command = new GetSecretValueCommand({ SecretId });
  return await secretsManager.send(command).catch(() => undefined);
};

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
    "with --yes passes, tells the times, and leaves nothing behind",
    async () => {
      const result = await operated.paycastJson("smoke", "--yes");
      expect(result).toEqual({
        done: true,
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

test("a refusal and an outage at first are waited for: new keys take up to a minute", async () => {
  const early = [401, 503];
  const fetchLate: typeof fetch = async (url, init) => {
    const status = early.shift();
    return status === undefined ? await fetch(url, init) : new Response("{}", { status });
  };
  expect(await run({ fetch: fetchLate })).toMatchObject({ passed: true });
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

test(
  "a run that was killed is cleaned up by a later one",
  async () => {
    const { child, ended } = spawnBlindRun();
    await until(
      "an order of it",
      async () => {
        const left = await leftBehind(operated.target());
        return left.some((key) => key.includes("#order#smoke-")) ? true : undefined;
      },
      100_000,
    );
    child.kill("SIGKILL");
    await ended;
    expect(await leftoversOfNextRuns()).toBe(1);
  },
  withNewKeys,
);

/** `npx paycast smoke` that looks into the wrong queue, so that it can be killed while it waits for its event. */
function spawnBlindRun() {
  const { description } = operated.stack();
  const smoke = { ...description.smoke, queue: description.queues.inboxDeadLetters };
  const directory = join(operated.directory, "blind");
  mkdirSync(directory);
  writeFileSync(join(directory, "local.json"), JSON.stringify({ ...description, smoke }));
  return spawnPaycast(directory, "smoke", "--yes");
}

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

describe("a smoke test that fails names the stage, and cleans up", () => {
  const short = { timeoutMilliseconds: 4_000 };
  const answering = (status: number) => async () => new Response("{}", { status });

  test("the API cannot be reached", async () => {
    const target = { ...operated.target(), callbackUrl: "http://127.0.0.1:9/callbacks" };
    expect(await run(short, target)).toMatchObject({ passed: false, stage: "api-unreachable" });
  });

  test("the callback is refused", async () => {
    const { sealing } = makeSmokeKeys();
    const { secretText } = makeSmokeKeys();
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
        /^No event came within 4 seconds\. The callback is stored and not processed: about 0 /,
      ),
    });
  });

  test("its event went elsewhere", async () => {
    const target = operated.target();
    const smoke = { ...target.smoke!, queueUrl: target.inbox.deadLettersUrl };
    const result = await run({ timeoutMilliseconds: 10_000 }, { ...target, smoke });
    expect(result).toMatchObject({
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
    const result = await run({ fetch: fetchAndCopy(operated.target()) });
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
  const smoke = async (...flags: string[]) =>
    await operated.paycast("smoke", "--stack", stackName, "--yes", ...flags);

  test("passes with these permissions and no other, and its audit line names the operator", async () => {
    const { code, out } = await smoke("--timeout", "100");
    expect(out).toMatch(
      /^result +passed\nstored after +\d+ ms, with request \d+\nevent after +\d+ ms more\n/,
    );
    expect(code).toBe(0);
    expect(deployed().audit).toMatchObject([
      { act: "smoke", who: "arn:aws:iam::000000000000:user/operator", merchantId: "paycast-smoke" },
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
  });

  test("is not changed without a line in its audit log", async () => {
    deployed().denied.add("logs:PutLogEvents");
    const { code, err } = await smoke();
    expect(err).toContain("You lack the permission logs:PutLogEvents");
    expect(code).toBe(4);
    expect(deployed().calls).not.toContain("secretsmanager:PutSecretValue");
  });

  test("that does not let the operator store keys names the missing permission", async () => {
    deployed().denied.add("secretsmanager:PutSecretValue");
    const { code, err } = await smoke();
    expect(err).toContain("You lack the permission secretsmanager:PutSecretValue");
    expect(code).toBe(4);
  });

  test("without the merchant of smoke tests is refused, and the config field is named", () => {
    const target = { ...operated.target(), smoke: undefined };
    expect(() => planSmoke(target)).toThrow('Set "smoke": true in its config and deploy it.');
  });
});
