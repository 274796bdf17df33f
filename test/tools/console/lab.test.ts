import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { LabView } from "../../../tools/console/routes/lab-routes.ts";
import { readQueuedEvents } from "../../../tools/operations/overview/read-queues.ts";
import { readOrderTimeline } from "../../../tools/operations/timeline/order-timeline.ts";
import { until } from "../../end-to-end/running-stack.ts";
import { hasBrowser } from "../../setup/browser.ts";
import { useOperatedStack } from "../operations/operated-stack.ts";
import { useBrowser } from "./browser-pages.ts";
import { findFlawsInLooks } from "./find-violations.ts";
import { type Console, openConsole } from "./open-console.ts";

const speed = 100;
const operated = useOperatedStack({}, speed);
let console: Console;
beforeAll(async () => {
  console = await openConsole(operated.stack().description.console);
});
afterEach(async () => {
  await console.send("/api/lab/restore");
});

const lab = async (): Promise<LabView> => await console.view("/api/lab");
const makeOrder = (wanted: object = {}) => console.send("/api/lab/orders", wanted);
const pay = (checkoutUrl: string) =>
  operated.shop().act(new URL(checkoutUrl).pathname.split("/").at(-1)!, "pay");
const callbacksOf = async (checkoutUrl: string) => {
  const paymentId = new URL(checkoutUrl).pathname.split("/").at(-1);
  return (await operated.shop().control("GET", `/orders/${paymentId}`)).callbacks;
};
const deliveries = async (orderNo: string) => {
  const { entries } = await readOrderTimeline(operated.target(), orderNo);
  return entries.flatMap((entry) =>
    entry.kind === "receipt" ? [entry.published?.deliveries ?? []] : [],
  );
};

describe("an order", () => {
  test("is made through Paycast's own API, and can be paid", async () => {
    const { orderNo, merchantId, checkoutUrl } = await makeOrder({ currency: "eur" });
    expect(orderNo).toMatch(/^ORDER-[0-9a-f]{8}$/);
    expect(merchantId).toBe("shop-1");
    expect((await fetch(checkoutUrl)).status).toBe(200);
    const { order } = await readOrderTimeline(operated.target(), orderNo);
    expect(order).toMatchObject({ status: "pending", amount: { value: "12.50", currency: "EUR" } });
    await pay(checkoutUrl);
    await operated.untilStored(orderNo, "success");
  });

  test("whose callbacks are lost is asked about by a button of its page", async () => {
    const { orderNo, merchantId, checkoutUrl } = await makeOrder();
    await operated.shop().fault("lose", orderNo);
    await pay(checkoutUrl);
    await until("the payment to succeed", async () => {
      const paymentId = new URL(checkoutUrl).pathname.split("/").at(-1);
      const { status } = await operated.shop().control("GET", `/orders/${paymentId}`);
      return status === "success" ? true : undefined;
    });
    await console.send("/api/lab/ask", { merchantId, orderNo });
    await operated.untilStored(orderNo, "success");
    // A refund of a paid order can only be found by asking again.
    expect((await console.post("/api/lab/ask", { merchantId, orderNo })).status).toBe(200);
  });

  test("that Paycast refuses is reported with its reasons", async () => {
    const { status, json: body } = await console.post("/api/lab/orders", { amount: "1.234" });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: {
        message: "The local stack rejected it: Amount has more decimals than its currency.",
      },
    });
  });

  test.each([
    [{ amount: " " }, /rejected it: Amount /],
    [{ currency: "xxq" }, /rejected it: Currency /],
  ])("that is refused names the fields of the form: %j", async (wanted, words) => {
    const { json } = await console.post("/api/lab/orders", wanted);
    expect(json.error.message).toMatch(words);
    expect(json.error.message).not.toMatch(/order\.|paymentAmount|currency /);
  });
});

describe("faults of the payment service", () => {
  test("are described in the service's own words, in groups", async () => {
    const guide = await (await fetch(`${operated.stack().description.gateway}/control`)).text();
    const { faultGroups } = await lab();
    expect(faultGroups.length).toBeGreaterThan(3);
    for (const { kind, description } of faultGroups.flatMap(({ kinds }) => kinds)) {
      expect(guide).toMatch(new RegExp(`^  ${kind} +`, "m"));
      expect(guide).toContain(description);
    }
  });

  test("that do not exist are refused", async () => {
    const { status, json } = await console.post("/api/lab/faults", { kind: "gremlins" });
    expect(status).toBe(400);
    expect(json.error.message).toContain("Expected 'send-twice'");
  });
});

