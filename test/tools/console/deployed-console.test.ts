import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { GetSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ConsoleContext } from "../../../tools/console/console-context.ts";
import { consoleRoutes } from "../../../tools/console/routes/console-routes.ts";
import type { ApiRoute } from "../../../tools/console/server/route.ts";
import { type FindTarget, keepTarget } from "../../../tools/console/start-console.ts";
import { findTarget } from "../../../tools/operations/find-target.ts";
import { available } from "../../../tools/operations/ports/available.ts";
import type { Target } from "../../../tools/operations/ports/target.ts";
import { hasBrowser } from "../../setup/browser.ts";
import { runHere } from "../cli/run-paycast.ts";
import { callback, operator } from "../operations/attention/put-aside.ts";
import { useSubscriberSetup } from "../operations/dead-letters/subscriber-setup.ts";
import { stackName, useDeployedStack } from "../operations/deployed-stack.ts";
import { useOperatedStack } from "../operations/operated-stack.ts";
import { useBrowser } from "./browser-pages.ts";
import { type Console, openConsole } from "./open-console.ts";
import { serveDeployed } from "./serve-deployed.ts";

const operated = useOperatedStack();
const deployed = useDeployedStack(operated);
const context = useSubscriberSetup(operated);
let reader: Awaited<ReturnType<typeof serveDeployed>> | undefined;
let page: Console;
// The double is ready when a test begins, and not before.
beforeEach(async () => {
  reader ??= await serveDeployed();
  page ??= await openConsole(reader.url);
});
afterAll(async () => {
  expect(await reader?.stop()).toBe(0);
});
const readerUrl = () => reader?.url ?? "";

const routes: readonly ApiRoute[] = consoleRoutes({
  directory: tmpdir(),
} as unknown as ConsoleContext);

/** The path of a route, with parts that exist where it matters. */
const pathOf = ({ path }: ApiRoute, id: string) =>
  path.replace(":name", "fulfilment").replace(":id", id).replace(/:\w+/g, "ORDER-1");

describe("on a deployed stack", () => {
  const changes = routes.filter(({ changes: isChange }) => isChange);

  test.each(changes.map((route) => [route.path, route] as const))(
    "%s is refused, whatever it is asked",
    async (_case, route) => {
      const { status, json } = await page.post(pathOf(route, "x"), { preview: "x" });
      expect(status).toBe(403);
      expect(json.error).toMatchObject({
        code: "read-only",
        message: expect.stringContaining("Use the command"),
      });
    },
  );

  test("the stack is read: counts of CloudWatch, queues, dead letters, keys", async () => {
    deployed().metrics.set("Accepted", 7).set("ApproximateAgeOfOldestMessage", 90);
    await context.bury("ORDER-1");
    const stack = await page.view("/api/stack");
    expect(stack).toMatchObject({
      kind: "deployed",
      name: stackName,
      isLive: false,
      hasLab: false,
    });
    const flow = await page.view("/api/flow");
    expect(flow).toMatchObject({ counts: { accepted: { total: 7 }, refused: { total: 0 } } });
    const { json: letters } = await page.post("/api/dead-letters/list/again", {
      queue: "fulfilment",
    });
    expect(letters.report.data.letters).toMatchObject([{ subject: "ORDER-1" }]);
    const { report, lookedAt } = await page.view("/api/keys/check");
    expect(await page.view("/api/keys/check")).toMatchObject({ lookedAt });
    expect(report.sections).toMatchObject([
      {
        title: "shop-1",
        sections: [{ title: expect.stringContaining("callback keys, current") }, {}],
      },
    ]);
    expect(deployed().audit).toEqual([]);
  });

  test("a missing permission is named, and hides nothing else", async () => {
    const other = await serveDeployed();
    const own = await openConsole(other.url);
    deployed().denied.add("cloudwatch:GetMetricData");
    const { counts, countsProblem, subscribers } = await own.view("/api/flow");
    await other.stop();
    expect({ counts, subscribers: subscribers.length }).toEqual({ subscribers: 3 });
    expect(countsProblem).toContain("cloudwatch:GetMetricData");
  });

  test("without the permission to count the quarantine, the queues are still shown", async () => {
    deployed().denied.add("dynamodb:Query");
    const { attention, attentionProblem, subscribers } = await page.view("/api/flow");
    expect(attention).toBeUndefined();
    expect(attentionProblem).toContain("dynamodb:Query");
    expect(subscribers).toHaveLength(3);
  });
});

