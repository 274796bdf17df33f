import { tmpdir } from "node:os";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type RunningConsole, startConsole } from "../../console/start-console.ts";
import type { Target } from "../../operations/target/target.ts";
import { hasBrowser, openBrowser } from "../setup/browser.ts";
import { ownPort } from "./own-port.ts";

/** More than the connections that a browser opens to one address. */
const tabCount = 8;
const canBrowse = hasBrowser("many tabs of the console");
/** What the top bar shows. The views say that nothing else is there. */
const stack = { kind: "local", name: "local", region: "here", merchants: [], subscribers: [] };
let browser: Browser;
let context: BrowserContext;
let running: RunningConsole;
let changed: () => void;

async function start(port: number): Promise<void> {
  running = await startConsole({
    ...{ port, directory: tmpdir(), canChange: true },
    findTarget: async () =>
      ({ ...stack, clients: { destroy: () => undefined } }) as unknown as Target,
    follow: (tell) => {
      changed = tell;
      return () => undefined;
    },
  });
}

beforeAll(async () => {
  if (canBrowse) browser = await openBrowser();
});
afterAll(async () => await browser?.close());
beforeEach(async () => {
  await start(await ownPort());
  context = await browser?.newContext();
});
afterEach(async () => {
  await context?.close();
  await running.stop();
});

async function openTab(): Promise<Page> {
  const tab = await context.newPage();
  await tab.goto(running.url);
  await tab.waitForSelector("main h1");
  return tab;
}

/** Whether the page asks again after this change. */
async function looksAgain(tab: Page, change: () => void): Promise<boolean> {
  await tab.waitForLoadState("load");
  const asked = tab.waitForRequest(/\/api\/jobs$/, { timeout: 10_000 });
  change();
  return await asked.then(
    () => true,
    () => false,
  );
}

test.runIf(canBrowse)(
  "more tabs than a browser has connections: all are shown, and all look again at a change",
  async () => {
    const tabs: Page[] = [];
    while (tabs.length < tabCount) tabs.push(await openTab());
    const again = await Promise.all(tabs.map((tab) => looksAgain(tab, () => changed())));
    expect(again).toEqual(tabs.map(() => true));
    // The first one reads the stream for all of them; another one goes on.
    await tabs.shift()?.close();
    await expect.poll(() => looksAgain(tabs[0] as Page, () => changed())).toBe(true);
    const rest = await Promise.all(tabs.map((tab) => looksAgain(tab, () => changed())));
    expect(rest).toEqual(tabs.map(() => true));
  },
  120_000,
);

test.runIf(canBrowse)(
  "a tab that was open when the console was started again goes on when its browser has the new token",
  async () => {
    const tab = await openTab();
    const { port } = new URL(running.url);
    await running.stop();
    await start(Number(port));
    const refused = await tab.waitForResponse((answer) => answer.status() === 401);
    expect(refused.url()).toContain("/api/");
    await openTab();
    await expect.poll(() => looksAgain(tab, () => changed()), { timeout: 20_000 }).toBe(true);
    await expect.poll(() => tab.locator("text=token that is new at each start").count()).toBe(0);
  },
  120_000,
);
