import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, openBrowser } from "../../setup/browser.ts";
import { statusAtHost } from "../local/status-at-host.ts";
import { runSimulator } from "./running-simulator.ts";

const shop = "https://shop.example/result?order=1&lang=en";
const running = runSimulator({
  orderPage: (merchantId, orderNo) =>
    orderNo.startsWith("SEEN")
      ? { address: `http://shop.example/?of=${merchantId}&no=${orderNo}`, text: "See it there" }
      : undefined,
});

const read = async (paymentId: string) =>
  await (await fetch(`${running.simulator.url}/checkout/${paymentId}`)).text();

/** Presses a button as a browser does, and does not follow the redirect. */
const press = async (paymentId: string, action: string, headers = {}) => {
  const body = new URLSearchParams({ action });
  const init = { method: "POST", body, headers, redirect: "manual" } as const;
  return await fetch(`${running.simulator.url}/checkout/${paymentId}`, init);
};

describe("the checkout page", () => {
  test("shows the order and its three buttons", async () => {
    const page = await read(await running.order({}, { orderNo: "SHOWN" }));
    const order = ["SHOWN", "25.00 EUR", "2 × Cup", "10.00 EUR each"];
    for (const text of [...order, 'id="pay"', 'id="fail"', 'id="leave"']) {
      expect(page).toContain(text);
    }
  });

  test("shows confirming after a payment, then paid, then goes to the shop", async () => {
    const paymentId = await running.order({ redirectUrl: shop });
    const pressed = await press(paymentId, "pay");
    expect([pressed.status, pressed.headers.get("location")]).toEqual([
      303,
      `/checkout/${paymentId}`,
    ]);
    const confirming = await read(paymentId);
    expect(confirming).toContain("Confirming your payment");
    expect(confirming).toContain('http-equiv="refresh" content="1"');
    await running.step(2);
    const paid = await read(paymentId);
    expect(paid).toContain("<h1>Paid</h1>");
    expect(paid).toContain('content="2;url=https://shop.example/result?order=1&amp;lang=en"');
    expect(running.simulator.order(paymentId).status).toBe("success");
  });

  test("lets the consumer leave, and the order stays open", async () => {
    const paymentId = await running.order({ redirectUrl: shop });
    const answer = await press(paymentId, "leave");
    expect([answer.status, answer.headers.get("location")]).toEqual([303, shop]);
    expect((await press(paymentId, "something else")).status).toBe(303);
    expect(running.simulator.order(paymentId).status).toBe("pending");
  });

  test("without a result page leads to the merchant's page of the order, if there is one", async () => {
    const failedCheckout = async (orderNo: string, redirect = {}) => {
      const paymentId = await running.order(redirect, { orderNo });
      await press(paymentId, "fail");
      await running.step(2);
      return await read(paymentId);
    };
    const address = `http://shop.example/?of=${running.merchant.merchantId}&amp;no=SEEN-1`;
    const seen = await failedCheckout("SEEN-1");
    expect(seen).toContain(`content="2;url=${address}"`);
    expect(seen).toContain(`href="${address}">See it there</a>`);
    expect(await failedCheckout("SEEN-2", { redirectUrl: shop })).toContain("2;url=https://shop");
    expect(await failedCheckout("UNSEEN")).not.toContain("http-equiv");
  });

  test("takes one payment when the button is pressed several times", async () => {
    const paymentId = await running.order();
    const presses = [1, 2, 3].map(() => press(paymentId, "pay"));
    for (const { status } of await Promise.all(presses)) expect(status).toBe(303);
    await running.simulator.settled();
    await running.step(2);
    expect(running.events()).toEqual(["payment.order.confirming", "payment.order.success"]);
  });

  test("of an order that does not exist is a 404", async () => {
    const nobody = `${running.simulator.url}/checkout/${"0".repeat(32)}`;
    expect((await fetch(nobody)).status).toBe(404);
  });

  test("shows what a merchant sent as text and never as markup, and loads nothing from elsewhere", async () => {
    const evil = `"><script>alert('1')</script>&amp;`;
    const goods = [{ referenceGoodsId: "x", goodsName: evil }];
    const redirectUrl = `https://shop.example/?q="><script>alert('1')</script>`;
    const order = { orderNo: evil, orderDescription: evil, goods };
    const paymentId = await running.order({ redirectUrl }, order);
    const pending = await fetch(`${running.simulator.url}/checkout/${paymentId}`);
    expect(pending.headers.get("content-security-policy")).toContain("default-src 'none'");
    running.simulator.expire(paymentId);
    for (const text of [await pending.text(), await read(paymentId)]) {
      expect(text).not.toMatch(/<script(?! src="\/checkout\.js")/);
      expect(text).toContain("&lt;script&gt;");
      expect(text).not.toMatch(/src="(?!\/|data:)/);
    }
  });
});

describe("a page of another site", () => {
  test.each([
    { "sec-fetch-site": "cross-site" },
    { origin: "https://evil.example" },
    { origin: "null" },
  ])("cannot press a button or use the control API: %j", async (headers) => {
    const paymentId = await running.order();
    expect((await press(paymentId, "pay", headers)).status).toBe(403);
    const pay = `${running.simulator.url}/control/orders/${paymentId}/pay`;
    expect((await fetch(pay, { method: "POST", headers })).status).toBe(403);
    expect(running.simulator.order(paymentId).status).toBe("pending");
    const own = { origin: running.simulator.url };
    expect((await press(paymentId, "pay", own)).status).toBe(303);
  });

  test.each([
    ["evil.example", 403],
    ["127.0.0.1.evil.example", 403],
    ["localhost", 200],
    ["[::1]", 200],
  ])("that names the host %s gets %i", async (host, status) => {
    const checkout = `/checkout/${await running.order()}`;
    for (const path of [checkout, "/control/orders"]) {
      expect(await statusAtHost(host, running.simulator.url + path)).toBe(status);
    }
  });
});

const isPossible = hasBrowser("the checkout page in a browser");

describe.runIf(isPossible)("in a browser", () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterEach(async () => {
    running.simulator.setClockSpeed(0);
    await page?.close();
  });
  afterAll(async () => {
    await browser?.close();
  });
  const open = async (paymentId: string, options = {}) => {
    page = await browser.newPage(options);
    await page.goto(`${running.simulator.url}/checkout/${paymentId}`);
  };

  test("the seconds count down at the speed of the simulator's clock, and stand still with it", async () => {
    const { paymentId } = running.simulator.makeOrder();
    /** How many seconds the page counts while its own clock moves on by a minute. */
    const countedAt = async (speed: number) => {
      running.simulator.setClockSpeed(speed);
      page = await browser.newPage();
      await page.clock.install();
      await page.goto(`${running.simulator.url}/checkout/${paymentId}`);
      const left = async () => {
        const text = await page.locator(".countdown").innerText();
        const [hours = 0, minutes = 0, seconds = 0] = text.split(":").map(Number);
        return (hours * 60 + minutes) * 60 + seconds;
      };
      const before = await left();
      await page.clock.fastForward(60_000);
      const after = await left();
      await page.close();
      return before - after;
    };
    // The server and the page may round differently.
    expect(Math.abs(await countedAt(0))).toBeLessThanOrEqual(1);
    const counted = await countedAt(10);
    expect(counted).toBeGreaterThanOrEqual(599);
    // The page's clock also moves by itself.
    expect(counted).toBeLessThan(1_200);
  });

  test.each(["light", "dark"] as const)(
    "nothing is cut off at 360 pixels, and it works without scripts, %s",
    async (colorScheme) => {
      const hostile = `<img src=x onerror="document.title='owned'">${"W".repeat(10)}`;
      const paymentId = await running.order({}, { orderNo: `${hostile} ${colorScheme}` });
      const viewport = { width: 360, height: 700 };
      await open(paymentId, { colorScheme, viewport, javaScriptEnabled: false });
      expect(await page.locator("main").evaluate((main) => main.scrollWidth)).toBe(360);
      expect(await page.locator("body").innerText()).toContain("<img src=x");
      await page.getByRole("button", { name: /^Pay/ }).click();
      await page.getByRole("heading", { level: 1, name: "Confirming your payment" }).waitFor();
    },
  );
});
