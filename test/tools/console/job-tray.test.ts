import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Job } from "../../../tools/console/server/jobs.ts";
import { type RunningConsole, startConsole } from "../../../tools/console/start-console.ts";
import type { ConnectedTarget } from "../../../tools/operations/ports/target.ts";
import { hasBrowser } from "../../setup/browser.ts";
import { useBrowser } from "./browser-pages.ts";

/** What the top bar shows. The views say that nothing else is there. */
const ports = {
  stack: { kind: "local", name: "local", region: "here", merchants: [] },
  queues: { subscribers: [] },
};

const job = (state: Job["state"], endedAgoSeconds: number, title: string): Job => ({
  id: title,
  title,
  state,
  progress: "",
  outcome: `${title} is over.`,
  startedAt: new Date().toISOString(),
  endedAt: new Date(Date.now() - endedAgoSeconds * 1_000).toISOString(),
});

/** The buttons, links and fields in sight that something else lies over. */
const coveredControls = `[...document.querySelectorAll("a[href], button, input, select")].filter((control) => {
  const { left, top, width, height } = control.getBoundingClientRect();
  const on = document.elementFromPoint(left + width / 2, top + height / 2);
  return on !== null && width > 1 && !control.contains(on) && !on.contains(control);
}).map((control) => control.outerHTML)`;

describe.runIf(hasBrowser("the tray of longer work"))("the tray of longer work", () => {
  let running: RunningConsole;
  let changed: () => void;
  const { newContext } = useBrowser(() => running.url);
  beforeAll(async () => {
    running = await startConsole({
      port: 0,
      findTarget: async () => ({ ...ports, close: () => {} }) as unknown as ConnectedTarget,
      follow: (tell) => {
        changed = tell;
        return () => undefined;
      },
    });
  });
  afterAll(() => running.stop());

  test("what ended well covers nothing and goes away by itself, a failure stays until it is closed, and a later window tells of the failure alone", async () => {
    let jobs: Job[] = [];
    const context = await newContext();
    await context.route(/\/api\/jobs$/, (route) => route.fulfill({ json: { jobs } }));
    await context.route(/\/close$/, async (route) => {
      jobs = [];
      await route.fulfill({ json: {} });
    });
    const openTab = async () => {
      const opened = await context.newPage();
      await opened.goto(running.url);
      await opened.waitForSelector("main h1");
      return opened;
    };
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
  });
});
