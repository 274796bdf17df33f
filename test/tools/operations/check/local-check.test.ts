import { randomUUID } from "node:crypto";
import { PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { DeleteQueueCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import type { CheckContext, Finding } from "../../../../tools/operations/check/finding.ts";
import { overdueCheck } from "../../../../tools/operations/check/work-checks.ts";
import { until } from "../../../end-to-end/running-stack.ts";
import { callback, operator } from "../attention/put-aside.ts";
import { keySetup } from "../keys/key-setup.ts";
import { useOperatedStack } from "../operated-stack.ts";

const operated = useOperatedStack({
  subscribers: [
    { name: "fulfilment", types: ["payment.order.success"], maxWaitMinutes: 60 },
    { name: "order-history", types: ["*"] },
    { name: "analytics", types: ["*"], ordered: false },
  ],
});
const check = async (): Promise<Finding[]> => await operated.paycastJson("check");
const find = async (name: string) => (await check()).filter((finding) => finding.check === name);

test("a local stack as npm start runs it has no problem, and nothing is checked that it lacks", async () => {
  const findings = await check();
  expect(findings.filter(({ status }) => status !== "ok")).toEqual([]);
  expect(findings.map(({ check: name }) => name)).toEqual([
    "API",
    "clock of this machine",
    "callback keys of shop-1",
    "request keys of shop-1",
    "stamp key",
    "dead letters of the inbox",
    "inbox",
    "dead letters of fulfilment",
    "queue of fulfilment",
    "dead letters of order-history",
    "queue of order-history",
    "dead letters of analytics",
    "queue of analytics",
    "callbacks stored",
    "storefront",
    "background work",
    "attention",
    "overdue orders",
  ]);
  expect((await operated.paycast("check")).code).toBe(0);
});

test("for people: aligned lines and a summary", async () => {
  const analytics = operated.target().queues.subscribers.find(({ name }) => name === "analytics")!;
  const command = new SendMessageCommand({ QueueUrl: analytics.queueUrl, MessageBody: "{}" });
  await operated.clients().sqs.send(command);
  const { out } = await operated.paycast("check");
  expect(out).toMatch(/^status {2}check +found\n/);
  expect(out).toMatch(/^ok +queue of analytics +standard, 1 message$/m);
  expect(out).toMatch(/^ok +inbox +FIFO, 0 messages$/m);
  expect(out).toMatch(/\nProblems: 0. Warnings: 0. Ok: 18\.\n$/);
});

test("orders that wait for a question since more than an hour are counted, in every shard", async () => {
  // By their hashes these two are in the first and the last shard.
  for (const orderNo of ["DUE-18", "DUE-3"]) await operated.shop().create(orderNo);
  const dueAt = async (orderNo: string) =>
    Date.parse((await operated.paycastJson("order", orderNo)).nextCheckAt);
  const verdictsAt = async (now: number) =>
    await overdueCheck.run(
      { ...operated.target(), clock: { ...operated.target().clock, now: () => now } },
      {} as CheckContext,
    );
  const hour = 3_600_000;
  const [first, last] = [await dueAt("DUE-18"), await dueAt("DUE-3")];
  expect(await verdictsAt(first + hour - 1)).toEqual([{ status: "ok", message: "none" }]);
  expect(await verdictsAt(last + hour)).toEqual([
    {
      status: "warning",
      message: "2 orders have been due for a query to the payment service for an hour or more.",
      action: expect.stringContaining("reconcile-orders"),
    },
  ]);
});

test("while a subscriber's queue is deleted and the service refuses orders, both are named", async () => {
  const clients = operated.clients();
  const { subscribers } = operated.target().queues;
  const QueueUrl = subscribers.find(({ name }) => name === "analytics")?.queueUrl;
  const { body } = await operated.shop().create("CHECK-1");
  await clients.sqs.send(new DeleteQueueCommand({ QueueUrl }));
  await operated.shop().act(body.paymentId, "pay");
  const words = { code: 40103, msg: "body cannot be decrypted" };
  await operated.shop().fault("refuse-creates", "CHECK-2", words);
  await operated.shop().create("CHECK-2");
  const found = await until("both to be named", async () => {
    const findings = (await check()).filter(({ status }) => status === "problem");
    const names = findings.map(({ check: name }) => name);
    return names.includes("attention") && names.includes("storefront") ? findings : undefined;
  });
  const time = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ";
  const message = (text: string) => expect.stringMatching(new RegExp(`^${text}$`));
  expect(found.filter(({ check: name }) => name !== "dead letters of analytics")).toEqual([
    {
      check: "queue of analytics",
      status: "problem",
      message:
        "The queue does not exist: it was deleted outside the stack, with the events that were in it.",
      action: expect.stringMatching(
        /^Restart npm start, which creates it again\. Then send .*: npx paycast replay --to analytics --since '\S+Z' --yes$/,
      ),
    },
    {
      check: "storefront",
      status: "problem",
      action: expect.stringMatching(/ See: npx paycast keys check\. /),
      message: message(
        ".*The payment service rejected 1 of 4 orders of the last hour, .*: 40103 body cannot be decrypted\\.",
      ),
    },
    {
      check: "attention",
      status: "problem",
      action: expect.any(String),
      message: message(
        `analytics has rejected events since ${time}: QueueDoesNotExist, \\d events? waits?(, \\d not delivered since ${time})?\\.`,
      ),
    },
  ]);
});

test("a dead letter is a problem, with the command that shows it, and the exit code says so", async () => {
  const [, history] = operated.target().queues.subscribers;
  await operated.clients().sqs.send(
    new SendMessageCommand({
      QueueUrl: history!.deadLettersUrl,
      MessageBody: "{}",
      MessageGroupId: "one",
      MessageDeduplicationId: randomUUID(),
    }),
  );
  expect(await find("dead letters of order-history")).toEqual([
    {
      check: "dead letters of order-history",
      status: "problem",
      message: "1 message needs attention.",
      action: "List them: npx paycast dead-letters list order-history",
    },
  ]);
  const { code, out } = await operated.paycast("check");
  expect(out).toMatch(/^problem +dead letters of order-history +1 message needs attention\.$/m);
  expect(out).toContain("-> List them: npx paycast dead-letters list order-history\n");
  expect(code).toBe(1);
});

test("keys that make no sense are a problem that names the field and never its value", async () => {
  const [merchant] = operated.target().stack.merchants;
  const SecretString = JSON.stringify({ aesKey: "c2VjcmV0", servicePublicKey: "c2VjcmV0" });
  const { secretsManager } = operated.clients();
  const SecretId = merchant!.callbackKeys;
  await secretsManager.send(new PutSecretValueCommand({ SecretId, SecretString }));
  const [finding] = await find("callback keys of shop-1");
  expect(finding).toMatchObject({
    status: "problem",
    message: expect.stringMatching(/^aesKey must be 16, 24 or 32 bytes long/),
    action: expect.stringContaining("npx paycast keys set shop-1 "),
  });
  expect(JSON.stringify(finding)).not.toContain("c2VjcmV0");
});

test("keys that were never set are a problem, with the command that sets them", async () => {
  const { merchantId } = await keySetup(operated).newMerchant();
  const action = `Set the keys: npx paycast keys set ${merchantId} --aes-key FILE --service-public-key FILE --merchant-private-key FILE --yes`;
  const problem = { status: "problem", message: "The secret has no value.", action };
  expect(await find(`callback keys of ${merchantId}`)).toMatchObject([problem]);
  expect(await find(`request keys of ${merchantId}`)).toMatchObject([problem]);
});

test("events that only wait need no redrive, and undeliverable ones do", async () => {
  const { missed } = operator(operated);
  const actionFor = async () => {
    const [finding] = (await find("attention")).filter(({ message }) =>
      /^fulfilment /.test(message),
    );
    return finding?.action;
  };
  await missed(callback(), ["fulfilment"], { kind: "waiting" });
  expect(await actionFor()).toBe("Restore the queue. Paycast retries the events that wait.");
  await missed(callback(), ["fulfilment"]);
  expect(await actionFor()).toBe(
    "Restore the queue, then: npx paycast attention redrive --subscriber fulfilment",
  );
});

test("a queue that nobody reads is a problem after its own time, with a time that stays", async () => {
  const [fulfilment, history] = operated.target().queues.subscribers;
  for (const { queueUrl } of [fulfilment!, history!]) {
    await operated.clients().sqs.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: "{}",
        MessageGroupId: "one",
        MessageDeduplicationId: randomUUID(),
      }),
    );
  }
  await operated.shop().control("POST", "/clock", { jumpSeconds: 16 * 60 });
  expect(await find("queue of fulfilment")).toMatchObject([{ status: "ok" }]);
  const [first] = await find("queue of order-history");
  expect(first?.message).toMatch(
    /^The oldest of \d+ events has waited since \S+Z, longer than 15 minutes: its consumer does not run, fails or is too slow\.$/,
  );
  await operated.shop().control("POST", "/clock", { jumpSeconds: 60 });
  // Only the time: more events of earlier orders may have been counted since.
  const [later] = await find("queue of order-history");
  const sinceIn = (message = "") => /waited since (\S+Z)/.exec(message)?.[1];
  expect(later?.status).toBe("problem");
  expect(sinceIn(later?.message)).toBe(sinceIn(first?.message));
  const { out } = await operated.paycast("status");
  expect(out).toMatch(
    /^order-history +\d+ in the queue, oldest \d+ min, since \S+Z, longer than 15 minutes/m,
  );
});
