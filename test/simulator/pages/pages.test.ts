import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { runSimulator } from "../running-simulator.ts";

const shop = "https://shop.example/result?order=1&lang=en";
const running = runSimulator();

const read = async (path: string) => await (await fetch(running.simulator.url + path)).text();

/** Presses a button as a browser does, and does not follow the redirect. */
async function press(path: string, fields: Record<string, string>, headers = {}) {
  const body = new URLSearchParams(fields);
  const init = { method: "POST", body, headers, redirect: "manual" } as const;
  return await fetch(running.simulator.url + path, init);
}

/** Presses a button and gives the page that a browser shows after the redirect. */
async function pressAndRead(path: string, fields: Record<string, string>): Promise<string> {
  const pressed = await press(path, fields);
  expect(pressed.status).toBe(303);
  return await read(String(pressed.headers.get("location")));
}

async function expectShown(path: string, texts: readonly string[]): Promise<void> {
  const shown = await read(path);
  for (const text of texts) expect(shown).toContain(text);
}

/** The status of the answer if the client names this host. fetch would not let a test choose it. */
function statusAt(host: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(running.simulator.url + path, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
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
      const old = { origin: "https://evil.example" };
      expect((await press(path, { action: "pay" }, old)).status).toBe(403);
      expect((await press(path, { action: "pay" }, { origin: "null" })).status).toBe(403);
    }
    expect(running.simulator.order(paymentId).status).toBe("pending");
    const own = { origin: running.simulator.url };
    expect((await press(`/orders/${paymentId}/act`, { action: "pay" }, own)).status).toBe(303);
  });

  test.each([
    ["evil.example", 403],
    ["127.0.0.1.evil.example", 403],
    ["localhost", 200],
    ["[::1]", 200],
  ])("a page that names the host %s gets %i", async (host, status) => {
    for (const path of ["/", "/control/orders"]) expect(await statusAt(host, path)).toBe(status);
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
    const fields = { amount: "16", referRefundNo: "MINE-7", outcome: "success" };
    const tooMuch = await pressAndRead(`/orders/${paymentId}/refund`, fields);
    for (const text of ["at most 15.00", 'role="alert"', 'value="16"', 'value="MINE-7"']) {
      expect(tooMuch).toContain(text);
    }
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

  test("shows faults that are on for all orders first, and none of another order", async () => {
    const paymentId = await running.order();
    running.simulator.addFault({ kind: "lose" });
    running.simulator.addFault({ kind: "delay", orderNo: "ANOTHER" });
    const page = await read(`/orders/${paymentId}`);
    expect(page).toContain('<a href="#fault-lose">lose</a> (all orders)');
    expect(page).toContain("on for all orders");
    expect(page).not.toContain('href="#fault-delay"');
    expect(page.indexOf("Faults are on")).toBeLessThan(page.indexOf("<h1"));
  });

  test("has the time of the next attempt and of expiry for the countdown", async () => {
    const paymentId = await running.order();
    const until = /in <span class="countdown" data-until="(\d{13})">30 min<\/span>/;
    expect(await read(`/orders/${paymentId}`)).toMatch(until);
    running.receiver.answer = { status: 503, body: "" };
    running.simulator.expire(paymentId);
    await running.simulator.settled();
    expect(await read(`/orders/${paymentId}`)).toMatch(/next attempt in <span [^>]*>1 min</);
  });
});

describe("the list", () => {
  test("links every order, and makes a test order", async () => {
    const paymentId = await running.order({}, { orderNo: "LISTED" });
    await expectShown("/", [`<a href="/orders/${paymentId}">LISTED</a>`]);
    const made = await pressAndRead("/orders", { amount: "3.20", currency: "CHF" });
    for (const text of ["3.20 CHF", "was made here alone"]) expect(made).toContain(text);
  });

  test("keeps what was typed when a test order is refused", async () => {
    const before = running.simulator.orders().length;
    const fields = {
      amount: "3.201",
      currency: "CHF",
      orderNo: 'A "1"',
      callbackUrl: "http://x/y",
    };
    const page = await pressAndRead("/orders", fields);
    const kept = ['value="3.201"', 'value="CHF"', 'value="A &quot;1&quot;"', 'value="http://x/y"'];
    for (const text of [...kept, 'role="alert"', "more decimals"]) expect(page).toContain(text);
    expect(running.simulator.orders()).toHaveLength(before);
  });

  test("finds orders by number, payment, callback and status", async () => {
    const paymentId = await running.order({}, { orderNo: "NEEDLE-1" });
    await running.order({}, { orderNo: "HAYSTACK" });
    running.simulator.expire(paymentId);
    const callbackId = running.simulator.order(paymentId).callbacks[0]?.id;
    for (const search of ["needle", paymentId, callbackId, "timeout"]) {
      const page = await read(`/?search=${search}`);
      expect(page).toContain("NEEDLE-1");
      expect(page).not.toContain("HAYSTACK");
    }
    expect(await read("/?search=<b>")).toContain("No order matches “&lt;b&gt;”");
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

  test("rotates keys and shows what the merchant must store, and a reload rotates nothing", async () => {
    const { merchantId } = running.merchant;
    const rotated = await press("/rotate", { merchantId });
    expect(rotated.status).toBe(303);
    const address = String(rotated.headers.get("location"));
    const [text, again] = [await read(address), await read(address)];
    expect(text).toContain("The merchant needs them");
    expect(text).toContain("BEGIN PUBLIC KEY");
    expect(text).not.toContain("PRIVATE KEY");
    const keyIn = (page: string) => /BEGIN PUBLIC KEY[^<]+/.exec(page)?.[0];
    expect(keyIn(again)).toBe(keyIn(text));
  });

  test("shows a notice only by its id, never a text of the address", async () => {
    const page = await read("/?notice=Send+your+keys+to+evil.example");
    expect(page).not.toContain("evil.example");
    expect(page).not.toContain('id="notice"');
  });
});
