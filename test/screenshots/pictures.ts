import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";

const page = fileURLToPath(new URL("../../tools/console/page", import.meta.url));

/** What the tour has played. */
const scenarios = ["An order is paid", "A storm of duplicates", "A subscriber is down"];

/** The pictures of the README, in `docs/images`. */
const pictures = [
  { name: "console-flow", path: "/", ready: ".stage", height: 830 },
  { name: "console-order", path: "/orders/TEA-1040", ready: ".step", height: 940 },
  {
    name: "console-tour",
    path: "/tour",
    ready: ".scenario",
    height: 860,
    plays: scenarios,
  },
] as const;

const schemes = ["light", "dark"] as const;

export interface Picture {
  readonly file: string;
  readonly png: Buffer;
  /** What the page says, for a comparison that does not depend on fonts, times and ids. */
  readonly outline: string;
}

export async function takePictures(browser: Browser, address: string): Promise<Picture[]> {
  const taken: Picture[] = [];
  for (const { name, path, ready, height, ...more } of pictures) {
    for (const colorScheme of schemes) {
      const viewport = { width: name === "console-tour" ? 1440 : 1280, height };
      const context = await browser.newContext({ viewport, colorScheme, deviceScaleFactor: 1.25 });
      const open = await context.newPage();
      await open.goto(address);
      await open.goto(new URL(path, address).href);
      await open.locator(ready).first().waitFor();
      // A page reads its parts at the same time, and each comes when it comes.
      await expectNothingLoads(open);
      if ("plays" in more) await playTour(open, more.plays, colorScheme === "light");
      await hideLabBanner(open);
      const png = await open.screenshot({ animations: "disabled" });
      const outline = plainly(await open.locator("main").ariaSnapshot());
      taken.push({ file: `${name}-${colorScheme}.png`, png, outline });
      await context.close();
    }
  }
  return taken;
}

async function expectNothingLoads(open: Page): Promise<void> {
  await open.locator(".loading").first().waitFor({ state: "detached" });
}

/** The scene jumps over the time between two retries. In a picture, the banner that says so is noise. */
async function hideLabBanner(open: Page): Promise<void> {
  await open.locator(".lab-banner").evaluate((banner) => banner.setAttribute("hidden", ""));
}

/** The result stays, so the second picture shows it too. */
async function playTour(open: Page, titles: readonly string[], isFirst: boolean): Promise<void> {
  for (const title of titles) {
    const card = open.locator(".scenario", { hasText: title });
    if (isFirst) await card.getByRole("button", { name: /Play/ }).click();
    await card.getByText("proven", { exact: true }).waitFor({ timeout: 60_000 });
  }
  await open.getByRole("button", { name: "Play all", disabled: false }).waitFor();
}

/** A scene that goes on after midnight has the heading of a day twice. */
const laterDays = /(?<=- listitem: DAY, DATE 0, UTC\n[\s\S]*) *- listitem: DAY, DATE 0, UTC\n/g;

/** Numbers, ids and times differ from run to run, and a time of another day has its date. On a busy machine a success may arrive before confirming, and the tour says so. */
function plainly(outline: string): string {
  return outline
    .replace(/\b[RT]?[0-9A-Fa-f]{8,}(-[0-9A-Fa-f]+)*\b/g, "ID")
    .replace(/\b(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b/g, "DAY")
    .replace(/\b\d+ (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)[a-z]*\b/g, "DATE")
    .replace(/\b(in )?\d+ (s|min|h)( ago)?\b/g, "TIME")
    .replace(/\d+/g, "0")
    .replace(/0(:0)+(\.0Z?)?/g, "TIME")
    .replaceAll("DATE, TIME", "TIME")
    .replace(laterDays, "")
    .replace("success, then confirming; 0 other queues", "confirming, then success; 0 other queue");
}

/** A change of the page's sources may change the pictures, also where no word changes. */
export function sourceHash(): string {
  const files = readdirSync(page, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.(tsx?|css|html)$/.test(file),
  );
  const hash = createHash("sha256");
  for (const file of files.sort()) hash.update(file).update(readFileSync(join(page, file)));
  return hash.digest("hex");
}
