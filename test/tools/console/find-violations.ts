import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";

/** Half as long as what the package exports, and a page reads it anew after each load. */
const axe = readFileSync("node_modules/axe-core/axe.min.js", "utf8");

/** What axe-core finds wrong on the page, in short. Text that fades in has too little contrast for a moment, so nothing moves. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.emulateMedia({ reducedMotion: "reduce" });
  // The content policy allows no script but the console's own, so axe comes by the debugger.
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axe);
  return await page.evaluate(`axe.run({ resultTypes: ["violations"] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + " " + target.join(" "))))`);
}

/** The same, and whether the page is wider than the window. */
export async function findFlaws(page: Page): Promise<string[]> {
  const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
  return [...(await findViolations(page)), ...(isWide ? ["wider than the window"] : [])];
}

const appearances = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 360 },
] as const;

/** The same in both colour schemes, and in a wide and a narrow window. The page is not loaded again. */
export async function findFlawsInLooks(page: Page): Promise<string[]> {
  const flaws: string[] = [];
  for (const { colorScheme, width } of appearances) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    const found = await findFlaws(page);
    flaws.push(...found.map((flaw) => `${flaw}, ${colorScheme}, ${width}`));
  }
  return flaws;
}
