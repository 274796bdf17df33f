import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventsOf, readQueue, type StackUnderTest, startAsUser } from "./running-stack.ts";
import { openShop } from "./shop.ts";

const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const hasBrowser = existsSync(executablePath);
if (!hasBrowser) {
  console.warn(
    `SKIPPED: checkout in a browser. There is no Chromium at ${executablePath}: "apt-get install chromium", or set CHROMIUM.`,
  );
}

let stack: StackUnderTest;
let browser: Browser;

beforeAll(async () => {
  if (!hasBrowser) return;
  stack = await startAsUser();
  browser = await chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

async function checkOut(checkoutUrl: string, button: string) {
  const page = await browser.newPage();
  await page.goto(checkoutUrl);
  await page.click(button);
  return page;
}

test.runIf(hasBrowser)(
  "an order paid in the browser arrives in each matching queue, and the storefront sees it",
  async () => {
    const { description } = stack;
    const { subscribers } = description.queues;
    const shop = openShop(description);
    const created = await shop.create("BROWSER-1");
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ orderNo: "BROWSER-1", status: "pending" });

    const page = await checkOut(created.body.checkoutUrl, "#pay");
    await page.waitForSelector('[data-status="success"]', { timeout: 60_000 });
    await page.close();

    const history = readQueue(description, subscribers["order-history"]!.url);
    const events = await eventsOf(history, "BROWSER-1", 2);
    // Two callbacks may arrive the other way round.
    const types = events.map(({ type }) => type).toSorted();
    expect(types).toEqual(["payment.order.confirming", "payment.order.success"]);
    const success = events.find(({ type }) => type === "payment.order.success")!;
    expect(success.data.amount).toEqual({ value: "12.30", minor: "1230", currency: "USD" });
    expect(success.data.flags).toEqual([]);
    const [fulfilment] = await eventsOf(
      readQueue(description, subscribers["fulfilment"]!.url),
      "BROWSER-1",
      1,
    );
    expect(fulfilment).toEqual(success);
    const order = await shop.untilStatus("BROWSER-1", "success");
    expect(order).toMatchObject({ statusOrigin: "callback", stale: false, sequence: 2 });
  },
);

test.runIf(hasBrowser)("a payment that fails in the browser is told with its reason", async () => {
  const shop = openShop(stack.description);
  const { body } = await shop.create("BROWSER-2");
  const page = await checkOut(body.checkoutUrl, "#fail");
  await page.waitForSelector('[data-status="failed"]', { timeout: 60_000 });
  await page.close();
  const order = await shop.untilStatus("BROWSER-2", "failed");
  expect(order.reason).toEqual(expect.any(String));
});

test.runIf(hasBrowser)("a consumer who leaves finds the order still open", async () => {
  const shop = openShop(stack.description);
  const { body } = await shop.create("BROWSER-3");
  const page = await checkOut(body.checkoutUrl, "#leave");
  await page.waitForSelector("#pay");
  await page.close();
  const { order } = await shop.get("BROWSER-3");
  expect(order.status).toBe("pending");
});
