import type { Page } from "playwright-core";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { hasBrowser } from "../../../setup/browser.ts";
import { useSubscriberSetup } from "../../operations/dead-letters/subscriber-setup.ts";
import { useDeployedStack } from "../../operations/deployed-stack.ts";
import { useOperatedStack } from "../../operations/operated-stack.ts";
import { useBrowser } from "../browser-pages.ts";
import { findFlaws } from "../find-violations.ts";
import { serveDeployed } from "../serve-deployed.ts";

const isPossible = hasBrowser("the flow of a deployed stack");

describe.runIf(isPossible)("the flow of a deployed stack", () => {
  const operated = useOperatedStack();
  const deployed = useDeployedStack(operated);
  const context = useSubscriberSetup(operated);
  let page: Page;
  let served: Awaited<ReturnType<typeof serveDeployed>> | undefined;
  const { open } = useBrowser(() => served?.url ?? "");
  // The double is ready when a test begins, and not before.
  beforeEach(async () => {
    // The same for all tests: the console keeps what CloudWatch said for a minute, and then asks again.
    const { metrics } = deployed();
    metrics.set("ApproximateAgeOfOldestMessage", 3_600).set("NotStored", 2).set("Mismatch", 1);
    metrics.set("Accepted", 20).set("NotAuthentic", 12).set("UnknownMerchant", 2);
    served ??= await serveDeployed();
    page = await open("/", { viewport: { width: 360, height: 780 } });
  });
  afterAll(async () => {
    expect(await served?.stop()).toBe(0);
  });
  const warnings = () => page.getByRole("list", { name: "What is wrong" });

  test("leads from a subscriber that lags to its page, with words on the link", async () => {
    await context.bury("LAG-1");
    await operated.paidOrder("LAG-2");
    await page.reload();
    const line = warnings().getByRole("listitem").filter({ hasText: "fulfilment" });
    await line.waitFor();
    expect(await line.allInnerTexts()).toEqual([
      "fulfilment has 1 dead letter. The oldest event of fulfilment has waited for 1 h. Look at it",
    ]);
    expect(await findFlaws(page)).toEqual([]);
    const other = warnings().getByRole("listitem").filter({ hasText: "order-history" });
    await other.getByRole("link", { name: "Look at it" }).click();
    await page.getByRole("heading", { level: 1, name: "order-history" }).waitFor();
  });

  test("says when callbacks were not stored, when many were refused, and when money is in doubt", async () => {
    const refused =
      /^10 of 30 callbacks of the last hour were not authentic, the last at \d\d:\d\d\./;
    await warnings().getByText(refused).waitFor();
    await warnings().getByText("Answered 503 in the last hour: 2 callbacks, the last at").waitFor();
    await warnings().getByText("Money is in doubt in 1 callback of the last hour").waitFor();
    const flagged = warnings().getByRole("link", { name: "Look at the flagged orders" });
    expect(await flagged.getAttribute("href")).toBe("/orders?flag=any");
  });

  test("has charts that tell each step's time and value, to the pointer and to the keyboard, for the range in the address", async () => {
    await page.getByRole("link", { name: "day" }).click();
    const chart = page.getByRole("slider", { name: "20 accepted" });
    await chart.waitFor();
    expect(new URL(page.url()).search).toBe("?range=1d");
    expect(await page.getByRole("link", { name: "day" }).getAttribute("aria-current")).toBe("page");
    const told = page.locator(".chart-value");
    await chart.hover({ position: { x: 1, y: 10 } });
    expect(await told.innerText()).toMatch(/^\d+ \w+, \d\d:\d\d to \d\d:\d\d: 0 accepted$/);
    await page.mouse.move(0, 0);
    expect(await told.count()).toBe(0);
    await chart.focus();
    expect(await told.innerText()).toMatch(/: 20 accepted$/);
    await chart.press("ArrowLeft");
    expect(await told.innerText()).toMatch(/: 0 accepted$/);
    expect(await chart.getAttribute("aria-valuetext")).toBe(await told.innerText());
    expect(await findFlaws(page)).toEqual([]);
  });

  test("shows the longest name that a stack can have, on a narrow screen", async () => {
    const name = "P".repeat(128);
    await page.route("**/api/stack", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ json: { ...(await answer.json()), name } });
    });
    await page.reload();
    await page.getByText(name).waitFor();
    expect(await findFlaws(page)).toEqual([]);
  });

  test("leads to an order with thousands of steps that is shown at once, a part at a time", async () => {
    await operated.paidOrder("MANY-1");
    await page.route("**/api/orders/MANY-1*", async (route) => {
      const timeline = await (await route.fetch()).json();
      const [entry] = timeline.entries.slice(-1);
      const entries = Array.from({ length: 3_000 }, (_item, second) => ({
        ...entry,
        at: new Date(Date.parse(entry.at) + second * 1_000).toISOString(),
      }));
      await route.fulfill({ json: { ...timeline, entries } });
    });
    await page.reload();
    await page.getByRole("link", { name: "MANY-1" }).click();
    const steps = page.locator(".timeline .step");
    const more = page.getByRole("button", { name: "Show 100 of 2900 older steps" });
    await more.click();
    await page.getByRole("button", { name: "Show 100 of 2800 older steps" }).waitFor();
    expect(await steps.count()).toBe(200);
  });
});
