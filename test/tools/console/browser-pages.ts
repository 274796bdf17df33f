import type { Browser, BrowserContextOptions, Page, ViewportSize } from "playwright-core";
import { afterEach, beforeAll, expect } from "vitest";
import { openBrowser } from "../../setup/browser.ts";

/** A busy machine may take long for anything. Less than the time of a test, so that what is missing is reported. */
const longestWait = 120_000;

/** The files of a worker share one Chromium. Playwright ends it when the worker ends. */
let opened: Promise<Browser> | undefined;
/** They share a page, too, because each context has a process of its own, and to start it costs more than a test. */
let kept: Page | undefined;
const errors: string[] = [];

interface PageOptions {
  readonly viewport?: ViewportSize;
  readonly timezoneId?: string;
}

/** Pages for a test file. Each test opens its own; an error on one of them fails the test. */
export function useBrowser(consoleUrl: () => string) {
  let browser: Browser;
  let isKeptInUse = false;
  beforeAll(async () => {
    opened ??= openBrowser();
    browser = await opened;
  });
  afterEach(async () => {
    // A page that asks at intervals may be in the middle of a route.
    const pages = browser.contexts().flatMap((context) => context.pages());
    for (const page of pages) await page.unrouteAll({ behavior: "wait" });
    for (const page of pages) await (page === kept ? leave(page) : page.close());
    for (const context of browser.contexts()) {
      if (context !== kept?.context()) await context.close();
    }
    isKeptInUse = false;
    expect(errors.splice(0)).toEqual([]);
  });

  const newContext = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(longestWait);
    return context;
  };
  const newPage = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const page = await (await newContext({ permissions, ...options })).newPage();
    page.on("pageerror", ({ message }) => errors.push(message));
    page.on("dialog", (dialog) => {
      errors.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    return page;
  };
  const takeKept = async (): Promise<Page> => {
    isKeptInUse = true;
    if (kept === undefined || kept.isClosed()) kept = await newPage();
    return kept;
  };

  /** A page at this path of the console, which let it in by its token. No other page of the test shares its cookies. */
  const open = async (
    path = "/",
    { viewport = { width: 1280, height: 720 }, timezoneId }: PageOptions = {},
    url = consoleUrl(),
  ): Promise<Page> => {
    const isOwn = isKeptInUse || timezoneId !== undefined;
    const page = isOwn ? await newPage(timezoneId ? { timezoneId } : {}) : await takeKept();
    await page.setViewportSize(viewport);
    // Text that fades in has too little contrast for a moment.
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await page.goto(withToken(path, url));
    return page;
  };
  return { open, newContext };
}

/** Nothing of the page runs any more, and the next test begins without its cookies. */
async function leave(page: Page): Promise<void> {
  await page.goto("about:blank");
  await page.context().clearCookies();
}

/** The token is good at any address, so that the page is loaded once. */
function withToken(path: string, url: string): string {
  const address = new URL(path, url);
  for (const [name, value] of new URL(url).searchParams) address.searchParams.set(name, value);
  return address.href;
}
