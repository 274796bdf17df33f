import axe from "axe-core";
import type { Page } from "playwright-core";

/** What axe says, with the parts it is about. */
export async function axeFaults(page: Page): Promise<string[]> {
  // The page's own policy forbids foreign scripts, so it is handed over as an expression, not as an element.
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate("axe.run()")) as axe.AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}
