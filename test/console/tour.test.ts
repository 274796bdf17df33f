import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { playScenario, type TourRun } from "../../console/tour/play-scenario.ts";
import type { Scenario } from "../../console/tour/scenario.ts";
import { duplicateStorm } from "../../console/tour/scenarios/duplicate-storm.ts";
import { forged } from "../../console/tour/scenarios/forged.ts";
import { keysRotated } from "../../console/tour/scenarios/keys-rotated.ts";
import { lost } from "../../console/tour/scenarios/lost.ts";
import { paid } from "../../console/tour/scenarios/paid.ts";
import { subscriberDown } from "../../console/tour/scenarios/subscriber-down.ts";
import { openStage, type Stage, type TourOrder } from "../../console/tour/stage.ts";
import type { TourView } from "../../console/tour/tour.ts";
import { checkNow } from "../../operations/calling/check-now.ts";
import { type OrderTimeline, readOrderTimeline } from "../../operations/timeline/order-timeline.ts";
import type { ReceiptEntry } from "../../operations/timeline/receipt-entry.ts";
import { until } from "../end-to-end/running-stack.ts";
import { useOperatedStack } from "../operations/operated-stack.ts";
import { hasBrowser, openBrowser } from "../setup/browser.ts";
import { findViolations } from "./find-violations.ts";
import { type Console, openConsole } from "./open-console.ts";

const names = ["paid", "duplicates", "subscriber-down", "lost", "keys", "forged"];
const speed = 7;
/** All in order: a queue without order may hold an event twice, and then the sentences say so. */
const subscribers = [
  { name: "fulfilment", types: ["payment.order.success", "payment.refund.*"] },
  { name: "order-history", types: ["*"] },
  { name: "analytics", types: ["payment.order.*"] },
];
/** The two callbacks may arrive in either order, and the first one waits for the queue. */
const downAndBack =
  /^order-history was down and now has (confirming, then success; 1 other queue|success, then confirming; 2 other queues) did not wait for it\.$/;
const operated = useOperatedStack({ subscribers }, speed);
const canBrowse = hasBrowser("the tour in a browser");
let console: Console;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  console = await openConsole(operated.stack().description.console);
  if (!canBrowse) return;
  browser = await openBrowser();
  page = await browser.newPage();
  await page.goto(operated.stack().description.console);
  await page.goto(`${console.origin}/tour`);
  await page.waitForSelector(".scenario");
});
afterAll(async () => await browser?.close());

const tour = async (): Promise<TourView> => await console.view("/api/tour");
const ended = async (): Promise<TourView> =>
  await until(
    "the end of the tour",
    async () => {
      const view = await tour();
      return view.isRunning ? undefined : view;
    },
    240_000,
  );

/** However a scenario ends, it leaves the stack as it was. */
afterEach(async () => {
  const { breakage, faults, clock } = await console.view("/api/lab");
  expect({ breakage, faults, speed: clock.speed }).toEqual({
    breakage: { outages: [], brokenSubscribers: [] },
    faults: [],
    speed,
  });
});

