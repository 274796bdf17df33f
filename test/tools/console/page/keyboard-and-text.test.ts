import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { hasBrowser } from "../../../setup/browser.ts";
import { useOperatedStack } from "../../operations/operated-stack.ts";
import { useBrowser } from "../browser-pages.ts";
import { findViolations } from "../find-violations.ts";

const isPossible = hasBrowser("the console with the keyboard, and what it says");

describe.runIf(isPossible)("a user of the console", () => {
  // In real time: on a fast clock the orders of a list would expire and move while it is used.
  const operated = useOperatedStack({}, 1);
  const { open } = useBrowser(() => operated.stack().description.console);
  let page: Page;
  const at = (path: string) => new URL(path, operated.stack().description.console).href;
  const focused = () =>
    page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.id");
  beforeEach(async () => {
    page = await open("/", { viewport: { width: 1280, height: 400 } });
  });

  test("is led to the tour and to a first order while nothing has happened", async () => {
    const invitation = page.getByRole("status").filter({ hasText: "No activity yet." });
    await invitation.waitFor();
    expect(await findViolations(page)).toEqual([]);
    await invitation.getByRole("link", { name: "create an order" }).click();
    await page.getByRole("heading", { name: "Create an order" }).waitFor();
    await page.goBack();
    await invitation.getByRole("link", { name: "Take the tour" }).click();
    await page.getByRole("heading", { level: 1, name: "Tour" }).waitFor();
  });

  test("goes on at the content after a link, and finds a list at its old place after going back", async () => {
    for (let number = 1; number <= 6; number += 1) await operated.shop().create(`K-${number}`);
    await page.goto(at("/orders"));
    const last = page.getByRole("link", { name: "K-1", exact: true });
    await last.focus();
    const place = await page.evaluate("scrollY");
    expect(place).toBeGreaterThan(100);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "K-1" }).waitFor();
    await expect.poll(focused).toBe("main");
    await page.goBack();
    await last.waitFor();
    await expect.poll(() => page.evaluate("scrollY")).toBe(place);
    await expect.poll(focused).toBe("main");
  });

  test("sees with ? what the keys do, but not while something is typed", async () => {
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    const box = page.getByRole("combobox");
    await box.waitFor();
    await page.keyboard.press("/");
    await expect.poll(() => box.evaluate((input) => input.matches(":focus"))).toBe(true);
    await page.keyboard.type("what?");
    expect(await box.inputValue()).toBe("what?");
    expect(await help.count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await help.getByText("Show these shortcuts.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await expect.poll(() => box.evaluate((input) => input.matches(":focus"))).toBe(true);
  });

  test("keeps the focus on a button that works, and can press it again", async () => {
    await page.goto(at("/lab"));
    const name = "DynamoDB rejects every call";
    const dynamodb = (checked: boolean) =>
      page.getByRole("switch", { name, checked, disabled: false });
    await dynamodb(false).focus();
    await page.keyboard.press("Enter");
    // A press while it rests does nothing.
    await dynamodb(true).waitFor();
    expect(await focused()).toBe(name);
    await page.keyboard.press("Enter");
    await dynamodb(false).waitFor();
  });

  test("learns what the payment service answered when it refuses an order, and what was typed stays", async () => {
    const msg = "no \u202eway";
    await operated.shop().fault("refuse-creates", "K-REFUSED", { code: 40_001, msg });
    await page.goto(at("/lab"));
    await page.getByLabel("Order number (optional)").fill("K-REFUSED");
    await page.getByRole("button", { name: "Create and open checkout" }).click();
    await page.getByText("the payment service returned 40001: no").waitFor();
    const field = page.getByLabel("Order number (optional)");
    expect(await field.inputValue()).toBe("K-REFUSED");
    await page.goto(at("/orders/K-REFUSED"));
    const step = page.locator(".step", { hasText: "The payment service rejected the order" });
    expect(await step.innerText()).toContain("no \ufffdway");
  });

  test("sees on the flow which alarm rings since an order was paid twice, and what to begin with", async () => {
    await page.goto(at("/"));
    await page.getByText("No active alarms.").waitFor();
    await operated.shop().fault("duplicate-payment", "K-TWICE");
    await operated.paidOrder("K-TWICE");
    await operated.shop().step(180);
    await page.goto(at("/"));
    const alarms = page.getByRole("list", { name: "Active alarms" });
    const needed = alarms.getByRole("listitem").filter({ hasText: "attention-needed" });
    expect(await needed.innerText()).toMatch(
      /^attention-needed\s+morning\s+since .*The attention list is not empty.* docs\/runbook\.md#attention-needed\s+npx paycast attention list/s,
    );
    await needed.getByRole("button", { name: "Copy first command" }).waitFor();
    expect(await page.getByText("No active alarms.").count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
  });

  test("is reported if the browser does not let the page copy", async () => {
    await page.goto(at("/orders/K-1"));
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('no'))");
    await page.getByRole("button", { name: "Copy order number" }).click();
    await page.getByRole("status").filter({ hasText: "Not copied" }).waitFor();
  });

  test("is reported if longer work could not be stopped", async () => {
    const job = { id: "1", title: "Replay", state: "running", progress: "1 of 9" };
    await page.route("**/api/jobs", (route) => route.fulfill({ json: { jobs: [job] } }));
    await page.route("**/api/jobs/1/stop", (route) => route.abort());
    await page.goto(at("/keys"));
    await page.getByRole("button", { name: "Stop" }).click();
    const tray = page.getByRole("complementary", { name: "Jobs" });
    await tray.getByRole("alert").getByText("The console does not respond.").waitFor();
  });

  test.each(["/find", "/nowhere"])("finds a heading at %s", async (path) => {
    await page.goto(at(path));
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await findViolations(page)).toEqual([]);
  });
});