test("the service's schedule is set and set back, a jump moves both, and a clock that stands still is put right", async () => {
  await console.send("/api/lab/clock", { speed: 0 });
  const before = await lab();
  expect(before.clock.service.speed).toBe(0);
  await console.send("/api/lab/jump", { seconds: 600 });
  const { service, stackAheadSeconds } = (await lab()).clock;
  expect(Date.parse(service.now) - Date.parse(before.clock.service.now)).toBe(600_000);
  expect(stackAheadSeconds - before.clock.stackAheadSeconds).toBe(600);
  const setAt = performance.now();
  await console.send("/api/lab/clock", { aheadSeconds: 0 });
  const behind = -(await lab()).clock.service.aheadSeconds;
  // It stands still, so it is behind by the time that has passed.
  expect(behind).toBeGreaterThanOrEqual(0);
  expect(behind).toBeLessThanOrEqual(Math.ceil((performance.now() - setAt) / 1_000));
  expect((await lab()).clock.service.speed).toBe(0);
  await console.send("/api/lab/restore");
  expect((await lab()).clock.service.speed).toBe(1);
  await console.send("/api/lab/clock", { speed });
  await console.send("/api/lab/restore");
  expect((await lab()).clock.service.speed).toBe(speed);
});

test("new keys of the service are stored in Paycast first, so that orders go on", async () => {
  await console.send("/api/lab/rotate", { merchantId: "shop-1" });
  const { orderNo, checkoutUrl } = await makeOrder();
  await pay(checkoutUrl);
  await operated.untilStored(orderNo, "success");
  expect((await console.post("/api/lab/rotate", { merchantId: "nobody" })).status).toBe(400);
});

describe("consumers", () => {
  const setConsumer = (mode: string, type?: string) =>
    console.send("/api/lab/consumers", { subscriber: "fulfilment", mode, type });
  const fulfilment = async (): Promise<{ waiting: number; dead: number }> => {
    const [subscriber] = (await console.view("/api/subscribers/fulfilment")).subscribers;
    return {
      waiting: subscriber.waiting + subscriber.inFlight,
      dead: subscriber.deadLetters.waiting,
    };
  };
  const empty = { waiting: 0, dead: 0 };
  afterEach(() => setConsumer("nobody"));

  test("nobody reads at first; one that reads empties the queue, and who reads is known", async () => {
    const [before] = (await lab()).consumers;
    expect(before).toMatchObject({ subscriber: "fulfilment", mode: "nobody" });
    expect(before?.types).toContain("payment.order.success");
    expect(before?.types).not.toContain("payment.order.failed");
    await operated.paidOrder("READ-1");
    expect((await fulfilment()).waiting).toBeGreaterThan(0);
    await setConsumer("reads");
    await expect.poll(fulfilment, { timeout: 30_000 }).toEqual(empty);
    expect((await lab()).consumers[0]).toMatchObject({
      mode: "reads",
      readAt: expect.stringMatching(/Z$/),
    });
  });

  test("one that fails fills the dead letters, the terminal tells each, and a redrive brings them back", async () => {
    await setConsumer("fails-on-type", "payment.order.success");
    expect((await lab()).consumers[0]).toMatchObject({ type: "payment.order.success" });
    expect(operated.printed()).toContain(
      "the consumer of fulfilment fails on payment.order.success",
    );
    await operated.paidOrder("FAIL-1");
    await expect.poll(fulfilment, { timeout: 60_000 }).toEqual({ waiting: 0, dead: 1 });
    expect(
      operated.printed().filter((line) => line.includes("FAIL-1") && line.includes("dead")),
    ).toEqual([
      "new dead letter of fulfilment: FAIL-1 payment.order.success → npx paycast dead-letters list fulfilment",
    ]);
    await setConsumer("reads");
    await operated.paycast("dead-letters", "redrive", "fulfilment", "--all", "--yes");
    await expect.poll(fulfilment, { timeout: 30_000 }).toEqual(empty);
  });

  test.each(["nobody", "reads"])(
    "put right, one that fails becomes what it was: %s",
    async (mode) => {
      await setConsumer(mode);
      await setConsumer("fails");
      await setConsumer("fails-on-type", "payment.order.success");
      await console.send("/api/lab/restore");
      expect((await lab()).consumers[0]?.mode).toBe(mode);
    },
  );

  test("who reads stands in local.json, for the demo shop", async () => {
    const readInLab = () => JSON.parse(readFileSync(localFile, "utf8")).queues.readInLab;
    const localFile = join(operated.directory, "local.json");
    await setConsumer("reads");
    expect(readInLab()).toEqual(["fulfilment"]);
    await setConsumer("nobody");
    expect(readInLab()).toEqual([]);
  });

  test.each([
    { subscriber: "nobody", mode: "reads" },
    { subscriber: "fulfilment", mode: "sleeps" },
    { subscriber: "fulfilment", mode: "fails-on-type" },
    { subscriber: "fulfilment", mode: "reads", type: "payment.order.success" },
  ])("there is none like %j", async (body) => {
    expect((await console.post("/api/lab/consumers", body)).status).toBeGreaterThanOrEqual(400);
  });
});

