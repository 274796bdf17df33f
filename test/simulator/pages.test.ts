import { describe, expect, test } from "vitest";
import { runSimulator } from "./running-simulator.ts";

const shop = "https://shop.example/result?order=1&lang=en";
const running = runSimulator();

const read = async (path: string) => await (await fetch(running.simulator.url + path)).text();

/** Presses a button as a browser does, and does not follow the redirect. */
async function press(path: string, fields: Record<string, string>, headers = {}) {
  const body = new URLSearchParams(fields);
  const init = { method: "POST", body, headers, redirect: "manual" } as const;
  return await fetch(running.simulator.url + path, init);
}

async function expectShown(path: string, texts: readonly string[]): Promise<void> {
  const shown = await read(path);
  for (const text of texts) expect(shown).toContain(text);
}

describe("the checkout page", () => {
  test("shows the order and its three buttons", async () => {
    const paymentId = await running.order({}, { orderNo: "SHOWN" });
    const buttons = ['id="pay"', 'id="fail"', 'id="leave"'];
    const order = ["SHOWN", "25.00 EUR", "2 × Cup", "10.00 EUR each"];
    await expectShown(`/checkout/${paymentId}`, [...order, ...buttons]);
  });

  test("shows confirming after a payment, then paid, then goes to the shop", async () => {
    const paymentId = await running.order({ redirectUrl: shop });
    const path = `/checkout/${paymentId}`;
    const pressed = await press(path, { action: "pay" });
    expect([pressed.status, pressed.headers.get("location")]).toEqual([303, path]);
    await expectShown(path, ["Confirming your payment", 'http-equiv="refresh" content="1"']);
    await running.step(2);
    const next = 'content="2;url=https://shop.example/result?order=1&amp;lang=en"';
    await expectShown(path, ["<h1>Paid</h1>", next]);
    expect(running.simulator.order(paymentId).status).toBe("success");
  });

  test("lets the consumer leave, and the order stays open", async () => {
    const paymentId = await running.order({ redirectUrl: shop });
    const left = await press(`/checkout/${paymentId}`, { action: "leave" });
    expect([left.status, left.headers.get("location")]).toEqual([303, shop]);
    expect(running.simulator.order(paymentId).status).toBe("pending");
  });

  test("takes one payment when the button is pressed several times", async () => {
    const paymentId = await running.order();
    const presses = [1, 2, 3].map(() => press(`/checkout/${paymentId}`, { action: "pay" }));
    for (const { status } of await Promise.all(presses)) expect(status).toBe(303);
    await running.step(2);
    expect(running.events()).toEqual(["payment.order.confirming", "payment.order.success"]);
  });

  test("of an order that does not exist is a 404", async () => {
    expect((await fetch(`${running.simulator.url}/checkout/${"0".repeat(32)}`)).status).toBe(404);
  });
});

describe("on every page", () => {
  test("what a merchant sent is text and never markup", async () => {
    const evil = `"><script>alert('1')</script>&amp;`;
    running.receiver.answer = { status: 500, body: evil };
    const goods = [{ referenceGoodsId: "x", goodsName: evil }];
    const redirectUrl = `https://shop.example/?q="><script>alert('1')</script>`;
    const order = { orderNo: evil, orderDescription: evil, goods };
    const paymentId = await running.order({ redirectUrl }, order);
    running.simulator.expire(paymentId);
    await running.simulator.settled();
    for (const path of ["/", `/orders/${paymentId}`, `/checkout/${paymentId}`]) {
      const text = await read(path);
      expect(text).not.toMatch(/<script(?! src="\/live\.js")/);
      expect(text).toContain("&lt;script&gt;");
    }
  });

  test("nothing is loaded from another site, and the headers forbid it", async () => {
    const response = await fetch(running.simulator.url);
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await response.text()).not.toMatch(/(?:src|href)="(?!\/|data:)/);
    for (const path of ["/style.css", "/live.js"]) {
      expect((await fetch(running.simulator.url + path)).status).toBe(200);
    }
  });

  test("another site cannot press a button", async () => {
    const paymentId = await running.order();
    const headers = { "sec-fetch-site": "cross-site" };
    const paths = [`/checkout/${paymentId}`, `/orders/${paymentId}/act`];
    for (const path of [...paths, `/control/orders/${paymentId}/pay`]) {
      expect((await press(path, { action: "pay" }, headers)).status).toBe(403);
    }
    expect(running.simulator.order(paymentId).status).toBe("pending");
  });
});

describe("the page of an order", () => {
  test("shows every attempt with its answer, and sends again by hand", async () => {
    running.receiver.answer = { status: 503, body: "come back later" };
    const paymentId = await running.order();
    await press(`/orders/${paymentId}/act`, { action: "expire" });
    await running.simulator.settled();
    running.receiver.answer = { status: 200, body: "ok" };
    const [callback] = running.simulator.order(paymentId).callbacks;
    await press(`/callbacks/${callback?.id}/send-again`, { paymentId });
    const attempts = ["HTTP 503", "come back later", "HTTP 200", "expected {"];
    await expectShown(`/orders/${paymentId}`, ["payment.order.timeout", ...attempts]);
  });

  test("starts a refund, and says why not", async () => {
    const paymentId = await running.paidOrder();
    await expectShown(`/orders/${paymentId}`, ['id="refund"']);
    const refund = (amount: string) =>
      press(`/orders/${paymentId}/refund`, { amount, referRefundNo: "", outcome: "success" });
    await refund("10");
    expect(running.simulator.order(paymentId).refunds).toMatchObject([{ amount: "10.00" }]);
    const tooMuch = await refund("16");
    expect(tooMuch.status).toBe(409);
    expect(await tooMuch.text()).toContain("at most 15.00");
  });

  test("switches faults on and off for this order only", async () => {
    const paymentId = await running.order();
    await press("/faults", { kind: "lose", times: "1", paymentId });
    expect(await read("/")).not.toContain("on, 1 more");
    const page = await read(`/orders/${paymentId}`);
    expect(page).toContain("on, 1 more");
    const id = /name="id" value="([^"]+)"/.exec(page)?.[1] ?? "";
    await press("/faults/off", { id, paymentId });
    expect(await read(`/orders/${paymentId}`)).not.toContain("on, 1 more");
  });
});

describe("the list", () => {
  test("links every order, and makes a test order", async () => {
    const paymentId = await running.order({}, { orderNo: "LISTED" });
    await expectShown("/", [`<a href="/orders/${paymentId}">LISTED</a>`]);
    const made = await press("/orders", { amount: "3.20", currency: "CHF" });
    await expectShown(String(made.headers.get("location")), ["3.20 CHF"]);
    expect((await press("/orders", { amount: "3.201", currency: "CHF" })).status).toBe(409);
  });

  test("steps the clock and sets its speed", async () => {
    const paymentId = await running.order();
    await press("/clock", { stepSeconds: "3600" });
    await running.simulator.settled();
    expect(running.simulator.order(paymentId).status).toBe("timeout");
    await press("/clock", { speed: "60" });
    await expectShown("/", ["at 60 times the speed"]);
    await press("/clock", { speed: "0" });
  });

  test("rotates keys and shows what the merchant must store", async () => {
    const { merchantId } = running.merchant;
    const text = await (await press("/rotate", { merchantId })).text();
    expect(text).toContain("BEGIN PUBLIC KEY");
    expect(text).not.toContain("PRIVATE KEY");
  });
});
