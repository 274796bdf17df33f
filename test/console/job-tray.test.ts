import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Job } from "../../console/server/jobs.ts";
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
    ...{ port, canChange: true },
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
);

const job = (state: Job["state"], endedAgoSeconds: number, title: string): Job => ({
  ...{ id: title, title, state, progress: "", outcome: `${title} is over.` },
  startedAt: new Date().toISOString(),
  endedAt: new Date(Date.now() - endedAgoSeconds * 1_000).toISOString(),
});

/** The buttons, links and fields in sight that something else lies over. */
const coveredControls = `[...document.querySelectorAll("a[href], button, input, select")].filter((control) => {
  const { left, top, width, height } = control.getBoundingClientRect();
  const on = document.elementFromPoint(left + width / 2, top + height / 2);
  return on !== null && width > 1 && !control.contains(on) && !on.contains(control);
}).map((control) => control.outerHTML)`;

test.runIf(canBrowse)(
  "what ended well covers nothing and goes away by itself, a failure stays until it is closed, and a later window tells of the failure alone",
  async () => {
    let jobs: Job[] = [];
    await context.route(/\/api\/jobs$/, (route) => route.fulfill({ json: { jobs } }));
    await context.route(/\/close$/, async (route) => {
      jobs = [];
      await route.fulfill({ json: {} });
    });
    const tab = await openTab();
    const done = (on = tab) => on.getByText("Redrive is over.");
    const failed = (on = tab) => on.getByText("Replay is over.");
    await expect
      .poll(async () => {
        // The page keeps it for twelve seconds after its end.
        jobs = [job("done", 7, "Redrive"), job("failed", 7, "Replay")];
        changed();
        return await done().count();
      })
      .toBe(1);
    for (const width of [390, 1440]) {
      await tab.setViewportSize({ width, height: 700 });
      expect(await tab.evaluate(coveredControls)).toEqual([]);
    }
    const later = await openTab();
    await failed(later).waitFor();
    expect(await done(later).count()).toBe(0);
    await done().waitFor({ state: "detached" });
    await tab.getByRole("button", { name: "Close" }).click();
    await failed().waitFor({ state: "detached" });
  },
);
