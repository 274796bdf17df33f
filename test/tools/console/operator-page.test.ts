import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { words } from "../../../shared/glossary.ts";
import { makeMerchant } from "../../builders/merchant.ts";
import { hasBrowser } from "../../setup/browser.ts";
import { attentionSetup } from "../operations/attention/attention-setup.ts";
import { callback } from "../operations/attention/put-aside.ts";
import { useSubscriberSetup } from "../operations/dead-letters/subscriber-setup.ts";
import { keySetup } from "../operations/keys/key-setup.ts";
import { useOperatedStack } from "../operations/operated-stack.ts";
import { useBrowser } from "./browser-pages.ts";
import { findFlawsInLooks, findViolations } from "./find-violations.ts";
import { unexplainedWords } from "./unexplained-words.ts";

const isPossible = hasBrowser("quarantine, subscribers and keys in the console");

describe.runIf(isPossible)("the console's page", () => {
  const operated = useOperatedStack();
  const quarantine = attentionSetup(operated);
  const letters = useSubscriberSetup(operated);
  const { open } = useBrowser(() => operated.stack().description.console);
  let page: Page;
  const goTo = async (...place: Parameters<typeof open>) => {
    page = await open(...place);
  };
  const button = (name: string | RegExp) => page.getByRole("button", { name });

  test("quarantined callbacks are found, chosen, previewed and redriven, and a window that is opened later does not tell the outcome again", async () => {
    const asides = [callback({ orderNo: "PAGE-1" }), callback({ orderNo: "PAGE-2" })];
    for (const aside of asides) await quarantine.record(aside);
    await goTo("/attention");
    await page.getByLabel("Search", { exact: true }).fill("page-1");
    expect(await page.getByRole("link", { name: "PAGE-2" }).count()).toBe(0);
    // What the search hides is not changed.
    await button("Dismiss 1 …").waitFor();
    await page.reload();
    await page.getByLabel("Select order PAGE-1").check();
    expect(await page.getByLabel("Search", { exact: true }).inputValue()).toBe("page-1");
    await button("Redrive 1 …").click();
    const dialog = page.getByRole("dialog", { name: "Redrive" });
    expect(await dialog.innerText()).toContain("1 message would be sent to the inbox again");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    const focused = () => page.evaluate("document.activeElement.textContent");
    await expect.poll(focused).toBe("Redrive 1 …");
    await button("Redrive 1 …").press("Enter");
    await dialog.getByRole("button", { name: "Redrive 1" }).press("Enter");
    const outcome = "1 message sent to the inbox: 1 done.";
    await page.getByText(outcome).waitFor();
    await page.getByText("Nothing matches.").waitFor();
    await page.getByLabel("Search", { exact: true }).fill("");
    await page.getByRole("link", { name: "PAGE-2" }).waitFor();
    const otherTab = await open();
    await otherTab.waitForResponse(/\/api\/jobs$/);
    await otherTab.locator(".pipeline").waitFor();
    expect(await otherTab.getByText(outcome).count()).toBe(0);
  });

  test("times are in UTC, and on hover also in the browser's zone, which is named once", async () => {
    await quarantine.record(callback({ orderNo: "ZONE-1" }));
    await goTo("/attention", { timezoneId: "Asia/Tokyo" });
    await page.getByRole("link", { name: "ZONE-1" }).waitFor();
    expect(await page.getByText("Asia/Tokyo").count()).toBe(1);
    const times = await page.locator("main time").evaluateAll((all) =>
      all.map((time) => ({
        at: time.getAttribute("datetime"),
        title: time.getAttribute("title"),
      })),
    );
    expect(times.length).toBeGreaterThan(0);
    for (const { at, title } of times) {
      const exact = new Date(at ?? "").toISOString().slice(0, 19).replace("T", " ");
      expect(title).toContain(`${exact} UTC`);
      const timeZone = { timeZone: "Asia/Tokyo" };
      expect(title).toContain(new Date(at ?? "").toLocaleTimeString("en-GB", timeZone));
    }
  });

  test("what a removed subscriber misses is found by its name and dismissed, and the rest stays", async () => {
    await quarantine.missed(callback({ orderNo: "GONE-1" }), ["old-team"]);
    await quarantine.missed(callback({ orderNo: "STAYS-1" }), ["analytics"]);
    await goTo("/attention");
    await page.getByRole("combobox", { name: "Subscriber" }).selectOption("old-team (removed)");
    await page.getByRole("link", { name: "STAYS-1" }).waitFor({ state: "detached" });
    await button("Dismiss all …").click();
    const dialog = page.getByRole("dialog", { name: "Dismiss" });
    await dialog.getByText("These subscribers will never receive the event: old-team.").waitFor();
    await dialog.getByRole("button", { name: "Dismiss 1" }).click();
    await page.getByText("1 record dismissed.").waitFor();
    await page.getByText("Nothing matches.").waitFor();
    await page.getByRole("combobox", { name: "Kind" }).selectOption("not delivered");
    await page.getByRole("combobox", { name: "Subscriber" }).selectOption("Every subscriber");
    await page.getByRole("link", { name: "STAYS-1" }).waitFor();
  });

  test("what the service sent is shown as text, whatever it holds", async () => {
    const orderNo = "<img src=x onerror=\"document.title='hacked'\">\n\u202e..";
    const text = '{"x":"</pre><script>document.title=1</script>","n":1.10000000000000000001}';
    const aside = callback({ orderNo, text });
    await quarantine.record(callback({ orderNo }));
    await quarantine.record(aside);
    await goTo("/attention");
    const shown = page.getByRole("link", { name: "<img src=x" });
    expect(await shown.first().innerText()).toContain("onerror");
    expect(await page.locator("main img").count()).toBe(0);
    await page.getByLabel("Search", { exact: true }).fill(aside.callbackId);
    await page.getByRole("link", { name: "The result cannot be read" }).click();
    await page.getByRole("heading", { name: "Payload" }).waitFor();
    expect(await page.locator("pre").innerText()).toContain("1.10000000000000000001");
    expect(await page.title()).not.toContain("hacked");
    const address = page.url();
    await page.reload();
    await page.getByRole("heading", { name: "Payload" }).waitFor();
    expect(page.url()).toBe(address);
  });

  test("a subscriber's dead letters are shown with their event and redriven, and its numbers are live", async () => {
    await goTo("/subscribers");
    await page.getByRole("link", { name: "fulfilment" }).click();
    await page.getByText("No dead letters of fulfilment.").waitFor();
    await letters.bury("DEAD-<b>1</b>");
    await page.getByText("1 dead letter. Reading receives each message").waitFor();
    await button("Show the dead letters").click();
    await page.getByRole("link", { name: "payment.order.success" }).click();
    expect(await page.locator("pre").innerText()).toContain('"subject": "DEAD-<b>1</b>"');
    await page.goBack();
    await page.getByLabel("Select all").check();
    await button("Redrive 1 …").click();
    await page.getByRole("dialog").getByRole("button", { name: "Redrive 1" }).click();
    await page.getByText("1 message sent to the queue of fulfilment again.").waitFor();
    await page.getByText("No dead letters of fulfilment.").waitFor();
    expect(await letters.received()).toHaveLength(1);
  });

  test("a subscriber's page has the charts of its queue, and shows an event as it comes", async () => {
    await goTo("/subscribers/analytics");
    await page.getByRole("slider", { name: "Age of the oldest event" }).waitFor();
    expect(await page.getByRole("row").filter({ hasText: "LIVE-ROW" }).count()).toBe(0);
    await operated.paidOrder("LIVE-ROW");
    const row = page.getByRole("row").filter({ hasText: "LIVE-ROW" }).first();
    await row.getByText("in the queue").waitFor();
  });

  test("events are replayed to one subscriber after a preview that says what is left out", async () => {
    const orderNo = "AGAIN / ü ..";
    await operated.paidOrder(orderNo);
    await letters.received();
    await goTo("/subscribers/fulfilment");
    await page.getByLabel("Order", { exact: true }).fill(orderNo);
    await button("Replay …").click();
    const dialog = page.getByRole("dialog", { name: "Replay events" });
    expect(await dialog.innerText()).toContain("1 event would be sent to fulfilment.");
    await button("Send 1 event").click();
    await page.getByText("1 of 1 event sent to fulfilment.").waitFor();
    expect(await letters.received()).toHaveLength(1);
    await page.getByLabel("Order", { exact: true }).fill("");
    await button("Replay …").click();
    expect(await page.getByRole("alert").innerText()).toContain(
      "No preview is available. The request must say which events",
    );
  });

  test("a form made from the description says what each field means, and what few people need comes on demand", async () => {
    await goTo("/subscribers/fulfilment");
    const since = page.getByLabel("Since", { exact: true });
    expect(await since.getAttribute("aria-describedby")).not.toBeNull();
    await since.selectOption("another time, UTC …");
    await page.getByLabel("Since, in UTC").fill("2026-01-05T10:00");
    await page.getByLabel("Until", { exact: true }).selectOption("a week ago");
    expect(await page.getByLabel("Event", { exact: true }).count()).toBe(0);
    await page.getByText("More options").press("Enter");
    await page.getByLabel("Type", { exact: true }).fill("payment.order.success payment.refund.*");
    await page.getByLabel("Without refunds", { exact: true }).check();
    expect(await findFlawsInLooks(page)).toEqual([]);
    const asked = page.waitForRequest(/replay\/preview$/);
    await button("Replay …").click();
    expect((await asked).postDataJSON()).toEqual({
      to: "fulfilment",
      since: new Date("2026-01-05T10:00").toISOString(),
      until: "7d",
      type: ["payment.order.success", "payment.refund.*"],
      withoutRefunds: true,
    });
  });

  test("keys are reported with the command that changes them, ready to be copied", async () => {
    await goTo("/keys");
    await page.getByRole("heading", { name: "shop-1" }).waitFor();
    await page.getByRole("button", { name: /^Copy command: Rotate to new keys/ }).click();
    await page.getByRole("status").filter({ hasText: "Copied" }).waitFor();
    const copied = await page.evaluate("navigator.clipboard.readText()");
    expect(copied).toMatch(/^npx paycast keys set shop-1 --callback-keys /);
  });

  test("wrong keys go back to the previous ones after a preview, without files", async () => {
    const { put, stagesOf } = keySetup(operated);
    const { requestKeys = "" } = operated.target().stack.merchants[0] ?? {};
    const { AWSCURRENT: right } = await stagesOf(requestKeys);
    const { body } = await operated.shop().create("PAGE-PROOF");
    await put(requestKeys, makeMerchant().requestSecret());
    await goTo("/keys");
    await button("Refresh").click();
    await page.getByText("not proven: the service responded to a query about payment").waitFor();
    await button("Restore the previous request keys").click();
    const dialog = page.getByRole("dialog", { name: "Go back to earlier keys" });
    await dialog
      .getByText(`are proven: the service responded to a query about payment ${body.paymentId}`)
      .waitFor();
    expect(await findViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Go back" }).click();
    await page.getByText("The request keys are changed.").waitFor();
    expect(await stagesOf(requestKeys)).toEqual({ AWSCURRENT: right });
  });

  test("a word of ours has a ? beside it, which the keyboard opens and Escape closes, on a narrow screen, too", async () => {
    await goTo("/attention", { viewport: { width: 390, height: 780 } });
    await button("What does “dismissed” mean?").press("Enter");
    const text = page.getByText(`dismissed: ${words.dismissed}.`);
    const { x = -1, width = 0 } = (await text.boundingBox()) ?? {};
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(390);
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await text.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.ariaLabel")).toContain("dismissed");
  });

  test("every page explains the words of ours on it, is right for a screen reader, and fits its window", async () => {
    for (const orderNo of ["WORDS-1", "W".repeat(64)])
      await quarantine.record(callback({ orderNo }));
    await operated.shop().fault("out-of-order", "WORDS-2");
    await operated.shop().fault("wrong-key", "WORDS-3", { attempts: 1 });
    for (const orderNo of ["WORDS-2", "WORDS-3"]) await operated.paidOrder(orderNo);
    const id = await letters.bury("Ü".repeat(64));
    const { items } = await operated.paycastJson("attention", "list");
    const paths = [
      "/",
      "/orders",
      "/orders?from=2026-01-05T10:00:00Z",
      "/nowhere",
      "/tour",
      "/orders/WORDS-1",
      "/orders/WORDS-2",
      "/orders/WORDS-3",
      "/find?text=WORDS-",
      "/find?text=NOTHING-OF-IT",
      "/keys",
      "/lab",
      "/requests",
      "/attention",
      `/attention/${items[0].id}`,
      "/attention/nothing",
      "/subscribers",
      "/subscribers/fulfilment",
      `/subscribers/fulfilment/${id}`,
      "/subscribers/inbox",
      "/subscribers/no",
    ];
    await goTo("/");
    const wrong: string[] = [];
    for (const path of paths) {
      await page.goto(new URL(path, page.url()).href);
      await page.locator("h1").waitFor();
      await page.locator(".loading").first().waitFor({ state: "detached" });
      const unexplained = await unexplainedWords(page);
      for (const summary of await page.locator("main summary").all()) await summary.click();
      const found = [...unexplained, ...(await findFlawsInLooks(page))];
      wrong.push(...found.map((flaw) => `${path}: ${flaw}`));
    }
    expect(wrong).toEqual([]);
  });
});
