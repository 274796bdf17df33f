import { randomUUID } from "node:crypto";
import { GetQueueAttributesCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { testEvent } from "../../shared/consumer/test-events.ts";
import { until } from "../end-to-end/running-stack.ts";
import { hasBrowser } from "../setup/browser.ts";
import { askShop, postForm as post, useShop } from "./running-shop.ts";

describe.runIf(hasBrowser("the demo shop in a browser"))("the demo shop", () => {
  const shop = useShop();
  const { visit, orderTea, newOrder, payAgain, untilHeading, heading, linesOf } = shop;
  const service = () => shop.stack.shop();
  /** Opens the order's page. */
  const show = (page: Page, orderNo: string) => page.goto(`${shop.address()}/orders/${orderNo}`);
  const ask = (headers: Record<string, string>) => askShop(shop.address(), { headers });
  const postForm = (path: string, fields: object, headers: Record<string, string> = {}) =>
    post(shop.address(), path, { ...fields }, headers);

  test("tea is bought from the shelf to paid and packed, and a repeated event packs nothing", async () => {
    const page = await visit();
    const orderNo = await orderTea(page);
    await page.click("#pay");
    await untilHeading(page, "Paid and packed");
    expect(new URL(page.url()).href).toBe(`${shop.address()}/orders/${orderNo}`);
    await shop.stack.paycast("replay", "--to", "fulfilment", "--order", orderNo, "--yes");
    await untilQueueIsEmpty();
    await page.reload();
    expect(await heading(page)).toBe("Paid and packed");
    expect(linesOf(orderNo)).toEqual([`${orderNo} created: Sencha`, `pack Sencha for ${orderNo}`]);
  });

  test("the tea is packed also if the customer never comes back", async () => {
    await payFor((await newOrder()).orderNo);
  });

  test("after a failed payment the customer tries again under a new number, and it is packed once", async () => {
    const { page, orderNo, paymentId } = await newOrder();
    await service().act(paymentId, "fail");
    await show(page, orderNo);
    await untilHeading(page, "The payment failed");
    await page.getByRole("button", { name: "Try again" }).waitFor();
    await payAgain(page, orderNo, "failed");
    const clickedAgain = await postForm("/orders", { orderNo: `${orderNo}-2`, tea: "sencha" });
    expect(clickedAgain.location).toBe(page.url());
    expect(await page.locator("body").innerText()).toContain(`${orderNo}-2`);
    await payFor(`${orderNo}-2`);
    expect(shop.output()).not.toContain(`${orderNo}-3`);
    expect(linesOf(orderNo)).toEqual([`${orderNo} created: Sencha`]);
    await show(page, `${orderNo}-2`);
    expect(await heading(page)).toBe("Paid and packed");
  });

  test("a double click on Pay, and a form that is sent twice at once or later again, make one order", async () => {
    const page = await visit();
    const button = page.getByRole("button", { name: "Buy Masala chai" });
    const orderNo = await page.locator("form:has([value=chai]) [name=orderNo]").inputValue();
    const send = async () => await postForm("/orders", { orderNo, tea: "chai" });
    const delay = { kind: "slow-answer", operation: "create", seconds: 1, times: 1 };
    await service().control("POST", "/faults", delay);
    // While the create waits, so that no click falls on the next page.
    const sending = Promise.all([send(), send(), send()]);
    await button.dblclick();
    // The second click ends the navigation of the first, which `waitForURL` takes for an error.
    await expect.poll(() => page.url(), { timeout: 30_000 }).toMatch(/\/checkout\//);
    const answers = await sending;
    expect(answers.map(({ location }) => location)).toEqual(answers.map(() => page.url()));
    expect((await send()).location).toBe(page.url());
    const made = (await ordersAtService()).filter((made) => made.orderNo.startsWith(orderNo));
    expect(made).toHaveLength(1);
  });

  test("a return address that says success shows what Paycast says, and packs nothing", async () => {
    const { page, orderNo } = await newOrder();
    await page.goto(`${shop.address()}/orders/${orderNo}?status=success&paid=true`);
    expect(await heading(page)).toBe("Not paid yet");
    await page.reload();
    expect(await heading(page)).toBe("Not paid yet");
    expect(linesOf(orderNo)).toEqual([`${orderNo} created: Sencha`]);
    await page.getByRole("link", { name: "Go to the checkout" }).click();
    await page.waitForURL(/\/checkout\//);
  });

  test("while the bank confirms, the page says so, and then changes by itself", async () => {
    const { page, orderNo, paymentId } = await newOrder();
    const setClock = (speed: number) => service().control("POST", "/clock", { speed });
    onTestFinished(() => setClock(20));
    await setClock(0);
    await service().act(paymentId, "pay");
    await show(page, orderNo);
    await untilHeading(page, "Waiting for your bank");
    await setClock(20);
    await untilHeading(page, "Paid and packed");
    expect(await page.locator("[aria-live=polite]").innerText()).toContain(
      "Your tea is on its way",
    );
  });

  test("an order that expired can be ordered again, under a new number", async () => {
    const { page, orderNo, paymentId } = await newOrder();
    await service().act(paymentId, "expire");
    await show(page, orderNo);
    await untilHeading(page, "The time to pay is over");
    await page.getByRole("button", { name: "Order again" }).waitFor();
    await payAgain(page, orderNo, "timeout");
    expect(await page.locator("body").innerText()).toContain(`${orderNo}-2`);
  });

  test("a refund is shown to the customer and reported in the terminal", async () => {
    const { page, orderNo, paymentId } = await newOrder();
    await payFor(orderNo);
    await service().act(paymentId, "refund", { amount: "6.40" });
    await shop.untilShown(`${orderNo} was refunded: 6.40 USD`);
    await show(page, orderNo);
    await page.getByText("$6.40 refunded.", { exact: true }).waitFor();
  });

  test("a page that looks again and finds nothing new is left as it is", async () => {
    const { page, orderNo } = await newOrder();
    await show(page, orderNo);
    await page.getByRole("link", { name: "Back to the shelf" }).focus();
    for (let round = 0; round < 2; round += 1) {
      await page.waitForResponse((answer) => answer.url().endsWith(orderNo));
    }
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Back to the shelf");
  });

  test("everything works without scripts", async () => {
    const page = await visit("/", { javaScriptEnabled: false });
    await orderTea(page);
    await page.click("#pay");
    await untilHeading(page, "Paid and packed");
  });

  test("axe finds no fault in the pages, and nothing is cut off: light and wide, dark and narrow", async () => {
    const page = await visit();
    const expectSound = async () => {
      for (const [colorScheme, width] of [["light", 1440] as const, ["dark", 360] as const]) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await page.setViewportSize({ width, height: 800 });
        expect(await axeFaults(page)).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      }
    };
    await expectSound();
    const orderNo = await orderTea(page);
    await show(page, orderNo);
    await expectSound();
    await service().act(await paymentIdOf(orderNo), "fail");
    await show(page, orderNo);
    await untilHeading(page, "The payment failed");
    await expectSound();
    await payAgain(page, orderNo, "failed");
    await payFor(`${orderNo}-2`);
    await show(page, `${orderNo}-2`);
    await expectSound();
  });

  test("another site, and another name for this machine, change and read nothing", async () => {
    const { host } = new URL(shop.address());
    for (const other of ["https://evil.example", "null"]) {
      expect(await postForm("/orders", {}, { origin: other })).toMatchObject({ status: 403 });
    }
    expect(await ask({ host: "evil.example" })).toMatchObject({ status: 403 });
    const { status, policy } = await ask({ host });
    expect(status).toBe(200);
    expect(policy).toContain("default-src 'none'; script-src 'sha256-");
  });

  test("if the API is down, the customer reads a plain sentence, loses nothing, and pays later", async () => {
    const page = await visit();
    shop.cutTheLine();
    const orderNo = await orderTea(page);
    expect(await heading(page)).toBe("We could not ask right now");
    const shown = await page.locator("body").innerText();
    expect(shown).toContain("Sencha");
    expect(shown).not.toMatch(/fetch|socket|ECONN|POST|127\.0\.0\.1/);
    expect(linesOf(orderNo)[0]).toMatch(
      new RegExp(`^${orderNo} could not be created. fetch failed: `),
    );
    shop.joinTheLine();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.waitForURL(/\/checkout\//);
    expect(await page.locator("body").innerText()).toContain(`Order ${orderNo}\n`);
  });

  test("if the API is down when the customer comes back, the page says that it does not know, and asks again", async () => {
    const { page, orderNo } = await newOrder();
    await payFor(orderNo);
    const { page: unpaid, orderNo: open } = await newOrder();
    shop.cutTheLine();
    await show(unpaid, open);
    expect(await heading(unpaid)).toBe("We could not ask right now");
    await show(page, orderNo);
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
      'POST /orders returned 502: {"type":"urn:paycast:problem:service-refused"',
    );
    expect(linesOf(orderNo)[0]).toContain('"service":{');
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
    await payFor(orderNo);
  });

  test("if the payment service cannot be asked, the page shows what is known and says so", async () => {
    const { page, orderNo } = await newOrder();
    const silent = { kind: "reset-connections", operation: "query", orderNo };
    const { id } = await service().control("POST", "/faults", silent);
    await show(page, orderNo);
    expect(await heading(page)).toBe("Not paid yet");
    expect(await page.locator(".notice").innerText()).toContain("We could not ask right now.");
    await service().control("DELETE", `/faults/${id}`);
    await page.locator(".notice").waitFor({ state: "detached", timeout: 60_000 });
  });

  test("while an end may change, there is no button for another attempt", async () => {
    const { page, orderNo, paymentId } = await newOrder();
    const silent = { kind: "reset-connections", operation: "query", orderNo };
    const { id } = await service().control("POST", "/faults", silent);
    await service().act(paymentId, "fail");
    await shop.stack.untilStored(orderNo, "failed");
    await show(page, orderNo);
    expect(await heading(page)).toBe("The payment failed");
    expect(await page.locator(".notice").innerText()).toContain("We keep asking.");
    expect(await page.getByRole("button").count()).toBe(0);
    await service().control("DELETE", `/faults/${id}`);
    const button = page.getByRole("button", { name: "Try again" });
    await button.waitFor({ timeout: 60_000 });
    expect(await page.locator(".notice").count()).toBe(0);
  });

  test("a payment of another amount is not packed", async () => {
    const { page, orderNo, paymentId } = await newOrder();
    await service().fault("wrong-amount", orderNo);
    await service().act(paymentId, "pay");
    await shop.untilShown(`do not pack ${orderNo}: the amount paid is not`);
    await show(page, orderNo);
    await untilHeading(page, "Paid. Thank you!");
    expect(await page.locator(".notice").innerText()).toContain("We are checking your payment");
    expect(linesOf(orderNo).some((line) => line.startsWith("pack "))).toBe(false);
  });

  test("an order whose refund was reported before its payment is not packed", async () => {
    const { orderNo, paymentId } = await newOrder();
    await sendToShop(JSON.stringify(testEvent("payment.refund.success", { orderNo })));
    await shop.untilShown(`${orderNo} was refunded`);
    await service().act(paymentId, "pay");
    await shop.untilShown(`do not pack ${orderNo}: it was refunded.`);
  });

  test("an order that is paid twice is packed once, and both sides hear of it", async () => {
    const { page, orderNo, paymentId } = await newOrder();
    await service().fault("duplicate-payment", orderNo);
    await service().act(paymentId, "pay");
    await shop.untilShown(`do not pack ${orderNo} again: it was paid twice. Refund one payment.`);
    expect(linesOf(orderNo).filter((line) => line.startsWith("pack "))).toHaveLength(1);
    await show(page, orderNo);
    await untilHeading(page, "Paid and packed");
    expect(await page.locator(".notice").innerText()).toContain("You have paid twice.");
  });

  test("if a failed payment succeeds after all, the second try is not packed again", async () => {
    const { page, orderNo, paymentId } = await newOrder();
    await service().act(paymentId, "fail");
    await show(page, orderNo);
    await untilHeading(page, "The payment failed");
    await payAgain(page, orderNo, "failed");
    await service().act(paymentId, "pay", { force: true });
    await shop.untilShown(`pack Sencha for ${orderNo}\n`);
    await service().act(await paymentIdOf(`${orderNo}-2`), "pay");
    await shop.untilShown(`do not pack ${orderNo}-2 again: it was paid twice. Refund one payment.`);
    await show(page, `${orderNo}-2`);
    expect(await heading(page)).toBe("Paid and packed");
  });

  test("while a consumer of the Lab reads the queue, the shop does not, and says so", async () => {
    const { orderNo } = await newOrder();
    shop.describeAgain(["fulfilment"]);
    await shop.untilShown("A consumer of the Lab reads fulfilment now.");
    await service().act(await paymentIdOf(orderNo), "pay");
    await until("the event in the queue", async () => ((await inQueue()) > 0 ? true : undefined));
    expect(linesOf(orderNo)).toEqual([`${orderNo} created: Sencha`]);
    shop.describeAgain([]);
    await shop.untilShown("This shop reads fulfilment again.");
    await shop.untilShown(`pack Sencha for ${orderNo}\n`);
  });

  test("the events of an order that another shop made stay in the queue", async () => {
    await untilQueueIsEmpty();
    await shop.stack.paidOrder("OTHER-1");
    await shop.untilShown("OTHER-1 is not an order of this shop. Its event stays in the queue.");
    await payFor((await newOrder()).orderNo);
    await until("the shop's own event to be deleted", async () =>
      (await inQueue()) === 1 ? true : undefined,
    );
  });

  test("a message that cannot be read does not keep the others from being handled", async () => {
    await sendToShop("not an event");
    await payFor((await newOrder()).orderNo);
    await shop.untilShown(" failed: ");
  });

  async function sendToShop(MessageBody: string): Promise<void> {
    const ids = { MessageGroupId: "foreign", MessageDeduplicationId: randomUUID() };
    const send = new SendMessageCommand({ QueueUrl: queueUrl(), MessageBody, ...ids });
    await shop.stack.clients().sqs.send(send);
  }

  const queueUrl = () => shop.stack.stack().description.queues.subscribers["fulfilment"]!.url;

  /** How many events are in the queue, also those that somebody has received. */
  async function inQueue(): Promise<number> {
    const clients = shop.stack.clients();
    const QueueUrl = queueUrl();
    const AttributeNames = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"];
    const ask = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: AttributeNames as [] });
    const { Attributes = {} } = await clients.sqs.send(ask);
    return Object.values(Attributes).reduce((sum, count) => sum + Number(count), 0);
  }

  async function untilQueueIsEmpty() {
    await until("the shop to have read its queue", async () =>
      (await inQueue()) === 0 ? true : undefined,
    );
  }

  async function ordersAtService(): Promise<{ orderNo: string; paymentId: string }[]> {
    const answer = await service().control("GET", "/orders");
    return Array.isArray(answer) ? answer : answer.orders;
  }

  /** Pays without a browser, and waits until the tea is packed. */
  async function payFor(orderNo: string) {
    await service().act(await paymentIdOf(orderNo), "pay");
    await shop.untilShown(`pack Sencha for ${orderNo}\n`);
  }

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

/** What axe says, with the parts it is about. */
async function axeFaults(page: Page): Promise<string[]> {
  // The page's own policy forbids foreign scripts, so it is handed over as an expression, not as an element.
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate("axe.run()")) as axe.AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}
