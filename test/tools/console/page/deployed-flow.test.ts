import type { Page } from "playwright-core";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { hasBrowser } from "../../../setup/browser.ts";
import { useSubscriberSetup } from "../../operations/dead-letters/subscriber-setup.ts";
import { soundAlarm, stackName, useDeployedStack } from "../../operations/deployed-stack.ts";
import { useOperatedStack } from "../../operations/operated-stack.ts";
import { useBrowser } from "../browser-pages.ts";
import { findFlaws } from "../find-violations.ts";
import { serveDeployed } from "../serve-deployed.ts";

/** As infra/alarms describes it. */
const ringing = (place: string, section: string, severity: string, since: string) => ({
  ...soundAlarm(`${stackName}-${place}`),
  StateValue: "ALARM",
  StateTransitionedTimestamp: Date.parse(since) / 1_000,
  AlarmDescription: `Messages wait. Look at the log. Begin with: npx paycast check. Severity: ${severity}. Runbook: docs/runbook.md#${section}`,
});

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
    deployed().alarms = [
      ringing("SubscriberAge", "subscriber-queue", "morning", "2026-11-16T03:00:00Z"),
      ringing("InboxAge", "inbox", "wake", "2026-11-16T02:41:00Z"),
    ];
    served ??= await serveDeployed();
    page = await open("/", { viewport: { width: 360, height: 780 } });
  });
  afterAll(async () => {
    expect(await served?.stop()).toBe(0);
  });
  test("shows the alarms that ring, most severe first", async () => {
    await context.bury("LAG-1");
    const alarms = page.getByRole("list", { name: "Active alarms" });
    await alarms.waitFor();
    const [wake, morning, ...others] = await alarms.getByRole("listitem").allInnerTexts();
    expect(wake).toMatch(
      /^inbox\s+wake\s+since \d.*\d\d:\d\d UTC\s+Messages wait. Look at the log. docs\/runbook.md#inbox\s+npx paycast check --stack \w+\s*$/,
    );
    expect(morning).toMatch(/^subscriber-queue\s+morning/);
    expect(others).toEqual([]);
    expect(await findFlaws(page)).toEqual([]);
  });

  test("says that no alarm rings, and not that all is well if the alarms cannot be read", async () => {
    deployed().alarms = [];
    const quiet = await serveDeployed();
    const calm = await open("/", {}, quiet.url);
    await calm.getByText("No active alarms.").waitFor();
    deployed().denied.add("cloudwatch:DescribeAlarms");
    const blind = await serveDeployed();
    const tab = await open("/", {}, blind.url);
    await tab.getByText(/The alarms cannot be read\..*cloudwatch:DescribeAlarms/).waitFor();
    expect(await tab.getByText("No active alarms.").count()).toBe(0);
    await quiet.stop();
    await blind.stop();
  });

  test("has charts that tell each step's time and value, to the pointer and to the keyboard, for the range in the address", async () => {
    await page.getByRole("link", { name: "day" }).click();
    const chart = page.getByRole("slider", { name: "20 accepted" });
    await chart.waitFor();
    expect(new URL(page.url()).search).toBe("?range=1d");
    expect(await page.getByRole("link", { name: "day" }).getAttribute("aria-current")).toBe("page");
    const chartValue = page.locator(".chart-value");
    await chart.hover({ position: { x: 1, y: 10 } });
    expect(await chartValue.innerText()).toMatch(
      /^\d+ \w+, \d\d:\d\d to \d\d:\d\d UTC: 0 accepted$/,
    );
    await page.mouse.move(0, 0);
    expect(await chartValue.count()).toBe(0);
    await chart.focus();
    expect(await chartValue.innerText()).toMatch(/: 20 accepted$/);
    await chart.press("ArrowLeft");
    expect(await chartValue.innerText()).toMatch(/: 0 accepted$/);
    expect(await chart.getAttribute("aria-valuetext")).toBe(await chartValue.innerText());
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
