import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { until } from "../../end-to-end/running-stack.ts";
import { hasBrowser } from "../../setup/browser.ts";
import { useOperatedStack } from "../operations/operated-stack.ts";
import { useBrowser } from "./browser-pages.ts";
import { findViolations } from "./find-violations.ts";
import { openConsole } from "./open-console.ts";

describe.runIf(hasBrowser("the console's views of orders"))("the console's orders", () => {
  const operated = useOperatedStack();
  const consoleUrl = () => operated.stack().description.console;
  const { open, newContext } = useBrowser(consoleUrl);

  /** At the speed of this clock an order of 30 minutes would expire after 18 seconds, in the middle of a test. */
  const create = (orderNo: string) =>
    operated.shop().create(orderNo, { paymentExpiryTime: Date.now() + 23 * 3_600_000 });
  const menu = (page: Page, view: string) =>
    page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: view });
  /** The step of the timeline in which the order became paid. */
  const successIn = (page: Page) =>
    page.locator(".step", { hasText: "Callback: payment.order.success" });

  test("an order is in the list when it is made, and its page follows it to the end without a reload", async () => {
    const page = await open("/orders");
    await page.getByText("No orders in this range.").waitFor();
    const { body } = await create("PAGE-1");
    await page.getByRole("link", { name: "PAGE-1" }).click();
    await page.getByRole("heading", { level: 1, name: "PAGE-1" }).waitFor();
    await page.getByRole("heading", { name: "Created at the payment service" }).waitFor();
    expect(await page.title()).toBe("PAGE-1 · Orders · Paycast local");
    await operated.shop().fault("wrong-key", "PAGE-1", { attempts: 1 });
    await operated.shop().act(body.paymentId, "pay");
    const success = successIn(page);
    await success.waitFor({ timeout: 60_000 });
    expect(await success.locator(".change").innerText()).toMatch(/success$/);
    expect(await success.getByRole("list", { name: "Deliveries" }).innerText()).toMatch(
      /fulfilment[\s\S]*order-history[\s\S]*analytics/,
    );
    const forged = page.locator(".step.bad", { hasText: "not authentic" }).first();
    expect(await forged.innerText()).toMatch(/401[\s\S]*wrong-signature[\s\S]*wrong-key/);
    const opened = (summary: string | RegExp) => success.locator("details", { hasText: summary });
    await success.getByText(/^Event \d/).click();
    const event = await opened(/^Event \d/)
      .locator("pre")
      .innerText();
    expect(event).toContain('"specversion": "1.0"');
    expect(await success.locator(".json-name", { hasText: /^"specversion"$/ }).count()).toBe(1);
    await success.getByText("Payload from the payment service").click();
    expect(await opened("Payload from the payment service").locator("pre").innerText()).toContain(
      '"referOrderNo"',
    );
    const recorded = opened("Payload from the payment service").locator("p time");
    expect(await recorded.innerText()).toMatch(/^\d+ \w+ \d{4}, [\d:]{8} UTC$/);
    const copied = () => page.evaluate("navigator.clipboard.readText()");
    await page.getByRole("button", { name: "Copy event", exact: true }).click();
    await expect.poll(copied).toBe(event);
    await page.getByRole("button", { name: "Copy order number" }).click();
    await expect.poll(copied).toBe("PAGE-1");
  });

  test("the latest orders are below the flow; a number that stands for one order leads there; one that stands for nothing says what was read", async () => {
    const page = await open();
    await page.locator(".latest").getByRole("link", { name: "PAGE-1" }).waitFor();
    const { order } = (await operated.shop().get("PAGE-1")) as {
      order: { transactionId: string };
    };
    await page.getByRole("combobox").first().fill(order.transactionId);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "PAGE-1" }).waitFor();
    await page.getByRole("combobox").first().fill("NOTHING-OF-IT");
    await page.keyboard.press("Enter");
    await page.getByText("No matches.").waitFor();
    await page.getByText(/recent callbacks for a transaction/).waitFor();
    await page.getByRole("combobox").first().fill("page-");
    await page.getByRole("button", { name: "Find", exact: true }).click();
    await page.getByRole("heading", { name: "Order numbers that contain it" }).waitFor();
    await page.getByRole("main").getByRole("link", { name: "PAGE-1" }).waitFor();
  });

  test("a slash or Ctrl-K leads to the search from every page, where arrow keys and Enter choose and Escape leaves", async () => {
    await create("PAGE-2");
    const page = await open("/attention");
    const field = page.getByRole("combobox", { name: "Order number, payment" });
    const choices = page.getByRole("listbox", { name: "Matches" }).getByRole("option");
    const isFocused = () => field.evaluate((element) => element.matches(":focus"));
    for (const view of ["Flow", "Keys"]) {
      await menu(page, view).click();
      await page.keyboard.press("Control+k");
      await expect.poll(isFocused).toBe(true);
      await page.keyboard.press("Escape");
      await expect.poll(isFocused).toBe(false);
      await page.keyboard.press("/");
      await expect.poll(isFocused).toBe(true);
    }
    await page.keyboard.type("age-");
    await expect.poll(() => choices.allInnerTexts()).toHaveLength(2);
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect.poll(() => choices.count()).toBe(0);
    await page.keyboard.press("/");
    await choices.first().waitFor();
    for (const key of ["ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp"]) {
      await page.keyboard.press(key);
    }
    expect(await choices.last().getAttribute("aria-selected")).toBe("true");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "PAGE-2" }).waitFor();
    await menu(page, "Orders").click();
    await page.getByLabel("Order number", { exact: true }).pressSequentially("a/b");
    await until("the filter", async () => page.url().includes("text=a%2Fb") || undefined);
  });

  test("the filter is in the address, and a reload keeps it", async () => {
    const said = { code: 40103, msg: "body cannot be decrypted" };
    await operated.shop().fault("refuse-creates", "PAGE-R", said);
    await operated.shop().create("PAGE-R");
    const page = await open("/orders");
    const rows = page.locator("tbody tr");
    const shows = (...numbers: string[]) =>
      expect
        .poll(() => page.locator("tbody .order-no").allInnerTexts(), { timeout: 20_000 })
        .toEqual(numbers);
    await shows("PAGE-R", "PAGE-2", "PAGE-1");
    await page.getByText("3 orders since").waitFor();
    await page.getByRole("combobox", { name: "Status" }).selectOption("pending");
    await shows("PAGE-2");
    await page.reload();
    await shows("PAGE-2");
    await page.getByRole("combobox", { name: "Status" }).selectOption("refused");
    await shows("PAGE-R");
    expect(await rows.innerText()).toMatch(/refused[\s\S]*40103[\s\S]*body cannot be decrypted/);
    await page.getByText(/^Searched 3 orders, back to .*: 1 found\.$/).waitFor();
    await page.getByRole("combobox", { name: "Status" }).selectOption("");
    await page.getByLabel("Order number", { exact: true }).fill("age-1");
    await shows("PAGE-1");
    await page.getByRole("combobox", { name: /^Range/ }).selectOption("Last hour");
    await shows("PAGE-1");
    expect(new URL(page.url()).search).toBe("?text=age-1&from=1h");
    await page.getByLabel("Order number", { exact: true }).fill("nothing");
    await page.getByRole("link", { name: "Search everything for “nothing”" }).waitFor();
  });

  test("the range can be today, a day, or from one minute to another, in UTC whatever the browser's zone", async () => {
    const page = await open("/orders", { timezoneId: "Asia/Tokyo" });
    const orders = page.locator("tbody .order-no");
    const none = page.getByText("No orders in this range.");
    await page.getByRole("combobox", { name: /^Range/ }).selectOption("Today");
    await orders.first().waitFor();
    await page.getByRole("combobox", { name: /^Range/ }).selectOption("A day …");
    await orders.first().waitFor();
    await page.getByLabel("Day, UTC", { exact: true }).fill("2026-01-05");
    await none.waitFor();
    expect(new URL(page.url()).searchParams.get("from")).toBe("2026-01-05T00:00:00.000Z");
    await page.getByRole("combobox", { name: /^Range/ }).selectOption("From … to …");
    await orders.first().waitFor();
    await page.getByLabel("From, UTC", { exact: true }).fill("2026-01-05T10:00");
    await page.getByLabel("To, UTC", { exact: true }).fill("2026-01-05T11:00");
    await none.waitFor();
    await page.reload();
    expect(await page.getByLabel("To, UTC", { exact: true }).inputValue()).toBe("2026-01-05T11:00");
    await page.getByRole("combobox", { name: /^Range/ }).selectOption("7 days");
    await orders.first().waitFor();
  });

  test("hostile order numbers are shown as text and have an address", async () => {
    const hostile = ["<img src=x onerror=alert(1)>", "\u202eevil<b>x</b>", "%2F/?#"];
    for (const orderNo of hostile) await create(orderNo);
    const page = await open("/orders");
    await page.getByText("<img src=x onerror=alert(1)>").waitFor();
    expect(await page.locator("main img, main b").count()).toBe(0);
    for (const orderNo of hostile) {
      const shown = orderNo.replace("\u202e", "U+202E");
      await page.getByRole("link", { name: shown, exact: true }).click();
      await page.getByRole("heading", { level: 1, name: shown, exact: true }).waitFor();
      await page.reload();
      await page.getByRole("heading", { name: "Created at the payment service" }).waitFor();
      await menu(page, "Orders").click();
    }
  });

  test("a callback that could not be understood is not shown as one that came again", async () => {
    const { body } = await create("PAGE-9");
    await operated.shop().fault("malformed-result", "PAGE-9");
    await operated.shop().act(body.paymentId, "pay");
    const page = await open("/orders/PAGE-9");
    const title = /^Callback accepted, not processed/;
    await page.getByRole("heading", { name: title }).first().waitFor();
    await page.getByText("or Paycast could not understand it").first().waitFor();
    expect(await page.getByText("The same callback again").count()).toBe(0);
  });

  test("an order that nobody knows says so", async () => {
    const page = await open("/orders/NOBODY");
    await page.getByText("Nothing is stored about this order.").waitFor();
    // It is an answer, and no failure to read.
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  test("the checkout leads to the order's page, for a browser that was let in", async () => {
    const { body } = await create("PAGE-6");
    await operated.shop().act(body.paymentId, "fail");
    const page = await (await newContext()).newPage();
    const { gateway } = operated.stack().description;
    const follow = async () => {
      await page.goto(`${gateway}/checkout/${body.paymentId}`);
      await page.getByRole("link", { name: "View the order in Paycast" }).click();
    };
    await follow();
    await page.getByText("Open the address that npm start printed").waitFor();
    await page.goto(consoleUrl());
    await follow();
    await page.getByRole("heading", { level: 1, name: "PAGE-6" }).waitFor();
    expect(page.url()).toBe(new URL("/orders/PAGE-6?merchant=shop-1", consoleUrl()).href);
  });

  test("two events of an order are compared field by field", async () => {
    const page = await open("/orders/PAGE-1");
    await page.getByText("Compare two events").click();
    const row = (field: RegExp) =>
      page.locator(".compared tr", { has: page.locator("code", { hasText: field }) });
    await row(/^data\.status$/).waitFor();
    const statuses = (await row(/^data\.status$/).innerText()).split(/\s+/);
    expect(statuses.toSorted()).toEqual(["confirming", "data.status", "success"]);
    expect(await row(/^specversion$/).count()).toBe(0);
    await page.getByLabel(/equal fields?$/).check();
    expect(await row(/^specversion$/).innerText()).toMatch(/1\.0\s+1\.0$/);
    await page.getByLabel("Left").selectOption({ index: 1 });
    await page.getByLabel(/equal fields?$/).uncheck();
    await page.getByText("The events are equal.").waitFor();
  });

  test("an event is replayed to one subscriber from its place in the timeline, after a preview", async () => {
    const page = await open("/orders/PAGE-1");
    const success = successIn(page);
    await success.getByText("Send this event again to …").click();
    await success.getByRole("button", { name: "analytics" }).click();
    const dialog = page.getByRole("dialog", { name: "Replay events" });
    expect(await dialog.innerText()).toMatch(/1 event would be sent[\s\S]*order\.success\s+1/);
    expect(await findViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Send 1 event" }).click();
    await page.getByText("1 of 1 event sent to analytics.").waitFor();
  });

  test("on the local stack the payment service refunds the order and sends a callback again", async () => {
    const page = await open("/orders/PAGE-1");
    await page.getByLabel(/^Refund in /).fill("2.5");
    await page.getByLabel(/^Refund number/).fill("MINE-1");
    await page.getByRole("button", { name: "Fail the refund" }).click();
    await page.getByText("Number MINE-1").waitFor({ timeout: 60_000 });
    await page.getByText("refund failed").first().waitFor();
    await page.getByLabel(/^Refund in /).fill("1000000");
    await page.getByRole("button", { name: "Refund", exact: true }).click();
    await page.getByRole("alert").getByText("can still be refunded").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Refund", exact: true }).click();
    const refund = page.locator(".step", { hasText: "Callback: payment.refund.success" });
    await refund.waitFor({ timeout: 60_000 });
    await refund.getByRole("button", { name: "Resend this callback" }).click();
    await page.getByRole("heading", { name: /^The same callback again/ }).waitFor();
    // Nothing is left to refund.
    await page.getByRole("button", { name: "Refund", exact: true }).waitFor({ state: "detached" });
  });

  test("on the local stack the consumer's choice is made on the order's page", async () => {
    const { body } = await create("PAGE-3");
    const page = await open("/orders/PAGE-3");
    const checkout = page.getByRole("link", { name: "Open the checkout" });
    expect(await checkout.getAttribute("href")).toContain(body.paymentId);
    await page.getByRole("link", { name: "Faults for this order" }).click();
    await page.click("[aria-label='lose: always']");
    await page.getByText("on for PAGE-3", { exact: true }).waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Fail", exact: true }).click();
    await page.getByText("payment.order.failed lost").waitFor({ timeout: 60_000 });
    await page.getByRole("button", { name: "Fail", exact: true }).waitFor({ state: "detached" });
  });

  test("on the local stack an order whose creation was not answered can be paid on its page", async () => {
    const lost = { operation: "create", when: "after", times: 1 };
    await operated.shop().fault("reset-connections", "LOST-1", lost);
    // Asked later, the service would tell of the payment.
    await operated.shop().fault("reset-connections", "LOST-1", { operation: "query" });
    expect((await create("LOST-1")).status).toBe(504);
    const page = await open("/orders/LOST-1");
    await page.getByText("it is unknown whether the order exists").waitFor();
    await page.getByRole("link", { name: "Open the checkout" }).waitFor();
    await page.getByRole("button", { name: "Pay", exact: true }).click();
    await successIn(page).waitFor({ timeout: 60_000 });
  });

  test("an order that a subscriber has not got says at its top who, since when and why", async () => {
    const console = await openConsole(consoleUrl());
    const breaks = (isBroken: boolean) =>
      console.send("/api/lab/queues", { subscriber: "fulfilment", isBroken });
    await breaks(true);
    const { body } = await create("PAGE-4");
    await operated.shop().act(body.paymentId, "pay");
    const page = await open("/orders/PAGE-4");
    const notice = page.getByRole("region", { name: "What is wrong" });
    expect(await notice.innerText()).toMatch(
      /^fulfilment has not received payment\.order\.success: waiting since .*, because QueueDoesNotExist\./,
    );
    expect(await findViolations(page)).toEqual([]);
    expect(await notice.innerText()).toContain("Paycast retries it automatically.");
    expect(await notice.getByRole("link").count()).toBe(0);
    // After five minutes Paycast gives up.
    const { text } = await console.ask("/api/orders/PAGE-4");
    const given = text.replaceAll('"state":"waiting"', '"state":"given-up"');
    await page.route(/api\/orders\/PAGE-4/, (route) => route.fulfill({ body: given }));
    await page.reload();
    const redrive = notice.getByRole("link", { name: "Redrive" });
    expect(await redrive.getAttribute("href")).toBe("/attention?order=PAGE-4");
    expect(await notice.innerText()).not.toContain("retries it automatically");
    await page.unroute(/api\/orders\/PAGE-4/);
    await page.reload();
    await breaks(false);
    await notice.waitFor({ state: "detached", timeout: 60_000 });
  });

  test("an order that the service refused is one step, with the service's words", async () => {
    await operated.shop().fault("refuse-creates", "PAGE-5", { code: 50007, msg: "no more today" });
    expect((await create("PAGE-5")).status).toBe(502);
    const page = await open("/orders/PAGE-5");
    const step = page.locator(".step");
    await step.first().waitFor();
    expect(await step.allInnerTexts()).toEqual([
      expect.stringMatching(/The payment service rejected the order\s+50007 no more today$/),
    ]);
  });
});