describe("the tour", () => {
  test("all six scenarios, played with one click, end with a proof", async () => {
    if (canBrowse) await page.click("text=Play all");
    else await console.send("/api/tour/start");
    await until("the tour to begin", async () => (await tour()).isRunning || undefined);
    const { cards } = await ended();
    expect(cards.map(({ name }) => name)).toEqual(names);
    const unproven = cards.filter(({ run }) => run?.state !== "proven");
    expect(unproven.map(({ run }) => [run?.problem, run && failedClaims(run)])).toEqual([]);
    const sentences = cards.map(({ run }) => run?.proof?.sentence);
    expect(sentences).toEqual([
      "The order's status is success, told by a callback: 5 events in 3 queues.",
      "The same callback came 6 times: every subscriber has 1 event.",
      expect.stringMatching(downAndBack),
      "0 callbacks arrived. The order's status is success all the same: 1 event, of origin query.",
      "27 of 27 orders are paid, 54 of 54 callbacks accepted, verified by 2 versions of the keys.",
      "8 forged callbacks got 1 answer, 0 reached the inbox; 8 authentic ones were accepted.",
    ]);
  }, 300_000);

  test.runIf(canBrowse)("shows the results, and after a reload still does", async () => {
    const shown = async () => {
      await page.waitForSelector("text=The same callback came 6 times");
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

  test("leaves a line in the audit log for the check that it moved, and an order that is paid has none", async () => {
    const lines = readFileSync(join(operated.directory, "audit.log"), "utf8").trim().split("\n");
    const moved = lines.map((line) => JSON.parse(line)).find(({ act }) => act === "check-now");
    expect(moved).toMatchObject({ merchantId: "shop-1", orderNo: expect.stringMatching(/^TOUR-/) });
    await expect(checkNow(operated.target(), moved)).rejects.toMatchObject({
      code: "nothing-stored",
    });
  });

  test("is refused while it is played; stopped, it puts right what it had changed", async () => {
    await console.send("/api/tour/subscriber-down/start");
    expect(await console.post("/api/tour/paid/start")).toMatchObject({
      status: 400,
      json: { error: { message: expect.stringContaining("being played") } },
    });
    await until("the queue to be broken", async () => {
      const { breakage } = await console.view("/api/lab");
      return breakage.brokenSubscribers.length > 0 ? true : undefined;
    });
    await console.send("/api/tour/stop");
    const { cards } = await ended();
    const stopped = cards.find(({ name }) => name === "subscriber-down");
    expect(stopped?.run).toMatchObject({ state: "stopped" });
    expect(stopped?.run).not.toHaveProperty("proof");
  }, 60_000);

  test("stopped while callbacks are held up, it sends them", async () => {
    await console.send("/api/tour/keys/start");
    const keysCard = async () => (await tour()).cards.find(({ name }) => name === "keys");
    const heldUp = await until("callbacks that are held up", async () => {
      const [step] = (await keysCard())?.run?.steps ?? [];
      return step?.state === "done" ? step.evidence.flatMap(({ order }) => order ?? []) : undefined;
    });
    await console.send("/api/tour/stop");
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
        60_000,
      );
    }
  }, 180_000);

  test("is refused on a stack that is broken on purpose, and for a scenario that is not there", async () => {
    await console.send("/api/lab/faults", { kind: "lose" });
    expect(await console.post("/api/tour/paid/start")).toMatchObject({
      status: 400,
      json: { error: { message: expect.stringContaining("Put everything right") } },
    });
    await console.send("/api/lab/restore");
    expect(await console.post("/api/tour/nothing/start")).toMatchObject({ status: 404 });
    expect((await tour()).isRunning).toBe(false);
  });
});

interface Spoiling {
  readonly afterwards?: (stage: Stage) => Promise<void>;
  /** Only for a scenario that waits for something that never happens. */
  readonly patienceMilliseconds?: number;
}

const inVain: Spoiling = { patienceMilliseconds: 5_000 };

/** Plays a scenario with something changed on its stage, or done after its last step. */
async function playSpoiled(
  scenario: Scenario,
  changeStage: (stage: Stage) => Partial<Stage>,
  { afterwards, patienceMilliseconds }: Spoiling = {},
): Promise<TourRun> {
  const spoiled: Scenario = {
    ...scenario,
    plan: (stage) => {
      const plan = scenario.plan({ ...stage, ...changeStage(stage) });
      if (afterwards === undefined) return plan;
      return { ...plan, steps: [...plan.steps, { title: "spoil", run: () => afterwards(stage) }] };
    },
  };
  const stopped = new AbortController().signal;
  const surroundings = { target: operated.target(), lab: labOverHttp, stopped };
  const patience = patienceMilliseconds === undefined ? {} : { patienceMilliseconds };
  return await playScenario(spoiled, { ...surroundings, ...patience }, () => undefined);
}

/** The stack's own switches are behind the console. */
const labOverHttp = {
  breakage: () => ({ outages: [], brokenSubscribers: [] }),
  setOutage: () => undefined,
  setBroken: (subscriber: string, isBroken: boolean) =>
    void console.send("/api/lab/queues", { subscriber, isBroken }),
  reconcileNow: async () => void (await console.send("/api/lab/reconcile")),
};

const history = () => operated.target().subscribers.find(({ name }) => name === "order-history")!;

/** What a broken Paycast would do: an event of the tour's order comes a second time. */
async function repeatLastEvent(orderNo: string): Promise<void> {
  const { sqs } = operated.target().clients;
  const event = { id: "another", type: "payment.order.success", subject: orderNo };
  const MessageBody = JSON.stringify({ ...event, origin: "callback", sequence: "0000000002" });
  const ids = { MessageGroupId: orderNo, MessageDeduplicationId: `again ${orderNo}` };
  await sqs.send(new SendMessageCommand({ QueueUrl: history().queueUrl, MessageBody, ...ids }));
}

function withReceipts(
  timeline: OrderTimeline,
  change: (receipt: ReceiptEntry) => ReceiptEntry,
): OrderTimeline {
  const entries = timeline.entries.map((one) => (one.kind === "receipt" ? change(one) : one));
  return { ...timeline, entries };
}

/** As if every second one had been told by a query. */
const withoutKeys = (receipt: ReceiptEntry): ReceiptEntry =>
  receipt.type === "payment.order.success" ? { ...receipt, keyVersion: undefined } : receipt;

const failedClaims = ({ proof }: TourRun) =>
  proof?.claims.filter(({ holds }) => !holds).map(({ found }) => found);

test("a scenario that is stopped before it begins leaves the clock alone", async () => {
  const surroundings = { target: operated.target(), lab: labOverHttp };
  const stopped = AbortSignal.abort();
  const run = await playScenario(paid, { ...surroundings, stopped }, () => undefined);
  expect(run.state).toBe("stopped");
  expect((await console.view("/api/lab")).clock.speed).toBe(speed);
});

test("a step that goes on after the stop can begin nothing more", async () => {
  const stopping = new AbortController();
  const surroundings = { target: operated.target(), lab: labOverHttp, clockSpeed: speed };
  const stage = await openStage({ ...surroundings, stopped: stopping.signal });
  const order = await stage.order();
  stopping.abort();
  await stage.clearUp();
  await expect(stage.order()).rejects.toThrow();
  await expect(stage.pay(order)).rejects.toThrow();
  await expect(stage.fault({ kind: "lose", orderNo: "x" })).rejects.toThrow();
  await expect(stage.breakQueue("order-history")).rejects.toThrow();
  await expect(stage.service.rotateKeys("shop-1")).rejects.toThrow();
});

test("a callback that is still in the inbox is waited for, also if the success was faster", async () => {
  let looks = 0;
  const run = await playSpoiled(paid, (stage) => ({
    timeline: async (order) => {
      const { entries, ...timeline } = await stage.timeline(order);
      looks += 1;
      const isHidden = (entry: (typeof entries)[number]) =>
        looks <= 3 && entry.kind === "receipt" && entry.type === "payment.order.confirming";
      return { ...timeline, entries: entries.filter((entry) => !isHidden(entry)) };
    },
  }));
  expect({ state: run.state, failed: failedClaims(run) }).toEqual({ state: "proven", failed: [] });
});

test.each([
  ["proven", "regressed", []],
  ["failed", "mismatch", ["success, told by a callback; mismatch"]],
] as const)("paid is %s if the order is flagged %s", async (state, flag, failed) => {
  const run = await playSpoiled(paid, (stage) => ({
    timeline: async (order) => {
      const timeline = await stage.timeline(order);
      return { ...timeline, order: { ...timeline.order!, flags: [flag] } };
    },
  }));
  expect({ state: run.state, failed: failedClaims(run) }).toEqual({ state, failed });
});

test.each([
  ["proven", 503, []],
  ["failed", 401, ['2 callbacks: 200 {"code":20000,"msg":""}; before that, 2 attempts without it']],
] as const)(
  "paid is %s if the first attempts were answered %i",
  async (state, httpStatus, failed) => {
    const run = await playSpoiled(paid, (stage) => ({
      payment: async (order) => {
        const { callbacks, ...payment } = await stage.payment(order);
        const earlier = { startedMilliseconds: 0, durationMilliseconds: 0, detail: "", faults: [] };
        const answered = callbacks.map(({ attempts, ...callback }) => ({
          ...callback,
          attempts: [{ ...earlier, httpStatus }, ...attempts],
        }));
        return { ...payment, callbacks: answered };
      },
    }));
    expect({ state: run.state, failed: failedClaims(run) }).toEqual({ state, failed });
  },
);

describe("a proof that does not hold ends red, with what was found", () => {
  test.each([
    ["paid", paid],
    ["duplicates", duplicateStorm],
  ])("%s: an event came once too often", async (_name, scenario) => {
    let orderNo = "";
    const run = await playSpoiled(
      scenario,
      (stage) => ({
        order: async (wanted) => {
          const order = await stage.order(wanted);
          ({ orderNo } = order);
          return order;
        },
      }),
      { afterwards: () => repeatLastEvent(orderNo) },
    );
    expect(run.state).toBe("failed");
    expect(failedClaims(run)).toEqual([
      "fulfilment 1 of 1, order-history 3 of 2, analytics 2 of 2",
    ]);
  });

  test("subscriber-down: the queue was not broken", async () => {
    const unbroken = () => ({ breakQueue: async () => undefined });
    const run = await playSpoiled(subscriberDown, unbroken, inVain);
    expect(run).toMatchObject({
      state: "failed",
      problem: expect.stringContaining("waits for order-history"),
      steps: expect.arrayContaining([expect.objectContaining({ state: "failed" })]),
    });
  });

  test("lost: reconciliation does not run", async () => {
    const asksNobody = ({ lab }: Stage) => ({
      lab: { ...lab, reconcileNow: async () => undefined },
    });
    const run = await playSpoiled(lost, asksNobody, inVain);
    expect(run).toMatchObject({ state: "failed", problem: expect.stringContaining("is paid") });
  });

  test("lost: the callbacks were not lost", async () => {
    const run = await playSpoiled(lost, () => ({ fault: async () => undefined }));
    expect(run.state).toBe("failed");
  });

  test("keys: they were not changed", async () => {
    const run = await playSpoiled(keysRotated, ({ service }) => ({
      service: { ...service, rotateKeys: async () => undefined },
    }));
    expect(run.state).toBe("failed");
    expect(failedClaims(run)).toEqual([
      "1 version",
      expect.stringMatching(/with the current keys, 0 with the previous/),
    ]);
  }, 90_000);

  test("keys: an order was told by a query, which no keys verified", async () => {
    const run = await playSpoiled(keysRotated, ({ service, timeline }) => ({
      service: { ...service, rotateKeys: async () => undefined },
      timeline: async (order) => withReceipts(await timeline(order), withoutKeys),
    }));
    expect(failedClaims(run)).toContain("1 version");
  }, 90_000);

  test("forged: a record of a later callback is older than its authentic attempt", async () => {
    const run = await playSpoiled(forged, (stage) => ({
      timeline: async (order) => {
        const { callbacks } = await stage.payment(order as TourOrder);
        const [sent] = callbacks.filter(({ eventName }) => eventName === "payment.order.success");
        const begun = sent?.attempts.find(({ faults }) => faults.length === 0)?.startedMilliseconds;
        const at = new Date((begun ?? 1) - 1).toISOString();
        return withReceipts(await stage.timeline(order), (receipt) =>
          receipt.callbackId === sent?.id ? { ...receipt, at } : receipt,
        );
      },
    }));
    expect(failedClaims(run)).toEqual(["4 records of a forgery"]);
  });

  test("forged: one was accepted for another merchant", async () => {
    let orderNo = "";
    const run = await playSpoiled(
      forged,
      (stage) => ({
        order: async (wanted) => {
          const order = await stage.order(wanted);
          ({ orderNo } = order);
          return order;
        },
      }),
      {
        afterwards: async () => {
          const line = { service: "receive-callback", outcome: "accepted", orderNo };
          const text = JSON.stringify({ ...line, merchantId: "shop-2", timestamp: Date.now() });
          appendFileSync(operated.target().functionLog ?? "", `${text}\n`);
        },
      },
    );
    expect(failedClaims(run)).toEqual(["9 accepted, 8 authentic"]);
  });

  test("forged: nothing was forged", async () => {
    const run = await playSpoiled(forged, () => ({ fault: async () => undefined }), inVain);
    expect(run).toMatchObject({ state: "failed", problem: expect.stringContaining("a forged") });
  });
});
