import { DeleteQueueCommand } from "@aws-sdk/client-sqs";
import type { BrowserContext, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type RunningConsole, startConsole } from "../../../tools/console/start-console.ts";
import { findTarget } from "../../../tools/operations/find-target.ts";
import { hasBrowser } from "../../setup/browser.ts";
import { useOperatedStack } from "../operations/operated-stack.ts";
import { useBrowser } from "./browser-pages.ts";
import { findFlawsInLooks } from "./find-violations.ts";
import { ownPort } from "./own-port.ts";

const isPossible = hasBrowser("what the console's page does while things change");

describe.runIf(isPossible)("an open page of the console", () => {
  const operated = useOperatedStack();
  const consoleUrl = () => operated.stack().description.console;
  const { open, newContext } = useBrowser(consoleUrl);

  /** Another tab of the same browser. */
  const openTab = async (context: BrowserContext, address: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(address);
    await page.getByRole("heading", { level: 1 }).waitFor();
    return page;
  };
  const orderLink = (page: Page, orderNo: string) =>
    page.getByRole("link", { name: orderNo, exact: true });

  test("the flow of a new stack says what to do first", async () => {
    const page = await open();
    await page.getByText("No activity yet.").waitFor();
    await page.getByRole("link", { name: "0 orders created" }).waitFor();
    expect(await findFlawsInLooks(page)).toEqual([]);
  });

  // A browser opens six connections to a server at most.
  test("seven tabs are open at once and all of them follow, also when the first one is closed", async () => {
    const context = await newContext();
    const tabs = [await openTab(context, consoleUrl())];
    const orders = new URL("/orders", consoleUrl()).href;
    while (tabs.length < 7) tabs.push(await openTab(context, orders));
    await operated.shop().create("TABS-1");
    for (const tab of tabs) await orderLink(tab, "TABS-1").waitFor();
    await tabs.shift()?.close();
    await operated.shop().create("TABS-2");
    for (const tab of tabs) await orderLink(tab, "TABS-2").waitFor();
  });

  test("after a restart it asks for the new address, and goes on by itself when another tab has opened that", async () => {
    const port = await ownPort();
    const first = await serve(port);
    const context = await newContext();
    const page = await openTab(context, first.url);
    await first.stop();
    await page.getByText("The console does not respond.").first().waitFor();
    const second = await serve(port);
    await page.getByText("Open the address that npx paycast console printed").first().waitFor();
    await openTab(context, second.url);
    await page.getByRole("alert").first().waitFor({ state: "detached" });
    await operated.shop().create("RESTART-1");
    second.tell();
    await orderLink(page, "RESTART-1").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await second.stop();
  });

  test("the flow tells that nobody can buy and that a subscriber gets nothing, and each number opens its list", async () => {
    const clients = operated.clients();
    const { subscribers } = operated.target().queues;
    const QueueUrl = subscribers.find(({ name }) => name === "analytics")?.queueUrl;
    const { create, act, control } = operated.shop();
    const { body } = await create("BROKEN-1");
    await clients.sqs.send(new DeleteQueueCommand({ QueueUrl }));
    await act(body.paymentId, "pay");
    const words = { code: 40_103, msg: "body cannot be \u202edecrypted" };
    await control("POST", "/faults", { kind: "refuse-creates", ...words });
    for (const number of [1, 2, 3, 4, 5]) await create(`REFUSED-${number}`);
    const page = await open();
    const time = "\\d\\d:\\d\\d UTC";
    await page.getByText("40103 body cannot be \ufffddecrypted").first().waitFor();
    const refuses = new RegExp(
      `has rejected events since ${time}: QueueDoesNotExist, \\d events? waits?`,
    );
    await page.getByText(refuses).waitFor();
    const listOf = (name: string | RegExp) =>
      page.getByRole("main").getByRole("link", { name }).first().getAttribute("href");
    expect(await listOf("5 rejected")).toBe("/requests?route=create-order&answer=refused");
    expect(await listOf(/orders created$/)).toBe("/orders?from=1h");
    expect(await listOf(/accepted$/)).toBe("/requests?route=callbacks");
    expect(await listOf("0 rejected")).toBe("/requests?route=callbacks&answer=refused");
    expect(await listOf(/failed attempts$/)).toBe("/attention?kind=waiting");
    expect(await listOf(refuses)).toBe("/attention?subscriber=analytics");
    expect(await findFlawsInLooks(page)).toEqual([]);
    await page.getByRole("link", { name: "Subscribers" }).click();
    await page
      .getByRole("row", { name: /^analytics/ })
      .getByText(refuses)
      .waitFor();
    expect(await findFlawsInLooks(page)).toEqual([]);
    await operated.shop().step(120);
    await page.getByRole("link", { name: "Flow" }).click();
    const alarms = page.getByRole("list", { name: "Active alarms" });
    await alarms.getByText("npx paycast requests --route create-order").waitFor();
    expect(await findFlawsInLooks(page)).toEqual([]);
  });

  /** A console beside the stack's own, which a test can stop and start again. `tell` says that something has changed. */
  async function serve(port: number): Promise<RunningConsole & { readonly tell: () => void }> {
    const { directory } = operated;
    let tell = () => {};
    const served = await startConsole({
      port,
      findTarget: () => findTarget({ directory }),
      follow: (changed) => {
        tell = changed;
        return () => {};
      },
    });
    return { ...served, tell: () => tell() };
  }
});
