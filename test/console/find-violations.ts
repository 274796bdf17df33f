import axe from "axe-core";
import type { Page } from "playwright-core";

/** What axe-core finds wrong on the page, in short. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return await page.evaluate(`axe.run().then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + " " + target.join(" "))))`);
}
