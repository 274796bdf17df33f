import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { PlacedOrder, StorefrontOrder } from "../../../simulator/pages/merchant-system.ts";
import { NoticeBoard } from "../../../simulator/pages/notices.ts";
import { runSimulator } from "../running-simulator.ts";

const placed: StorefrontOrder[] = [];
let answer: () => Promise<PlacedOrder>;
let store: () => Promise<void>;
let home: string | undefined;

const running = runSimulator({
  merchantSystem: {
    name: "The Shop",
    placeOrder: async (order) => {
      placed.push(order);
      return await answer();
    },
    homeUrl: () => home,
    orderUrl: (merchantId, orderNo) =>
      orderNo === "OF-THE-SHOP"
        ? `http://shop.example/?of=${merchantId}&no=${encodeURIComponent(orderNo)}`
        : undefined,
  },
  onRotate: () => store(),
});

beforeAll(() => {
  placed.length = 0;
});
beforeEach(() => {
  store = async () => {};
});

async function submit(path: string, fields: Record<string, string>): Promise<string> {
  const init = { method: "POST", body: new URLSearchParams(fields) };
  return await (await fetch(running.simulator.url + path, init)).text();
}

describe("beside the merchant's own system", () => {
  test("an order's page leads to the merchant's page of it, if there is one", async () => {
    const pageOf = async (orderNo: string) => {
      const paymentId = await running.order({}, { orderNo });
      return await (await fetch(`${running.simulator.url}/orders/${paymentId}`)).text();
    };
    const { merchantId } = running.merchant;
    expect(await pageOf("OF-THE-SHOP")).toContain(
      `href="http://shop.example/?of=${merchantId}&amp;no=OF-THE-SHOP">See this order in The Shop</a>`,
    );
    expect(await pageOf("NOT-OF-THE-SHOP")).not.toContain("merchant-order");
  });

  test("a paid checkout leads to the merchant's page of the order, if it has no result page of its own", async () => {
    const checkoutOf = async (orderNo: string, redirect: Record<string, string> = {}) => {
      const paymentId = await running.order(redirect, { orderNo });
      await submit(`/checkout/${paymentId}`, { action: "pay" });
      await running.step(2);
      return await (await fetch(`${running.simulator.url}/checkout/${paymentId}`)).text();
    };
    const address = `http://shop.example/?of=${running.merchant.merchantId}&amp;no=OF-THE-SHOP`;
    const paid = await checkoutOf("OF-THE-SHOP");
    expect(paid).toContain(`content="2;url=${address}"`);
    expect(paid).toContain(`href="${address}">See the order in The Shop</a>`);
    const result = { redirectUrl: "https://shop.example/result" };
    expect(await checkoutOf("OF-THE-SHOP-2", result)).toContain(
      "2;url=https://shop.example/result",
    );
    expect(await checkoutOf("NOT-OF-THE-SHOP-2")).not.toContain("http-equiv");
  });

  test("the first page leads to the merchant's system, as soon as that has a page", async () => {
    const firstPage = async () => await (await fetch(running.simulator.url)).text();
    expect(await firstPage()).not.toContain("merchant-home");
    home = "http://shop.example/";
    expect(await firstPage()).toContain(
      `href="http://shop.example/">See what The Shop did with the callbacks</a>`,
    );
  });

  test("a test order is made through it and not here", async () => {
    const paymentId = await running.order({}, { orderNo: "OF-THE-SHOP" });
    const before = running.simulator.orders().length;
    answer = async () => ({ paymentId });
    const page = await submit("/orders", { amount: "7.40", currency: "EUR", orderNo: "N-1" });
    expect(placed).toMatchObject([
      { merchantId: running.merchant.merchantId, paymentAmount: "7.40", order: { orderNo: "N-1" } },
    ]);
    expect(placed[0]).not.toHaveProperty("callbackUrl");
    expect(running.simulator.orders()).toHaveLength(before);
    expect(page).toContain("Order OF-THE-SHOP");
    expect(page).toContain("made through The Shop");
  });

  test("its refusal is shown beside what was typed", async () => {
    answer = async () => ({ refused: "<b>no</b> such currency" });
    const page = await submit("/orders", { amount: "7.40", currency: "XXQ" });
    expect(page).toContain("&lt;b&gt;no&lt;/b&gt; such currency");
    expect(page).toContain('value="XXQ"');
  });

  test("rotated keys are stored in it, so nobody is asked to store them", async () => {
    const { merchantId } = running.merchant;
    const page = await submit("/rotate", { merchantId });
    expect(page).toContain("The Shop has stored them already");
    expect(page).not.toMatch(/BEGIN PUBLIC KEY|The merchant needs/);
  });

  test("keys that it cannot store stay unused, and the page says why", async () => {
    const { merchantId } = running.merchant;
    store = () => Promise.reject(new Error("the disk is full"));
    const page = await submit("/rotate", { merchantId });
    expect(page).toContain("the old ones stay in use. Reason: the disk is full");
  });
});

describe("notices", () => {
  const notice = { kind: "done", text: "It is done." } as const;
  const at = (address: string) => new URL(address, "http://localhost");

  test("are kept for ten minutes", () => {
    let now = 0;
    const board = new NoticeBoard(() => now);
    const address = board.show("/", notice);
    now = 599_999;
    expect(board.find(at(address))).toBe(notice);
    now = 600_000;
    expect(board.find(at(address))).toBeUndefined();
  });

  test("make room for new ones, the oldest first", () => {
    const board = new NoticeBoard();
    const addresses = Array.from({ length: 101 }, () => board.show("/", notice));
    expect(board.find(at(addresses[0]!))).toBeUndefined();
    expect(board.find(at(addresses[1]!))).toBe(notice);
  });
});
