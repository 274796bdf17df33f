import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** False if there is no Chromium. The reason is printed, so that nobody takes a skipped test for a passed one. */
export function hasBrowser(what: string): boolean {
  if (existsSync(executablePath)) return true;
  console.warn(
    `SKIPPED: ${what}. There is no Chromium at ${executablePath}: "apt-get install chromium", or set CHROMIUM.`,
  );
  return false;
}

export async function openBrowser(): Promise<Browser> {
  const args = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ];
  return await chromium.launch({ executablePath, args });
}
