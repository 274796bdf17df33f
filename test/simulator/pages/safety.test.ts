import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { runSimulator } from "../running-simulator.ts";
import { visitorOf } from "./visitor.ts";

const running = runSimulator();
const { press, read } = visitorOf(running);

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
