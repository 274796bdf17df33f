import axe from "axe-core";
import type { Page } from "playwright-core";

/** What axe-core finds wrong on the page, in short. Text that fades in has too little contrast for a moment, so nothing moves. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.evaluate(axe.source);
  return await page.evaluate(`axe.run().then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + " " + target.join(" "))))`);
}