describe("what is taken away from Paycast", () => {
  test("a broken queue waits, the others do not, and restored it gets the event once", async () => {
    await console.send("/api/lab/queues", { subscriber: "fulfilment", isBroken: true });
    expect((await lab()).breakage.brokenSubscribers).toEqual(["fulfilment"]);
    const { orderNo, checkoutUrl } = await makeOrder();
    await pay(checkoutUrl);
    const waiting = { subscriber: "fulfilment", state: "waiting", errorName: "QueueDoesNotExist" };
    await expect
      .poll(() => deliveries(orderNo), { timeout: 30_000 })
      .toContainEqual(expect.arrayContaining([expect.objectContaining(waiting)]));
    await console.send("/api/lab/queues", { subscriber: "fulfilment", isBroken: false });
    await until("the event to be sent", async () => {
      const states = (await deliveries(orderNo)).flat().map(({ state }) => state);
      return states.includes("waiting") ? undefined : true;
    });
    const fulfilment = operated
      .target()
      .queues.subscribers.find(({ name }) => name === "fulfilment")!;
    const events = (await readQueuedEvents(operated.target(), fulfilment)).filter(
      (event) => event.orderNo === orderNo,
    );
    // At this clock speed confirming may arrive after success, so the sequence is not always 2.
    expect(events).toMatchObject([{ type: "payment.order.success" }]);
    expect(events).toHaveLength(1);
  });

  test("without SQS a callback is answered 503 and comes again; the console goes on", async () => {
    const { orderNo, checkoutUrl } = await makeOrder();
    await console.send("/api/lab/outages", { service: "sqs", isOn: true });
    await pay(checkoutUrl);
    const answers = async () =>
      (await callbacksOf(checkoutUrl)).flatMap((callback: { attempts: { httpStatus: number }[] }) =>
        callback.attempts.map(({ httpStatus }) => httpStatus),
      );
    await expect.poll(answers, { timeout: 30_000 }).toContain(503);
    const flow = await console.view("/api/flow");
    expect(flow.inbox.problem).toBeUndefined();
    await console.send("/api/lab/outages", { service: "sqs", isOn: false });
    await operated.untilStored(orderNo, "success");
  });

  test("without DynamoDB no order can be made", async () => {
    await console.send("/api/lab/outages", { service: "dynamodb", isOn: true });
    const { status, json: body } = await console.post("/api/lab/orders");
    expect({ status, body }).toMatchObject({ status: 502, body: { error: {} } });
    await console.send("/api/lab/restore");
    await makeOrder();
  });

  test("a subscriber that the stack does not have cannot be broken", async () => {
    const body = { subscriber: "nobody", isBroken: true };
    expect(await console.post("/api/lab/queues", body)).toMatchObject({ status: 404 });
  });
});

