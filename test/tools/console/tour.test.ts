import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TourView } from "../../../tools/console/tour/tour.ts";
import { checkNow } from "../../../tools/operations/calling/check-now.ts";
import { readOrderTimeline } from "../../../tools/operations/timeline/order-timeline.ts";
import { until } from "../../end-to-end/running-stack.ts";
import { hasBrowser, openBrowser } from "../../setup/browser.ts";
import { findViolations } from "./find-violations.ts";
import { failedClaims, useTourStack } from "./tour-stack.ts";

const names = ["paid", "duplicates", "subscriber-down", "lost", "keys", "forged"];
/** The two callbacks may arrive in either order, and the first one waits for the queue. */
const downAndBack =
  /^order-history was down and now has (confirming, then success; 1 other queue|success, then confirming; 2 other queues) got the event immediately\.$/;
const { operated, console } = useTourStack();
const canBrowse = hasBrowser("the tour in a browser");
let browser: Browser;
let page: Page;

beforeAll(async () => {
  if (!canBrowse) return;
  browser = await openBrowser();
  page = await browser.newPage();
  await page.goto(operated.stack().description.console);
  await page.goto(`${console().origin}/tour`);
  await page.waitForSelector(".scenario");
});
afterAll(async () => await browser?.close());

const tour = async (): Promise<TourView> => await console().view("/api/tour");
const ended = async (): Promise<TourView> =>
  await until(
    "the end of the tour",
    async () => {
      const view = await tour();
      return view.isRunning ? undefined : view;
    },
    600_000,
  );

describe("the tour", () => {
  test("all six scenarios, played with one click, end with a proof, also while a consumer reads", async () => {
    const reads = { subscriber: "order-history", mode: "reads" };
    await console().send("/api/lab/consumers", reads);
    if (canBrowse) await page.click("text=Play all");
    else await console().send("/api/tour/start");
    await until("the tour to begin", async () => (await tour()).isRunning || undefined);
    const { cards } = await ended();
    expect((await console().view("/api/lab")).consumers).toContainEqual(
      expect.objectContaining(reads),
    );
    await console().send("/api/lab/consumers", { ...reads, mode: "nobody" });
    expect(cards.map(({ name }) => name)).toEqual(names);
    const unproven = cards.filter(({ run }) => run?.state !== "proven");
    expect(unproven.map(({ run }) => [run?.problem, run && failedClaims(run)])).toEqual([]);
    const sentences = cards.map(({ run }) => run?.proof?.sentence);
    expect(sentences).toEqual([
      "The order's status is success, learned from a callback: 5 events in 3 queues.",
      "The same callback arrived 6 times: every subscriber has 1 event.",
      expect.stringMatching(downAndBack),
      "0 callbacks arrived. The order's status is success nevertheless: 1 event, of origin query.",
      "27 of 27 orders are paid, 54 of 54 callbacks accepted, verified with 2 key versions.",
      "8 forged callbacks got 1 distinct response, 0 reached the inbox; 8 authentic ones were accepted.",
    ]);
  });

  test.runIf(canBrowse)("shows the results, and after a reload still does", async () => {
    const shown = async () => {
      await page.waitForSelector("text=The same callback arrived 6 times");
      return await page.locator(".scenario.proven").count();
    };
    await expect.poll(shown).toBe(6);
    await page.reload();
    await expect.poll(shown).toBe(6);
    await page.click("[data-scenario=paid] summary");
    const timeline = page.locator("[data-scenario=paid] .steps a").first();
    expect(await timeline.getAttribute("href")).toMatch(/^\/orders\/TOUR-.*\?merchant=shop-1$/);
  });

  test.runIf(canBrowse)("nothing is drawn over the text of a step", async () => {
    const drawn = await page.evaluate(
      `["::before", "::after"].map((part) =>
        getComputedStyle(document.querySelector("[data-scenario=paid] .steps li"), part).content)`,
    );
    expect(drawn).toEqual(["none", "none"]);
  });

  test.runIf(canBrowse).each(["light", "dark"] as const)(
    "is accessible and fits a phone, %s",
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      expect(await findViolations(page)).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
      const entries = await page.locator(".top nav a").all();
      const boxes = await Promise.all(entries.map((entry) => entry.boundingBox()));
      expect(boxes.filter((box) => box === null || box.x + box.width > 360)).toEqual([]);
      await page.setViewportSize({ width: 1280, height: 720 });
    },
  );

  test("leaves a line in the audit log for the check that it moved, and an order without a payment has none", async () => {
    const lines = readFileSync(join(operated.directory, "audit.log"), "utf8").trim().split("\n");
    const moved = lines.map((line) => JSON.parse(line)).find(({ act }) => act === "check-now");
    expect(moved).toMatchObject({ merchantId: "shop-1", orderNo: expect.stringMatching(/^TOUR-/) });
    await expect(
      checkNow(operated.target(), { ...moved, orderNo: "NOBODY" }),
    ).rejects.toMatchObject({
      code: "nothing-stored",
    });
  });

  test("is refused while it is played; stopped, it puts right what it had changed", async () => {
    await console().send("/api/tour/subscriber-down/start");
    // The others cannot get the event now, so the scenario does not go on and the queue stays broken until it is seen.
    await console().send("/api/lab/outages", { service: "sqs", isOn: true });
    expect(await console().post("/api/tour/paid/start")).toMatchObject({
      status: 400,
      json: { error: { message: expect.stringContaining("is running") } },
    });
    await until("the queue to be broken", async () => {
      const { breakage } = await console().view("/api/lab");
      return breakage.brokenSubscribers.length > 0 ? true : undefined;
    });
    await console().send("/api/tour/stop");
    const { cards } = await ended();
    await console().send("/api/lab/outages", { service: "sqs", isOn: false });
    const stopped = cards.find(({ name }) => name === "subscriber-down");
    expect(stopped?.run).toMatchObject({ state: "stopped" });
    expect(stopped?.run).not.toHaveProperty("proof");
    expect(stopped?.run?.steps.map(({ state }) => state)).toContain("stopped");
    expect((await console().view("/api/jobs")).jobs[0]).toMatchObject({ state: "stopped" });
  });

  test("stopped while callbacks are held up, it sends them", async () => {
    await console().send("/api/tour/keys/start");
    const keysCard = async () => (await tour()).cards.find(({ name }) => name === "keys");
    const heldUp = await until("callbacks that are held up", async () => {
      const [step] = (await keysCard())?.run?.steps ?? [];
      return step?.state === "done" ? step.evidence.flatMap(({ order }) => order ?? []) : undefined;
    });
    await console().send("/api/tour/stop");
    await ended();
    expect((await keysCard())?.run?.state).toBe("stopped");
    expect(heldUp).toHaveLength(3);
    for (const { orderNo } of heldUp) {
      await until(
        `${orderNo} to be paid`,
        async () => {
          const { order } = await readOrderTimeline(operated.target(), orderNo);
          return order?.status === "success" ? true : undefined;
        },
        600_000,
      );
    }
  });

  test("is refused on a stack that is broken on purpose, and for a scenario that is not there", async () => {
    await console().send("/api/lab/faults", { kind: "lose" });
    expect(await console().post("/api/tour/paid/start")).toMatchObject({
      status: 400,
      json: { error: { message: expect.stringContaining("Clear all faults") } },
    });
    await console().send("/api/lab/restore");
    expect(await console().post("/api/tour/nothing/start")).toMatchObject({ status: 404 });
    expect((await tour()).isRunning).toBe(false);
  });
});
