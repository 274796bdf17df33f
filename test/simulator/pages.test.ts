import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Simulator, startSimulator } from "../../simulator/start-simulator.ts";
import { type CallbackReceiver, startReceiver } from "./callback-receiver.ts";
import { createBody, createdPayment } from "./storefront.ts";
import { newTestMerchant } from "./test-merchant.ts";

const merchant = newTestMerchant();
const shop = "https://shop.example/result?order=1&lang=en";
let simulator: Simulator;
let receiver: CallbackReceiver;

beforeAll(async () => {
  receiver = await startReceiver();
  simulator = await startSimulator({ merchants: [merchant.service], clockSpeed: 0 });
});
afterAll(async () => {
  await simulator.stop();
  await receiver.stop();
});

async function newOrder(
  changed: Record<string, unknown> = {},
  order: Record<string, unknown> = {},
) {
  const body = createBody({ callbackUrl: receiver.url, ...changed }, order);
  return await createdPayment(simulator, merchant, body);
}

async function step(seconds: number): Promise<void> {
  simulator.stepClock(seconds);
  await simulator.settled();
}

const read = async (path: string) => await (await fetch(simulator.url + path)).text();

/** Presses a button as a browser does, without following where it leads. */
async function press(
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const body = new URLSearchParams(fields);
  return await fetch(simulator.url + path, { method: "POST", body, headers, redirect: "manual" });
}

describe("the checkout page", () => {
  test("shows the order, and the three ways out by names that stay", async () => {
    const paymentId = await newOrder({}, { orderNo: "SHOWN" });
    const text = await read(`/checkout/${paymentId}`);
    for (const shown of [
      "SHOWN",
      "25.00 EUR",
      "2 × Cup",
      "10.00 EUR each",
      'id="pay"',
      'id="fail"',
      'id="leave"',
    ]) {
      expect(text).toContain(shown);
    }
  });

  test("after paying shows confirming, then paid, then goes on to the shop", async () => {
    const paymentId = await newOrder({ redirectUrl: shop });
    const pressed = await press(`/checkout/${paymentId}`, { action: "pay" });
    expect([pressed.status, pressed.headers.get("location")]).toEqual([
      303,
      `/checkout/${paymentId}`,
    ]);
    const confirming = await read(`/checkout/${paymentId}`);
    expect(confirming).toContain("Confirming your payment");
    expect(confirming).toContain('http-equiv="refresh" content="1"');
    await step(2);
    const paid = await read(`/checkout/${paymentId}`);
    expect(paid).toContain("<h1>Paid</h1>");
    expect(paid).toContain('content="2;url=https://shop.example/result?order=1&amp;lang=en"');
    expect(simulator.order(paymentId).status).toBe("success");
  });

  test("after failing shows the reason", async () => {
    const paymentId = await newOrder();
    await press(`/checkout/${paymentId}`, { action: "fail" });
    await step(2);
    const text = await read(`/checkout/${paymentId}`);
    expect(text).toContain("the payment was declined");
    expect(text).not.toContain("http-equiv");
  });

  test("lets the consumer leave, and the order stays open", async () => {
    const paymentId = await newOrder({ redirectUrl: shop });
    const left = await press(`/checkout/${paymentId}`, { action: "leave" });
    expect([left.status, left.headers.get("location")]).toEqual([303, shop]);
    expect(simulator.order(paymentId).status).toBe("pending");
    const nowhere = await newOrder();
    const stayed = await press(`/checkout/${nowhere}`, { action: "leave" });
    expect(await read(String(stayed.headers.get("location")))).toContain("You left without paying");
  });

  test("takes one payment however often the button is pressed", async () => {
    const paymentId = await newOrder();
    const presses = [1, 2, 3].map(() => press(`/checkout/${paymentId}`, { action: "pay" }));
    for (const { status } of await Promise.all(presses)) expect(status).toBe(303);
    await step(2);
    const events = simulator.order(paymentId).callbacks.map(({ eventName }) => eventName);
    expect(events).toEqual(["payment.order.confirming", "payment.order.success"]);
  });

  test("of an expired order offers nothing to press", async () => {
    const paymentId = await newOrder();
    simulator.expire(paymentId);
    const text = await read(`/checkout/${paymentId}`);
    expect(text).toContain("This order has expired");
    expect(text).not.toContain("<button");
  });

  test("of no order is a 404", async () => {
    expect((await fetch(`${simulator.url}/checkout/${"0".repeat(32)}`)).status).toBe(404);
  });

  test("is found under the address that browsers use", async () => {
    const own = await startSimulator({
      merchants: [merchant.service],
      checkoutBaseUrl: "https://pay.example/",
    });
    const order = own.makeOrder();
    expect(order.checkoutUrl).toBe(`https://pay.example/checkout/${order.paymentId}`);
    await own.stop();
  });
});

