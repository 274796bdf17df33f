import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AwsClients, createAwsClients } from "../../local/aws/aws-clients.ts";
import type { Simulator } from "../../simulator/start-simulator.ts";
import type { Stack } from "./double/stacks.ts";
import { documentedConfig, documentedSteps, realApp, useOperator } from "./operator.ts";
import { outcomeOf, pay, published, received, sendAgain, takeEvents } from "./payments.ts";
import { type Running, runFunctions, startService } from "./running-functions.ts";
import { keptBy, physicalIdOf, storesInAccount, typesLeft } from "./stack-contents.ts";

const timeout = 240_000;
const config = documentedConfig();
const name = String(config["name"]);
const [findKept = "", importKept = "", deployRest = "", ...checks] =
  documentedSteps("A lost stack");
const operator = useOperator();
let aws: AwsClients;
let service: Simulator;
let lost: Stack;

/** Each test is a step of the same story: what the stack holds, its loss, its recovery. */
beforeAll(async () => {
  aws = createAwsClients(operator.emulators());
  writeFileSync(join(operator.folder, "prod.json"), JSON.stringify(config));
  operator.setApp(realApp);
  await succeed(deployRest);
  // Synthesizing takes seconds, and each later command would make the same app again.
  operator.setApp("cdk.out");
  lost = current();
  service = await startService("ShopEurope", lost, operator.emulators());
  await withFunctions({ readsInbox: true }, async (running) => {
    const paymentId = await pay(running, service, "PAID-1");
    await published(running, "PAID-1");
    // Else the service would send again, to an address that another program may have by then.
    await received(service, paymentId);
  });
  await withFunctions({ readsInbox: false }, async (running) => {
    await received(service, await pay(running, service, "WAITING-1"));
  });
}, timeout);

afterAll(async () => {
  await service.stop();
  aws.destroy();
});

test("termination protection keeps the stack from being deleted", { timeout }, async () => {
  await fail("npx cdk destroy -c config=prod.json --force", "TerminationProtection is enabled");
  expect(lost.status).toBe("CREATE_COMPLETE");
});

test("a deleted stack leaves all that holds payments, and no function", { timeout }, async () => {
  lost.isProtected = false;
  await succeed("npx cdk destroy -c config=prod.json --force");
  expect(lost.status).toBe("DELETE_COMPLETE");
  expect(typesLeft(lost)).toEqual({
    "AWS::DynamoDB::Table": 2,
    "AWS::Logs::LogGroup": 1,
    "AWS::SecretsManager::Secret": 2,
    "AWS::SQS::Queue": 6,
    "AWS::SQS::QueuePolicy": 6,
  });
  expect([...operator.aws().account.others].join()).not.toContain("AWS::Lambda");
});

test("an import of what is not there changes nothing", { timeout }, async () => {
  await succeed(findKept);
  await succeed(`sed 's/"TableName": "/&not-/' kept.json > wrong.json`);
  await fail(importKept.replace("kept.json", "wrong.json"), "does not exist");
  expect(current()).toMatchObject({ status: "REVIEW_IN_PROGRESS", resources: new Map() });
  // The stack under review is empty, and no reason to think that nothing was lost.
  await succeed(findKept);
});

test("the documented import makes a stack of what was kept, and of nothing else", {
  timeout,
}, async () => {
  const before = await storesInAccount(aws);
  await succeed(importKept);
  expect(current().status).toBe("IMPORT_COMPLETE");
  expect(keptBy(current())).toEqual(keptBy(lost));
  expect(current().resources.size).toBe(11);
  expect(await storesInAccount(aws)).toEqual(before);
});

test("a deployment that fails after the import leaves it as it was", { timeout }, async () => {
  operator.aws().broken.add("AWS::IAM::Role");
  await fail(deployRest, "UPDATE_ROLLBACK_COMPLETE").finally(() => operator.aws().broken.clear());
  expect(keptBy(current())).toEqual(keptBy(lost));
  expect(current().resources.size).toBe(11);
});

test("the documented deployment makes the rest, protected again", { timeout }, async () => {
  const before = await storesInAccount(aws);
  await succeed(deployRest);
  expect(current()).toMatchObject({ status: "UPDATE_COMPLETE", isProtected: true });
  expect(current().id).not.toBe(lost.id);
  expect(keptBy(current())).toEqual(keptBy(lost));
  expect(current().resources.size).toBe(lost.resources.size);
  // Only the queue of smoke tests is new: it was deleted with the stack.
  expect(await storesInAccount(aws)).toHaveLength(before.length + 1);
  // These work on a deployed stack like any other, and have tests of their own.
  expect(checks.map((line) => line.split(" ").slice(0, 3).join(" "))).toEqual([
    "npx paycast check",
    "npx paycast smoke",
  ]);
});

test("the functions go on where they stopped", { timeout }, async () => {
  await withFunctions({ readsInbox: true }, async (running) => {
    await published(running, "WAITING-1");
    await sendAgain(aws, current(), "PAID-1");
    expect(await outcomeOf(running, "PAID-1")).toBe("duplicate");
    const answer = await fetch(`${running.stack.api}/orders/PAID-1`);
    expect(await answer.json()).toMatchObject({ orderNo: "PAID-1", status: "success" });
    // The keys in the secrets sign the new order and verify its callback.
    const paymentId = await pay(running, service, "AFTER-1");
    await published(running, "AFTER-1");
    await received(service, paymentId);
  });
  const success = ["AFTER-1", "PAID-1", "WAITING-1"].map((no) => `${no} payment.order.success`);
  const confirming = success.map((event) => event.replace("success", "confirming"));
  expect(await eventsOf("fulfilment")).toEqual(success);
  expect(await eventsOf("ledger")).toEqual([...success, ...confirming].sort());
});

async function eventsOf(subscriber: string): Promise<string[]> {
  return await takeEvents(aws, physicalIdOf(current(), `Subscribers${subscriber}Queue`));
}

function current(): Stack {
  return operator.aws().stacks.find(name);
}

async function succeed(line: string): Promise<void> {
  const { out, err, code } = await operator.type(line);
  const told = code === 0 ? "" : `${line}\n${out}\n${err}`;
  expect({ code, told }).toEqual({ code: 0, told: "" });
}

async function fail(line: string, reason: string): Promise<void> {
  const { err, code } = await operator.type(line);
  expect(err).toContain(reason);
  expect(code).toBe(1);
}

/** Gives the work the functions of the stack that there is now. */
async function withFunctions(
  how: Parameters<typeof runFunctions>[2],
  work: (running: Running) => Promise<void>,
): Promise<void> {
  const { baseUrl } = config["gateway"] as { baseUrl: string };
  const surroundings = {
    ...{ emulators: operator.emulators(), origins: { [baseUrl]: service.url } },
    assetDirectory: join(operator.folder, "cdk.out"),
  };
  const running = await runFunctions(current(), surroundings, how);
  await work(running).finally(() => running.stop());
}
