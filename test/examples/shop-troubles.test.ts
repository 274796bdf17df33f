import { describe, expect, test } from "vitest";
import { hasBrowser } from "../setup/browser.ts";
import { useShop } from "./running-shop.ts";

const slow = 90_000;

describe.runIf(hasBrowser("the demo shop on a bad day"))("on a bad day", { timeout: slow }, () => {
  const shop = useShop();
  const { visit, orderTea, payAgain, untilHeading, heading, linesOf } = shop;
  const service = () => shop.stack.shop();

  test("if the API is down, the customer reads a plain sentence, loses nothing, and pays later", async () => {
    const page = await visit();
    shop.cutTheLine();
    const orderNo = await orderTea(page);
    expect(await heading(page)).toBe("We could not start your payment");
    const shown = await page.locator("body").innerText();
    expect(shown).toContain("2 × Sencha");
    expect(shown).not.toMatch(/fetch|socket|ECONN|POST|127\.0\.0\.1/);
    expect(linesOf(orderNo)[0]).toMatch(
      new RegExp(`^${orderNo} could not be created. fetch failed: `),
    );
    await page.getByRole("link", { name: "Back to the shelf" }).click();
    expect(await page.locator("#pay").innerText()).toBe("Pay $12.80");
    shop.joinTheLine();
    await page.click("#pay");
    await page.waitForURL(/\/checkout\//);
    expect(await page.locator("body").innerText()).toContain(`Order ${orderNo}\n`);
    await page.goto(shop.address());
    await page.getByText("Nothing in it yet.").waitFor();
  });

  test("if the API is down when the customer comes back, the page says that it does not know, and asks again", async () => {
    const page = await visit();
    const orderNo = await orderTea(page);
    await service().act(await paymentIdOf(orderNo), "pay");
    await shop.untilTold(`pack 2 × Sencha for ${orderNo}`);
    const unpaid = await visit();
    const open = await orderTea(unpaid);
    shop.cutTheLine();
    await unpaid.goto(`${shop.address()}/orders/${open}`);
    expect(await heading(unpaid)).toBe("We could not ask right now");
    await page.goto(`${shop.address()}/orders/${orderNo}`);
    expect(await heading(page)).toBe("Paid and packed");
    shop.joinTheLine();
    await untilHeading(unpaid, "Not paid yet");
  });

  test("an order that the service refuses can be tried again under its number", async () => {
    const page = await visit();
    await service().control("POST", "/faults", { kind: "refuse-creates", times: 1 });
    const orderNo = await orderTea(page);
    expect(await heading(page)).toBe("We could not start your payment");
    expect(linesOf(orderNo)[0]).toContain(
      "POST /orders answered 502: urn:paycast:problem:service-refused",
    );
    expect(linesOf(orderNo)[0]).toContain("The payment service said: ");
    await untilNotRemembered(async () => {
      // The address of a refusal is the one before, so it does not tell that the answer has come.
      const answered = page.waitForEvent("load");
      await page.getByRole("button", { name: "Try again" }).click();
      await answered;
      return page.url().includes("/checkout/");
    });
    expect(await page.locator("body").innerText()).toContain(`Order ${orderNo}\n`);
  });

  test("if the answer to a create is lost, trying again makes no second order number", async () => {
    const page = await visit();
    const lost = { kind: "reset-connections", operation: "create", when: "after", times: 1 };
    await service().control("POST", "/faults", lost);
    const orderNo = await orderTea(page);
    expect(await heading(page)).toBe("We could not start your payment");
    expect(linesOf(orderNo)[0]).toContain("urn:paycast:problem:outcome-unknown");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.waitForURL(/\/checkout\//);
    expect(await page.locator("body").innerText()).toContain(`Order ${orderNo}\n`);
    await page.click("#pay");
    await untilHeading(page, "Paid and packed");
  });

  test("if the payment service cannot be asked, the page shows what is known and says so", async () => {
    const page = await visit();
    const orderNo = await orderTea(page);
    const silent = { kind: "reset-connections", operation: "query", orderNo };
    const { id } = await service().control("POST", "/faults", silent);
    await page.goto(`${shop.address()}/orders/${orderNo}`);
    expect(await heading(page)).toBe("Not paid yet");
    expect(await page.locator(".notice").innerText()).toContain("We could not ask right now.");
    await service().control("DELETE", `/faults/${id}`);
    await page.locator(".notice").waitFor({ state: "detached", timeout: 60_000 });
  });

  test("a payment of another amount is not packed", async () => {
    const page = await visit();
    const orderNo = await orderTea(page);
    await service().fault("wrong-amount", orderNo);
    await page.click("#pay");
    await shop.untilTold(`do not pack ${orderNo}: the amount paid is not`);
    await untilHeading(page, "Paid. Thank you!");
    expect(await page.locator(".notice").innerText()).toContain("We are checking your payment");
    expect(linesOf(orderNo).some((line) => line.startsWith("pack "))).toBe(false);
  });

  test("an order that is paid twice is packed once, and both sides hear of it", async () => {
    const page = await visit();
    const orderNo = await orderTea(page);
    await service().fault("duplicate-payment", orderNo);
    await page.click("#pay");
    await shop.untilTold(`do not pack ${orderNo} again: it was paid twice. Refund one payment.`);
    expect(linesOf(orderNo).filter((line) => line.startsWith("pack "))).toHaveLength(1);
    await untilHeading(page, "Paid and packed");
    expect(await page.locator(".notice").innerText()).toContain("You have paid twice.");
  });

  test("if a failed payment succeeds after all, the second try is not packed again", async () => {
    const page = await visit();
    const orderNo = await orderTea(page);
    const paymentId = await paymentIdOf(orderNo);
    await page.click("#fail");
    await untilHeading(page, "The payment failed");
    await payAgain(page, orderNo, "failed");
    await service().act(paymentId, "pay", { force: true });
    await shop.untilTold(`pack 2 × Sencha for ${orderNo}\n`);
    await page.click("#pay");
    await shop.untilTold(`do not pack ${orderNo}-2 again: it was paid twice. Refund one payment.`);
    await untilHeading(page, "Paid and packed");
    expect(page.url()).toBe(`${shop.address()}/orders/${orderNo}`);
  });

  test("an order that another shop made is left alone", async () => {
    await shop.stack.paidOrder("OTHER-1");
    await shop.untilTold("OTHER-1 is not an order of this shop. Nothing to pack.");
  });

  async function paymentIdOf(orderNo: string): Promise<string> {
    return (await service().get(orderNo)).order.paymentId;
  }

  /** Paycast repeats a refusal for some seconds without asking the service again. */
  async function untilNotRemembered(isOver: () => Promise<boolean>) {
    for (let tries = 0; tries < 20; tries += 1) {
      if (await isOver()) return;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    throw new Error("The refusal never ended.");
  }
});
