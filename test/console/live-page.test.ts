import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningConsole, startConsole } from "../../console/start-console.ts";
import { findTarget } from "../../operations/target/find-target.ts";
import { useOperatedStack } from "../operations/operated-stack.ts";
import { hasBrowser, openBrowser } from "../setup/browser.ts";
import { ownPort } from "./own-port.ts";

const slow = 120_000;
const isPossible = hasBrowser("what the console's page does while things change");

describe.runIf(isPossible)("an open page of the console", () => {
  const operated = useOperatedStack();
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  }, slow);
  afterAll(async () => await browser?.close());

  const open = async (context: BrowserContext, address: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(address);
    await page.getByRole("heading", { level: 1 }).waitFor();
    return page;
  };
  const orderLink = (page: Page, orderNo: string) =>
    page.getByRole("link", { name: orderNo, exact: true });

  test(
    "ten tabs are open at once and all of them follow, also when the first one is closed",
    async () => {
      const context = await browser.newContext();
      const { console: address } = operated.stack().description;
      const tabs = [await open(context, address)];
      const orders = new URL("/orders", address).href;
      while (tabs.length < 10) tabs.push(await open(context, orders));
      await operated.shop().create("TABS-1");
      for (const tab of tabs) await orderLink(tab, "TABS-1").waitFor();
      await tabs.shift()?.close();
      await operated.shop().create("TABS-2");
      for (const tab of tabs) await orderLink(tab, "TABS-2").waitFor();
      await context.close();
    },
    slow,
  );

  test(
    "after a restart it asks for the new address, and goes on by itself when another tab has opened that",
    async () => {
      const port = await ownPort();
      const first = await serve(port);
      const context = await browser.newContext();
      const page = await open(context, first.url);
      await first.stop();
      await page.getByText("The console does not answer.").first().waitFor();
      const second = await serve(port);
      await page.getByText("Open the address that npx paycast console printed").first().waitFor();
      await open(context, second.url);
      await page.getByRole("alert").first().waitFor({ state: "detached" });
      await operated.shop().create("RESTART-1");
      second.tell();
      await orderLink(page, "RESTART-1").waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
      await context.close();
      await second.stop();
    },
    slow,
  );

  /** A console beside the stack's own, which a test can stop and start again. `tell` says that something has changed. */
  async function serve(port: number): Promise<RunningConsole & { readonly tell: () => void }> {
    const { directory } = operated;
    let tell = () => {};
    const served = await startConsole({
      ...{ port, directory, canChange: true, findTarget: () => findTarget({ directory }) },
      follow: (changed) => {
        tell = changed;
        return () => {};
      },
    });
    return { ...served, tell: () => tell() };
  }
});