test("pages that stay open ask CloudWatch once a minute, and the queues each time", async () => {
  const other = await serveDeployed();
  const own = await openConsole(other.url);
  for (let look = 0; look < 3; look += 1) {
    await Promise.all([own.view("/api/flow"), own.view("/api/subscribers")]);
  }
  await other.stop();
  const count = (action: string) => deployed().calls.filter((call) => call === action).length;
  // The counts, the ages of the flow's queues, and the ages of the subscribers' queues.
  expect(count("cloudwatch:GetMetricData")).toBe(3);
  expect(count("sqs:GetQueueAttributes")).toBe(3 * (8 + 6));
});

test("no view tells a secret", async () => {
  const clients = operated.clients();
  const { merchants } = operated.target().stack;
  await operator(operated).record(callback());
  await operated.paidOrder("ORDER-1");
  await context.bury("ORDER-1");
  const ids = merchants.flatMap(({ callbackKeys, requestKeys }) => [callbackKeys, requestKeys]);
  const texts = await Promise.all(
    ids.map(async (SecretId) => {
      const command = new GetSecretValueCommand({ SecretId });
      return (await clients.secretsManager.send(command)).SecretString ?? "";
    }),
  );
  const canaries = texts.flatMap((text) =>
    Object.values(JSON.parse(text)).flatMap((value) =>
      // Every line of a PEM, since a view could show a part.
      typeof value === "string" ? value.split("\n").filter((line) => line.length > 20) : [],
    ),
  );
  expect(canaries.filter((canary) => !canary.startsWith("-----")).length).toBeGreaterThan(20);
  const { items } = await page.view("/api/attention/list");
  const queue = "fulfilment";
  const { json: looked } = await page.post("/api/dead-letters/list/again", { queue });
  const letter = looked.report.data.letters[0].messageId;
  const views = routes.filter(({ method }) => method === "GET");
  expect(views.length).toBeGreaterThan(8);
  for (const route of views) {
    const id = route.path.startsWith("/api/dead-letters") ? letter : items[0].id;
    const path = `${pathOf(route, id)}?id=${id}&text=ORDER-1&queue=fulfilment`;
    const { status, text } = await page.ask(path);
    expect({ path, status }).toEqual({ path, status: 200 });
    const leaked = canaries.filter(
      (canary) => !canary.startsWith("-----") && text.includes(canary),
    );
    expect({ path, leaked }).toEqual({ path, leaked: [] });
  }
});

describe("the command", () => {
  test("says what is wrong before it serves anything", async () => {
    const unknown = await runHere(["console", "--stack", "Nothing"]);
    expect(unknown).toMatchObject({ code: 2, out: "" });
    expect(unknown.err).toContain("There is no stack Nothing in this account and region.");
    deployed().denied.add("lambda:GetFunctionConfiguration");
    const denied = await runHere(["console", "--stack", stackName]);
    expect(denied).toMatchObject({ code: 4, out: "" });
    expect(denied.err).toContain("You lack the permission lambda:GetFunctionConfiguration");
  });

  test("takes another port if its own is taken, but not in place of one that was asked for", async () => {
    const second = await serveDeployed();
    expect(new URL(second.url).port).not.toBe(new URL(readerUrl()).port);
    await second.stop();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const address = other.address();
    const port = typeof address === "object" && address !== null ? String(address.port) : "";
    const { code, err } = await runHere(["console", "--stack", stackName, "--port", port]);
    other.close();
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining(`Port ${port}`) });
    expect((await runHere(["console", "--stack", stackName, "--port", "0"])).code).toBe(2);
  });

  test("without a stack tells where the local console is", async () => {
    const { console: url } = operated.stack().description;
    const printed = await runHere(["console"]);
    expect(printed).toMatchObject({ code: 0, out: `npm start serves the console: ${url}\n` });
    expect(JSON.parse((await runHere(["console", "--json"])).out)).toEqual({ url });
    expect((await runHere(["console", "--port", "4591"])).code).toBe(2);
  });
});

