import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, openBrowser } from "../setup/browser.ts";
import { eventsOf, readQueue, type StackUnderTest, startAsUser } from "./running-stack.ts";
import { openShop } from "./shop.ts";

const slow = 120_000;
const isPossible = hasBrowser("the simulator's pages beside Paycast");
let stack: StackUnderTest;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  if (!isPossible) return;
  stack = await startAsUser();
  browser = await openBrowser();
  page = await browser.newPage();
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

/** Makes an order on the simulator's first page. */
async function makeOrder(orderNo: string, amount: string): Promise<void> {
  await page.goto(stack.description.gateway);
  await page.locator("#test-order [name=amount]").fill(amount);
  await page.getByLabel("Order number").fill(orderNo);
  await page.click("#make-order");
  await page.waitForSelector("#notice", { timeout: 60_000 });
}

const noticeText = () => page.locator("#notice").innerText();

describe.runIf(isPossible)("the simulator's pages beside Paycast", () => {
  test(
    "a test order exists on both sides and can be paid",
    async () => {
      await makeOrder("BUTTON-1", "8.20");
      expect(await noticeText()).toContain("made through Paycast");
      const shop = openShop(stack.description);
      const { order } = await shop.get("BUTTON-1");
      expect(order).toMatchObject({ status: "pending", amount: { value: "8.20" } });
      await page.getByRole("button", { name: "Pay", exact: true }).click();
      await shop.untilStatus("BUTTON-1", "success");
      const queue = stack.description.queues.subscribers["order-history"]?.url ?? "";
      const events = await eventsOf(readQueue(stack.description, queue), "BUTTON-1", 2);
      // If the success arrives first, confirming is flagged regressed.
      const flags = events.flatMap(({ data }) => data.flags);
      expect(flags.filter((flag) => flag !== "regressed")).toEqual([]);
    },
    slow,
  );

  test(
    "what Paycast refuses is said, and what was typed stays",
    async () => {
      await makeOrder("BUTTON-2", "8.205");
      expect(await noticeText()).toMatch(/not a valid order[\s\S]*paymentAmount/);
      expect(await page.locator("#test-order [name=amount]").inputValue()).toBe("8.205");
      expect((await openShop(stack.description).get("BUTTON-2")).status).toBe(404);
    },
    slow,
  );

  test(
    "reloads after a rotation lock nobody out, and nobody is asked to store keys",
    async () => {
      await page.goto(stack.description.gateway);
      await page
        .getByRole("button", { name: /^Rotate keys/ })
        .first()
        .click();
      await page.waitForSelector("#notice");
      expect(await noticeText()).toContain("Paycast has stored them already");
      for (let reloads = 0; reloads < 3; reloads += 1) await page.reload();
      const created = await openShop(stack.description).create("AFTER-RELOADS");
      expect(created.status).toBe(201);
    },
    slow,
  );
});
