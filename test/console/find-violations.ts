import axe from "axe-core";
import type { Page } from "playwright-core";

/** What axe-core finds wrong on the page, in short. Text that fades in has too little contrast for a moment, so nothing moves. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.emulateMedia({ reducedMotion: "reduce" });
  // The content policy allows no script but the console's own, so axe comes by the debugger.
  await page.evaluate(axe.source);
  return await page.evaluate(`axe.run().then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + " " + target.join(" "))))`);
}

/** The same, and whether the page is wider than the window. */
export async function findFlaws(page: Page): Promise<string[]> {
  const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
  return [...(await findViolations(page)), ...(isWide ? ["wider than the window"] : [])];
}