test("reconciliation runs whenever it is asked to, in spite of the last run's lease", async () => {
  const log = join(operated.directory, "functions.log");
  const outcomes = () =>
    (existsSync(log) ? readFileSync(log, "utf8") : "")
      .split("\n")
      .filter((line) => line.includes('"service":"reconcile-orders"'))
      .map((line) => JSON.parse(line).outcome);
  // The schedule of the stack goes on meanwhile, so there may be other runs in between.
  const runs = () => outcomes().filter((outcome) => outcome === "reconciled").length;
  for (const before of [runs(), runs() + 1]) {
    await console.send("/api/lab/reconcile");
    await expect.poll(runs).toBeGreaterThan(before);
  }
});

const canBrowse = hasBrowser("the Lab in a browser");

describe.runIf(canBrowse)("the Lab in a browser", () => {
  const { open } = useBrowser(() => operated.stack().description.console);
  let page: Page;
  beforeEach(async () => {
    // At the speed of the tests above an order expires after 18 seconds, perhaps before a busy browser has paid it.
    await console.send("/api/lab/clock", { speed: 10 });
    page = await open();
  });
  const openLab = async () => {
    await page.goto(`${console.origin}/lab`);
    await page.waitForSelector("text=Create an order");
  };

  const refusing = (checked: boolean) =>
    page.getByRole("switch", { name: "The queue of analytics rejects every event", checked });

  test("an order is made with one click, paid in the tab that opens, and seen in the flow", async () => {
    await openLab();
    const hostile = '<img src=x onerror="document.title=1">\u202E..';
    await page.fill("input[name=orderNo]", hostile);
    const [checkout] = await Promise.all([
      page.waitForEvent("popup"),
      page.click("text=Create and open checkout"),
    ]);
    await checkout.waitForSelector("#pay");
    expect(await page.textContent(".made strong")).toBe(hostile);
    expect(await page.getAttribute(".made a", "href")).toContain(encodeURIComponent("<img"));
    await checkout.click("#pay");
    // The checkout leads back to the order's page, where the payment is seen.
    await checkout.waitForURL(new RegExp(`^${console.origin}/orders/.*\\?merchant=shop-1$`), {
      timeout: 60_000,
    });
    await checkout.locator("main .badge", { hasText: "success" }).first().waitFor();
    await checkout.close();
    await operated.untilStored(hostile, "success");
    await page.click("text=Flow");
    await page.waitForSelector(".stage:has-text('events published')");
    expect(await page.title()).toMatch(/^Flow/);
  });

  test("a refusal closes the tab, keeps what was typed, and says why", async () => {
    await openLab();
    await page.fill("input[name=amount]", "1.234");
    await page.click("text=Create and open checkout");
    expect(await page.textContent("[role=alert]")).toMatch(/Amount has more decimals/);
    expect(await page.inputValue("input[name=amount]")).toBe("1.234");
    await expect.poll(() => page.context().pages().length).toBe(1);
  });

  test("what is broken is seen on every view, also after a reload, until it is put right", async () => {
    // The callback of an order that expires now would use up the fault that is on for once.
    await console.send("/api/lab/clock", { speed: 0 });
    await openLab();
    await refusing(false).click();
    await page.click("[aria-label='lose: once']");
    await refusing(true).waitFor();
    // Leaving the page would cut off what is not done yet.
    await page.waitForSelector("text=affects the next callback of any order");
    await page.goto(`${console.origin}/`);
    await page.waitForSelector(".lab-banner p");
    const banner = await page.textContent(".lab-banner p");
    expect(banner).toContain("the queue of analytics rejects every event");
    expect(banner).toContain("fault lose affects the next callback of any order");
    await page.click("text=Go to the Lab");
    await page.click("text=Clear all faults");
    await page.waitForSelector("text=No active faults");
    await page.click("text=Sync with the stack");
    await page.waitForSelector("text=is in sync with the stack");
    await page.goto(`${console.origin}/`);
    await page.waitForSelector(".pipeline");
    expect(await page.textContent(".lab-banner")).not.toMatch(/broken|lose|payment service/);
  });

  test("the stack's time, how far it is ahead and the service's pace are shown, here and on every page", async () => {
    await console.send("/api/lab/clock", { aheadSeconds: 0, speed: 1 });
    const { stackAheadSeconds } = (await lab()).clock;
    await console.send("/api/lab/jump", { seconds: 7_500 - stackAheadSeconds });
    await openLab();
    const reading = page.locator(".clock-reading");
    expect(await reading.innerText()).toMatch(/2 h 5 min ahead of real time/);
    const shown = await reading.locator("time").getAttribute("datetime");
    expect(Date.parse(shown!) - Date.now()).toBeGreaterThan(7_000_000);
    await page.click("text=10 ×");
    await page.getByText("runs 10 times as fast").waitFor();
    await page.goto(`${console.origin}/orders`);
    const strip = page.locator(".lab-banner");
    await strip.getByText(/stack's clock is 2 h \d+ min ahead of real time/).waitFor();
    await strip.getByText(/payment service .*runs 10 times as fast/).waitFor();
    await strip.getByText("Go to the Lab").click();
    // On a fast clock the two agree only for a moment.
    await page.getByRole("button", { name: "1 ×", exact: true }).click();
    await page.click("text=Sync with the stack");
    await page.getByText("is in sync with the stack").waitFor();
  });

  test("keys are rotated with one click, and an order's faults are reached with its number", async () => {
    await openLab();
    await page.getByRole("button", { name: "Rotate keys of shop-1" }).click();
    await page.getByText("The new keys of shop-1 are in use.").waitFor();
    await page.goto(`${console.origin}/lab?order=ONLY-THIS`);
    await page.click("[aria-label='lose: always']");
    await page.getByText("on for ONLY-THIS", { exact: true }).waitFor();
    expect((await lab()).faults).toMatchObject([{ kind: "lose", orderNo: "ONLY-THIS" }]);
  });

  test("with an order's number, Off leaves the faults of all orders and of other orders on", async () => {
    for (const orderNo of [undefined, "OTHER", "THIS"]) {
      await console.send("/api/lab/faults", { kind: "lose", orderNo });
    }
    await page.goto(`${console.origin}/lab?order=THIS`);
    await page.click("[aria-label='lose: off']");
    await page.getByText("on for THIS", { exact: true }).waitFor({ state: "detached" });
    expect((await lab()).faults.map(({ orderNo }) => orderNo)).toEqual([undefined, "OTHER"]);
    await page.waitForSelector("[aria-label='lose: off']", { state: "detached" });
    await page.getByLabel("Only for this order number (empty: all orders)").fill("");
    await page.click("[aria-label='lose: off']");
    await page.getByText("on for OTHER", { exact: true }).waitFor({ state: "detached" });
    await expect.poll(async () => (await lab()).faults).toEqual([]);
  });

  test("a fault switched on with the payment service's control API shows up by itself", async () => {
    await openLab();
    await operated.shop().control("POST", "/faults", { kind: "send-twice" });
    await page.waitForSelector("text=on for all orders");
  });

  test("a consumer is chosen in the Lab; while nobody reads a queue, Subscribers says so and how to change it", async () => {
    await page.goto(`${console.origin}/subscribers`);
    const row = page.getByRole("row", { name: "order-history" });
    await row.getByText("No consumer reads this queue.").waitFor();
    await row.getByRole("link", { name: "order-history" }).click();
    await page.getByText("examples/node-worker").waitFor();
    await page.getByRole("link", { name: "Start a consumer" }).click();
    const consumer = page.getByLabel("Consumer of order-history");
    await consumer.selectOption("reads");
    await page.getByText("Reads and deletes every event.").waitFor();
    await page.goto(`${console.origin}/subscribers`);
    await row.waitFor();
    await page.getByRole("row", { name: "analytics" }).getByText("No consumer reads").waitFor();
    expect(await row.getByText("No consumer reads this queue.").count()).toBe(0);
    await openLab();
    await consumer.selectOption("fails on payment.order.success");
    await page.getByText("the consumer of order-history fails on payment.order.success").waitFor();
    await consumer.selectOption("does not read");
    await page.getByText("the consumer of order-history").waitFor({ state: "detached" });
  });

  test("it is accessible, light and wide, and dark on a phone", async () => {
    await console.send("/api/lab/queues", { subscriber: "analytics", isBroken: true });
    await openLab();
    await refusing(true).waitFor();
    expect(await findFlawsInLooks(page)).toEqual([]);
  });
});