describe.runIf(hasBrowser("the console of a deployed stack"))("its page", () => {
  const { open } = useBrowser(readerUrl);

  test("does not say that all is well if the queues cannot be read", async () => {
    deployed().denied.add("sqs:GetQueueAttributes");
    const tab = await open();
    const warnings = tab.getByRole("list", { name: "What cannot be read" });
    await warnings.getByText("The dead letters of the inbox cannot be read.").waitFor();
    const own = "The dead letters of the queue of fulfilment cannot be read.";
    await warnings.getByText(own).waitFor();
    await tab.getByText("No active alarms.").waitFor();
  });

  test("looks again by itself, and offers no button for a change", async () => {
    const tab = await open();
    await tab.getByText("read-only").waitFor();
    await tab.getByRole("link", { name: "Subscribers" }).click();
    const row = tab.getByRole("row", { name: /^order-history/ });
    await row.waitFor();
    await context.bury("ORDER-1", "order-history");
    await row.getByText("1", { exact: true }).waitFor({ timeout: 25_000 });
    await tab.getByRole("link", { name: "order-history" }).click();
    await tab.getByRole("button", { name: "Show the dead letters" }).click();
    await tab.getByText("This console is read-only.").first().waitFor();
    expect(await tab.getByRole("button", { name: /^Redrive|^Preview/ }).count()).toBe(0);
    expect(deployed().audit).toEqual([]);
  });

  test("shows the command for what was chosen, filled in, and copies it", async () => {
    const id = await context.bury("ORDER-1", "order-history");
    const tab = await open("/subscribers/order-history");
    // Another page has looked before.
    await tab.getByRole("button", { name: "Refresh" }).click();
    const redrive = "npx paycast dead-letters redrive order-history";
    await tab.getByText(`${redrive} --all --stack ${stackName}`).waitFor();
    const command = `${redrive} ${id} --stack ${stackName}`;
    // When the new look arrives, nothing is chosen any more.
    const chooseAll = tab.getByLabel("Select all");
    await expect
      .poll(async () => {
        await chooseAll.check().catch(() => undefined);
        return await tab.getByText(command).count();
      })
      .toBe(1);
    await tab.getByRole("button", { name: "Copy command: Redrive 1" }).click();
    await expect.poll(() => tab.evaluate("navigator.clipboard.readText()")).toBe(command);
  });
});

describe("the stack that the console has found", () => {
  const later = 6 * 60_000;
  const findStack: FindTarget = () =>
    findTarget({ stack: stackName, directory: operated.directory });
  const versionOf = ({ stack }: Target) => available(stack.deployment).version;

  afterEach(() => vi.restoreAllMocks());

  test("a deployed stack that is found again is reached over the same connections, which end with the console", async () => {
    const destroyed = vi.spyOn(SQSClient.prototype, "destroy");
    let now = 0;
    const stack = keepTarget(findStack, () => now);
    const first = await stack.target();
    deployed().outputs.set("Version", "9.9.9");
    expect(versionOf(await stack.target())).toBe("0.1.0");
    now += later;
    const second = await stack.target();
    expect(versionOf(second)).toBe("9.9.9");
    expect(second.orders.database.client).toBe(first.orders.database.client);
    expect(destroyed).not.toHaveBeenCalled();
    await stack.forget();
    expect(destroyed).toHaveBeenCalledOnce();
  });

  test("a stack that cannot be found leaves no connection open", async () => {
    const destroyed = vi.spyOn(SQSClient.prototype, "destroy");
    const stack = keepTarget(findStack);
    deployed().outputs.delete("ApiUrl");
    await expect(stack.target()).rejects.toMatchObject({ code: "target-incomplete" });
    expect(destroyed).toHaveBeenCalledOnce();
  });

  test("a stack that is gone for a while is reached over the connections that it had", async () => {
    const destroyed = vi.spyOn(SQSClient.prototype, "destroy");
    let now = 0;
    const stack = keepTarget(findStack, () => now);
    const { client } = (await stack.target()).orders.database;
    now += later;
    deployed().denied.add("cloudformation:DescribeStacks");
    await expect(stack.target()).rejects.toThrow();
    deployed().denied.clear();
    expect((await stack.target()).orders.database.client).toBe(client);
    expect(destroyed).not.toHaveBeenCalled();
    await stack.forget();
  });
});
