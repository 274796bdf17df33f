import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterEach, beforeAll, expect } from "vitest";
import { openBrowser } from "../setup/browser.ts";

/** A busy machine may take long for anything. Less than the time of a test, so that what is missing is told. */
const longestWait = 120_000;

/** The files of a worker share one Chromium. Playwright ends it when the worker ends. */
let opened: Promise<Browser> | undefined;

/** Pages for a test file. Each test opens its own; an error on one of them fails the test. */
export function useBrowser(consoleUrl: () => string) {
  let browser: Browser;
  const errors: string[] = [];
  beforeAll(async () => {
    opened ??= openBrowser();
    browser = await opened;
  });
  afterEach(async () => {
    // A page that asks at intervals may be in the middle of a route.
    const pages = browser.contexts().flatMap((context) => context.pages());
    for (const page of pages) await page.unrouteAll({ behavior: "wait" });
    for (const context of browser.contexts()) await context.close();
    expect(errors.splice(0)).toEqual([]);
  });

  const newContext = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(longestWait);
    return context;
  };

  /** A page at this path of the console, which let it in by its token, in a context of its own. */
  const open = async (
    path = "/",
    options: BrowserContextOptions = {},
    url = consoleUrl(),
  ): Promise<Page> => {
    const context = await newContext({
      permissions: ["clipboard-read", "clipboard-write"],
      // Text that fades in has too little contrast for a moment.
      reducedMotion: "reduce",
      ...options,
    });
    const page = await context.newPage();
    page.on("pageerror", ({ message }) => errors.push(message));
    page.on("dialog", (dialog) => {
      errors.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(url);
    if (path !== "/") await page.goto(new URL(path, url).href);
    return page;
  };
  return { open, newContext };
}
