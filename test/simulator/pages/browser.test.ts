import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { span } from "../../../simulator/pages/span.ts";
import { hasBrowser, openBrowser } from "../../setup/browser.ts";
import { runSimulator } from "../running-simulator.ts";

const isPossible = hasBrowser("the simulator's pages in a browser");
const running = runSimulator();
let browser: Browser;
let page: Page;

beforeAll(async () => {
  if (isPossible) browser = await openBrowser();
});
afterEach(async () => {
  running.simulator.setClockSpeed(0);
  await page?.close();
});
afterAll(async () => {
  await browser?.close();
});

async function open(path: string, options = {}): Promise<void> {
  page = await browser.newPage(options);
  await page.goto(running.simulator.url + path);
}

const textOf = async (selector: string) => await page.locator(selector).first().innerText();

describe.runIf(isPossible)("in a browser", () => {
  test("a reload after a rotation does not rotate again", async () => {
    let rotations = 0;
    await open("/");
    page.on("request", (request) => {
      if (request.method() === "POST") rotations += 1;
    });
    await page.getByRole("button", { name: "Rotate keys" }).click();
    const shown = await textOf("#notice pre");
    await page.reload();
    expect(await textOf("#notice pre")).toBe(shown);
    expect(rotations).toBe(1);
  });

  test("the focus moves to what a form achieved, and an error keeps what was typed", async () => {
    await open("/");
    await page.locator("#test-order [name=amount]").fill("1.234");
    await page.getByLabel("Order number").fill("TYPED <b>");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#notice.bad");
    // The script of the page runs after the notice is there.
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("notice");
    expect(await page.locator("#test-order [name=amount]").inputValue()).toBe("1.234");
    await page.locator("#test-order [name=amount]").fill("1.23");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#notice.good");
    expect(await textOf("h1")).toBe("Order TYPED <b>");
  });

  test("the seconds count down at the speed of the simulator's clock", async () => {
    const paymentId = await running.order();
    running.simulator.setClockSpeed(10);
    await open(`/checkout/${paymentId}`);
    const seen = new Set<string>();
    await expect
      .poll(async () => seen.add(await textOf(".countdown")).size, { interval: 100 })
      .toBeGreaterThan(4);
    const shown = [...seen];
    expect(shown.map((text) => text.length > 0)).not.toContain(false);
    const seconds = shown.map(secondsIn);
    expect(seconds).toEqual(seconds.toSorted((one, other) => other - one));
  });

  test("the page of an order counts, too, and stands still with the clock", async () => {
    const paymentId = await running.order();
    await open(`/orders/${paymentId}`);
    const stopped = await textOf(".countdown");
    await page.waitForTimeout(600);
    expect(await textOf(".countdown")).toBe(stopped);
    running.simulator.setClockSpeed(10);
    await expect.poll(() => textOf(".countdown")).not.toBe(stopped);
  });

  test("the script writes a duration as the server does", async () => {
    await open("/");
    const durations = [
      0, 499, 1_000, 61_000, 60_000, 3_600_000, 3_661_000, 90_061_000, 604_800_000,
    ];
    // The clock is stopped, so the time of the page is still what the server wrote.
    const written = await page.evaluate(`${JSON.stringify(durations)}.map((milliseconds) => {
      const part = document.body.appendChild(document.createElement("span"));
      part.dataset.until = Number(document.body.dataset.now) + milliseconds;
      count(document);
      return part.textContent;
    })`);
    expect(written).toEqual(durations.map(span));
  });

  test("a live part changes without a reload, and what the user types stays", async () => {
    const paymentId = await running.paidOrder();
    await open(`/orders/${paymentId}`);
    await page.getByLabel("Your refund number").fill("MINE");
    running.simulator.refund(paymentId, { amount: "1" });
    running.simulator.addFault({ kind: "lose" });
    await page.waitForSelector("#faults-on :text('lose')");
    expect(await page.getByLabel("Your refund number").inputValue()).toBe("MINE");
  });

  test.each(["light", "dark"] as const)(
    "nothing is cut off at 360 pixels, %s",
    async (colorScheme) => {
      const hostile = `<img src=x onerror="document.title='owned'">${"W".repeat(10)}`;
      const paymentId = await running.order({}, { orderNo: `${hostile} ${colorScheme}` });
      running.simulator.addFault({ kind: "conflicting-callback" });
      running.simulator.expire(paymentId);
      await running.simulator.settled();
      for (const path of ["/", `/orders/${paymentId}`, `/checkout/${paymentId}`]) {
        await open(path, { colorScheme, viewport: { width: 360, height: 700 } });
        const width = await page.evaluate("document.documentElement.scrollWidth");
        expect([path, width]).toEqual([path, 360]);
        expect(await page.title()).not.toBe("owned");
        expect(await page.locator("body").innerText()).toContain("<img src=x");
        await page.close();
      }
    },
  );

  test("every control has a name, every id occurs once, and no level of headings is skipped", async () => {
    const paymentId = await running.paidOrder();
    running.simulator.addFault({ kind: "lose" });
    for (const path of ["/", `/orders/${paymentId}`, `/checkout/${await running.order()}`]) {
      await open(path);
      expect(await page.evaluate(findFlaws)).toEqual([]);
      await page.close();
    }
  });

  test("everything works without scripts", async () => {
    const paymentId = await running.order();
    await open(`/orders/${paymentId}`, { javaScriptEnabled: false });
    await page.getByRole("button", { name: "Let it expire" }).click();
    expect(await textOf("#notice")).toContain("The order has expired");
    expect(running.simulator.order(paymentId).status).toBe("timeout");
  });
});

/** Runs in the page. */
const findFlaws = `(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const nameOf = (part) => part.ariaLabel || part.labels?.[0]?.innerText || part.innerText;
  const nameless = all("a, button, input:not([type=hidden]), select").filter((part) => !nameOf(part));
  const ids = all("[id]").map(({ id }) => id);
  const levels = all("h1, h2, h3, h4").map(({ tagName }) => Number(tagName[1]));
  return [
    ...nameless.map((part) => "no name: " + part.outerHTML),
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => "twice: " + id),
    ...levels.flatMap((level, index) => (level > (levels[index - 1] ?? 0) + 1 ? ["h" + level] : [])),
    ...(levels.filter((level) => level === 1).length === 1 ? [] : ["not one h1"]),
  ];
})()`;

function secondsIn(text: string): number {
  const [, minutes = "0", seconds = "0"] = /^(?:(\d+) min)? ?(?:(\d+) s)?$/.exec(text) ?? [];
  return Number(minutes) * 60 + Number(seconds);
}
