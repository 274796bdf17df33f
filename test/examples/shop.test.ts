import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { describe, expect, onTestFinished, test } from "vitest";
import { until } from "../end-to-end/running-stack.ts";
import { hasBrowser } from "../setup/browser.ts";
import { askShop, cookieOf, postForm as post } from "./ask-shop.ts";
import { axeFaults } from "./axe-faults.ts";
import { useShop } from "./running-shop.ts";

const slow = 90_000;

describe.runIf(hasBrowser("the demo shop in a browser"))("the demo shop", { timeout: slow }, () => {
  const shop = useShop();
  const { visit, orderTea, payAgain, untilHeading, heading, linesOf } = shop;
  const service = () => shop.stack.shop();
  const ask = (headers: Record<string, string>) => askShop(shop.address(), { headers });
  const postForm = (path: string, fields: object, headers: Record<string, string>) =>
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
    expect(linesOf(orderNo)).toEqual([
      `${orderNo} created: 2 × Sencha`,
      `pack 2 × Sencha for ${orderNo}`,
    ]);
  });

  test("the tea is packed also if the customer never comes back", async () => {
    const page = await visit();
    const orderNo = await orderTea(page);
    await page.close();
    await payAtService(orderNo);
    await shop.untilTold(`pack 2 × Sencha for ${orderNo}`);
  });

  test("after a failed payment the customer tries again under a new number, and it is packed once", async () => {
    const page = await visit();
    const orderNo = await orderTea(page);
    await page.click("#fail");
    await untilHeading(page, "The payment failed");
    await page.getByRole("button", { name: "Try again" }).waitFor();
    await payAgain(page, orderNo, "failed");
    const clickedAgain = await postForm(`/orders/${orderNo}/pay`, {}, await cookieOf(page));
    expect(clickedAgain.location).toBe(page.url());
    expect(await page.locator("body").innerText()).toContain(`${orderNo}-2`);
    await page.click("#pay");
    await untilHeading(page, "Paid and packed");
    expect(shop.output()).not.toContain(`${orderNo}-3`);
    expect(linesOf(orderNo)).toEqual([`${orderNo} created: 2 × Sencha`]);
    expect(linesOf(`${orderNo}-2`)).toContain(`pack 2 × Sencha for ${orderNo}-2`);
    await page.goto(`${shop.address()}/orders/${orderNo}`);
    expect(page.url()).toBe(`${shop.address()}/orders/${orderNo}-2`);
  });

  test("a double click on Pay, and a form that is sent twice at once or later again, make one order", async () => {
    const page = await visit();
    await page.getByRole("button", { name: "Add Masala chai" }).click();
    const basket = await page.locator("[name=basket]").inputValue();
    const send = async () => await postForm("/pay", { basket }, await cookieOf(page));
    const delay = { kind: "slow-answer", operation: "create", seconds: 1, times: 1 };
    await service().control("POST", "/faults", delay);
    // While the create waits, so that no click falls on the next page.
    const sending = Promise.all([send(), send(), send()]);
    await page.locator("#pay").dblclick();
    await page.waitForURL(/\/checkout\//);
    const answers = await sending;
    expect(answers.map(({ location }) => location)).toEqual(answers.map(() => page.url()));
    expect((await send()).location).toBe(page.url());
    const made = (await ordersAtService()).filter(({ orderNo }) => orderNo.includes(basket));
    expect(made).toHaveLength(1);
  });

  test("a return address that says success shows what Paycast says, and packs nothing", async () => {
    const page = await visit();
    const orderNo = await orderTea(page);
    await page.goto(`${shop.address()}/orders/${orderNo}?status=success&paid=true`);
    expect(await heading(page)).toBe("Not paid yet");
    await page.reload();
    expect(await heading(page)).toBe("Not paid yet");
    expect(linesOf(orderNo)).toEqual([`${orderNo} created: 2 × Sencha`]);
    await page.getByRole("link", { name: "Go to the checkout" }).click();
    await page.waitForURL(/\/checkout\//);
  });

  test("while the bank confirms, the page says so, and then changes by itself", async () => {
    const page = await visit();
    const orderNo = await orderTea(page);
    const setClock = (speed: number) => service().control("POST", "/clock", { speed });
    onTestFinished(() => setClock(20));
    await setClock(0);
    const isPaid = page.waitForResponse((answer) => answer.request().method() === "POST");
    await page.click("#pay");
    await isPaid;
    await page.goto(`${shop.address()}/orders/${orderNo}`);
    await untilHeading(page, "Waiting for your bank");
    await setClock(20);
    await untilHeading(page, "Paid and packed");
    const said = await page.locator("#announcer").innerText();
    expect(said).toContain("Paid and packed. Your tea is packed");
  });

  test("an order that expired can be ordered again, under a new number", async () => {
    const page = await visit();
    const orderNo = await orderTea(page);
    await service().act(await paymentIdOf(orderNo), "expire");
    await page.goto(`${shop.address()}/orders/${orderNo}`);
    await untilHeading(page, "The time to pay is over");
    await page.getByRole("button", { name: "Order again" }).waitFor();
    await payAgain(page, orderNo, "timeout");
    expect(await page.locator("body").innerText()).toContain(`${orderNo}-2`);
  });

  test("a refund is shown to the customer and told in the terminal", async () => {
    const page = await visit();
    const orderNo = await orderTea(page);
    await page.click("#pay");
    await untilHeading(page, "Paid and packed");
    await service().act(await paymentIdOf(orderNo), "refund", { amount: "6.40" });
    await shop.untilTold(`${orderNo} was refunded: 6.40 USD`);
    await page.reload();
    await page.getByText("$6.40 paid back.", { exact: true }).waitFor();
  });

  test("nobody else sees an order, and a basket that changed in another tab is not paid unseen", async () => {
    const page = await visit();
    const orderNo = await orderTea(page);
    const stranger = await visit(`/orders/${orderNo}`);
    expect(await heading(stranger)).toBe("We do not know this order");
    await page.goto(shop.address());
    await page.getByRole("button", { name: "Add Assam" }).click();
    await page.getByRole("button", { name: "One Assam more" }).waitFor();
    const other = await page.context().newPage();
    await other.goto(shop.address());
    await other.getByRole("button", { name: "One Assam more" }).click();
    await other.getByRole("button", { name: "Pay $10.40" }).waitFor();
    await page.getByRole("button", { name: "Pay $5.20" }).click();
    expect(await page.locator(".notice").innerText()).toContain("Your basket has changed");
    expect(await page.locator("#pay").innerText()).toBe("Pay $10.40");
  });

  test("the basket works with the keyboard, keeps the focus, and is read out", async () => {
    const page = await visit();
    await page.locator("#add-sencha").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Pay $6.40" }).waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("add-sencha");
    expect(await page.locator("#announcer").innerText()).toBe("Basket: 1 × Sencha. $6.40.");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Nothing in it yet.").waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("add-sencha");
  });

  test("a page that looks again and finds nothing new is left as it is", async () => {
    const page = await visit();
    const orderNo = await orderTea(page);
    await page.goto(`${shop.address()}/orders/${orderNo}`);
    await page.getByRole("link", { name: "Back to the shelf" }).focus();
    for (let looks = 0; looks < 2; looks += 1) {
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

  test.each(["light", "dark"] as const)(
    "axe finds no fault in the pages, %s",
    async (colorScheme) => {
      const page = await visit("/", { colorScheme });
      expect(await axeFaults(page)).toEqual([]);
      const orderNo = await orderTea(page);
      await page.goto(`${shop.address()}/orders/${orderNo}`);
      expect(await axeFaults(page)).toEqual([]);
      await page.goto(shop.address());
      await page.getByRole("button", { name: "Add Sencha" }).click();
      await page.getByRole("button", { name: "Pay $6.40" }).waitFor();
      expect(await axeFaults(page)).toEqual([]);
      await service().act(await paymentIdOf(orderNo), "fail");
      await page.goto(`${shop.address()}/orders/${orderNo}`);
      await untilHeading(page, "The payment failed");
      expect(await axeFaults(page)).toEqual([]);
      await payAgain(page, orderNo, "failed");
      await page.click("#pay");
      await untilHeading(page, "Paid and packed");
      expect(await axeFaults(page)).toEqual([]);
    },
  );

  test.each([360, 1440])("at a width of %i nothing is cut off", async (width) => {
    const page = await visit("/", { viewport: { width, height: 800 } });
    const isWider = "document.documentElement.scrollWidth > innerWidth";
    expect(await page.evaluate(isWider)).toBe(false);
    const orderNo = await orderTea(page);
    await page.goto(`${shop.address()}/orders/${orderNo}`);
    expect(await page.evaluate(isWider)).toBe(false);
  });

  test("another site, and another name for this machine, change and read nothing", async () => {
    const { origin, host, port } = new URL(shop.address());
    const add = { add: "sencha" };
    expect(await postForm("/basket", add, { origin: "https://evil.example" })).toMatchObject({
      status: 403,
    });
    expect(await postForm("/basket", add, { origin: "null" })).toMatchObject({ status: 403 });
    expect(await ask({ host: "evil.example" })).toMatchObject({ status: 403 });
    expect(await ask({ host: `localhost:${port}` })).toMatchObject({
      status: 303,
      location: `${origin}/`,
    });
    const { status, policy } = await ask({ host });
    expect(status).toBe(200);
    expect(policy).toContain("default-src 'none'; script-src 'self'");
  });

  async function untilQueueIsEmpty() {
    const { clients } = shop.stack.target();
    const QueueUrl = shop.stack.stack().description.queues.subscribers["fulfilment"]!.url;
    const AttributeNames = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"];
    await until("the shop to have read its queue", async () => {
      const ask = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: AttributeNames as [] });
      const { Attributes = {} } = await clients.sqs.send(ask);
      return Object.values(Attributes).every((count) => count === "0") ? true : undefined;
    });
  }

  async function ordersAtService(): Promise<{ orderNo: string; paymentId: string }[]> {
    const answer = await service().control("GET", "/orders");
    return Array.isArray(answer) ? answer : answer.orders;
  }

  async function paymentIdOf(orderNo: string): Promise<string> {
    return (await service().get(orderNo)).order.paymentId;
  }

  async function payAtService(orderNo: string) {
    await service().act(await paymentIdOf(orderNo), "pay");
  }
});