describe("on every page", () => {
  test("what a merchant sent is text, never markup", async () => {
    const evil = `"><script>alert('1')</script>&amp;`;
    receiver.answer = { status: 500, body: evil };
    const goods = [{ referenceGoodsId: "x", goodsName: evil }];
    const redirectUrl = `https://shop.example/?q="><script>alert('1')</script>`;
    const paymentId = await newOrder(
      { redirectUrl },
      { orderNo: evil, orderDescription: evil, goods },
    );
    simulator.expire(paymentId);
    await simulator.settled();
    for (const path of ["/", `/orders/${paymentId}`, `/checkout/${paymentId}`]) {
      const text = await read(path);
      expect(text).not.toMatch(/<script(?! src="\/live\.js")/);
      expect(text).toContain("&lt;script&gt;");
    }
    expect(await read(`/orders/${paymentId}`)).toContain("&amp;amp;");
  });

  test("nothing is loaded from elsewhere, and the headers forbid it", async () => {
    const response = await fetch(simulator.url);
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await response.text()).not.toMatch(/(?:src|href)="(?!\/|data:)/);
    for (const path of ["/style.css", "/live.js"]) {
      expect((await fetch(simulator.url + path)).status).toBe(200);
    }
  });

  test("another site cannot press a button", async () => {
    const paymentId = await newOrder();
    const headers = { "sec-fetch-site": "cross-site" };
    for (const path of [
      `/checkout/${paymentId}`,
      `/orders/${paymentId}/act`,
      `/control/orders/${paymentId}/pay`,
    ]) {
      expect((await press(path, { action: "pay" }, headers)).status).toBe(403);
    }
    expect(simulator.order(paymentId).status).toBe("pending");
  });
});

describe("the order's page", () => {
  test("shows every attempt with its answer, and sends again by hand", async () => {
    receiver.answer = { status: 503, body: "come back later" };
    const paymentId = await newOrder();
    await press(`/orders/${paymentId}/act`, { action: "expire" });
    await simulator.settled();
    receiver.answer = { status: 200, body: "ok" };
    const [callback] = simulator.order(paymentId).callbacks;
    await press(`/callbacks/${callback?.id}/send-again`, { paymentId });
    const text = await read(`/orders/${paymentId}`);
    for (const shown of [
      "payment.order.timeout",
      "HTTP 503",
      "come back later",
      "HTTP 200",
      "expected {",
    ]) {
      expect(text).toContain(shown);
    }
  });

  test("starts a refund of a paid order", async () => {
    const paymentId = await newOrder();
    expect(await read(`/orders/${paymentId}`)).not.toContain('id="refund"');
    await press(`/orders/${paymentId}/act`, { action: "pay" });
    await step(2);
    expect(await read(`/orders/${paymentId}`)).toContain('id="refund"');
    await press(`/orders/${paymentId}/refund`, {
      amount: "10",
      referRefundNo: "",
      outcome: "success",
    });
    expect(simulator.order(paymentId).refunds).toMatchObject([
      { amount: "10.00", status: "refunding" },
    ]);
    const tooMuch = await press(`/orders/${paymentId}/refund`, {
      amount: "16",
      outcome: "success",
    });
    expect(tooMuch.status).toBe(409);
    expect(await tooMuch.text()).toContain("at most 15.00");
  });

  test("switches faults on and off for this order alone", async () => {
    const paymentId = await newOrder();
    await press("/faults", { kind: "lose", times: "1", paymentId });
    await press("/faults", { kind: "delay", times: "", paymentId });
    expect(await read(`/orders/${paymentId}`)).toContain("on, 1 more");
    expect(await read("/")).not.toContain("on, 1 more");
    const id = /name="id" value="([^"]+)"/.exec(await read(`/orders/${paymentId}`))?.[1] ?? "";
    await press("/faults/off", { id, paymentId });
    expect(await read(`/orders/${paymentId}`)).not.toContain("on, 1 more");
    simulator.clearFaults();
  });
});

describe("the list", () => {
  test("leads to every order", async () => {
    const paymentId = await newOrder({}, { orderNo: "LISTED" });
    expect(await read("/")).toContain(`<a href="/orders/${paymentId}">LISTED</a>`);
  });

  test("makes a test order that can be paid", async () => {
    const made = await press("/orders", {
      amount: "3.20",
      currency: "CHF",
      callbackUrl: receiver.url,
    });
    expect(made.status).toBe(303);
    expect(await read(String(made.headers.get("location")))).toContain("3.20 CHF");
    const wrong = await press("/orders", { amount: "3.201", currency: "CHF" });
    expect(wrong.status).toBe(409);
  });

  test("steps the clock and sets its speed", async () => {
    const paymentId = await newOrder();
    await press("/clock", { stepSeconds: "3600" });
    await simulator.settled();
    expect(simulator.order(paymentId).status).toBe("timeout");
    await press("/clock", { speed: "60" });
    expect(await read("/")).toContain("at 60 times the speed");
    await press("/clock", { speed: "0" });
    expect((await press("/clock", { speed: "-1" })).status).toBe(400);
  });

  test("rotates keys and shows what the merchant must store", async () => {
    const page = await press("/rotate", { merchantId: merchant.merchantId });
    const text = await page.text();
    expect(text).toContain("BEGIN PUBLIC KEY");
    expect(text).not.toContain("PRIVATE KEY");
  });
});
