import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hasBrowser, openBrowser } from "../setup/browser.ts";
import { eventsOf, readQueue, type StackUnderTest, startAsUser } from "./running-stack.ts";
import { openShop } from "./shop.ts";

const isThere = hasBrowser("checkout in a browser");
let stack: StackUnderTest;
let browser: Browser;

beforeAll(async () => {
  if (!isThere) return;
  stack = await startAsUser();
  browser = await openBrowser();
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

/** The service's page leads away once the payment has an end. */
async function untilPageLeads(page: Page): Promise<void> {
  await page.waitForURL(({ pathname }) => !pathname.startsWith("/checkout/"), { timeout: 120_000 });
  await page.close();
}

test.runIf(isThere)(
  "an order paid in the browser arrives in each matching queue, and the storefront sees it",
  async () => {
    const { description } = stack;
    const { subscribers } = description.queues;
    const shop = openShop(description);
    const created = await shop.create("BROWSER-1");
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ orderNo: "BROWSER-1", status: "pending" });

    await untilPageLeads(await checkOut(created.body.checkoutUrl, "#pay"));

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

test.runIf(isThere)("a payment that fails in the browser is reported with its reason", async () => {
  const shop = openShop(stack.description);
  const { body } = await shop.create("BROWSER-2");
  await untilPageLeads(await checkOut(body.checkoutUrl, "#fail"));
  const order = await shop.untilStatus("BROWSER-2", "failed");
  expect(order.reason).toEqual(expect.any(String));
});

test.runIf(isThere)("a consumer who leaves finds the order still open", async () => {
  const shop = openShop(stack.description);
  const { body } = await shop.create("BROWSER-3");
  const page = await checkOut(body.checkoutUrl, "#leave");
  await page.waitForSelector("#pay");
  await page.close();
  const { order } = await shop.get("BROWSER-3");
  expect(order.status).toBe("pending");
});
