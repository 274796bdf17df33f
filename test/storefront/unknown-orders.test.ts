import { beforeAll, describe, expect, test } from "vitest";
import { logOf } from "../integration/flow.ts";
import { orderBody } from "./order.ts";
import { type Shop, useShops } from "./shop.ts";

const makeShop = useShops();
let shop: Shop;
beforeAll(async () => {
  shop = await makeShop();
});
const problem = (kind: string) => `urn:paycast:problem:${kind}`;

describe("an order's number", () => {
  test.each([
    "A/1",
    "№ 7 α&=#%",
    "訂單-７７８１ 🛒",
    "../orders",
    "a%2Fb",
    "🛒".repeat(64),
    "ك".repeat(64),
    "$default",
    "-",
  ])("may be %j, and its Location leads to it", async (orderNo) => {
    const created = await shop.create(orderBody({}, { orderNo }));
    expect(created).toMatchObject({ status: 201, body: { orderNo } });
    const location = String(created.headers.get("location"));
    expect(await shop.get(location)).toMatchObject({ status: 200, body: { orderNo } });
    await shop.pay(String(created.body["paymentId"]));
    expect((await shop.get(location)).body).toMatchObject({ orderNo, status: "success" });
    const inPath = await shop.get(`/orders/${encodeURIComponent(orderNo)}`);
    expect(inPath.body).toMatchObject({ orderNo });
  });

  test("may have a question mark, and its Location never leads to the order before it", async () => {
    for (const orderNo of ["INV-7", "INV-7?a"]) {
      const created = await shop.create(orderBody({}, { orderNo }));
      const found = await shop.get(String(created.headers.get("location")));
      expect(found).toMatchObject({ status: 200, body: { orderNo } });
    }
  });

  test("leads to the order of its merchant if there are several", async () => {
    const several = await makeShop({ otherMerchants: ["M2"] });
    const { merchantId } = several.world.merchant;
    for (const merchant of [merchantId, "M2"]) {
      const body = orderBody({ merchantId: merchant }, { orderNo: "A?1" });
      const created = await several.create(body);
      const found = await several.get(String(created.headers.get("location")));
      expect(found).toMatchObject({ status: 200, body: { merchantId: merchant, orderNo: "A?1" } });
    }
  });
});

describe("what is not known", () => {
  test.each([
    ["no order", "/orders/NONE"],
    ["a name that is too long for any order", `/orders/${"x".repeat(3_000)}`],
    ["65 characters", `/orders/${"x".repeat(65)}`],
    ["a payment's number", "/orders/M1%23payment%23P1"],
  ])("is 404 as an order: %s", async (_case, path) => {
    expect(await shop.get(path)).toMatchObject({
      status: 404,
      body: { type: problem("order-unknown") },
    });
  });

  test.each([
    ["GET", "/"],
    ["GET", "/orders"],
    ["DELETE", "/orders/A"],
    ["POST", "/payments/P1"],
    ["GET", "/.env"],
  ])("is 404 as a route: %s %s", async (method, path) => {
    const querier = await shop.querier();
    const [calls, lines] = [querier.faults.calls.length, logOf(querier).length];
    const answer = await shop.call(path, { method });
    expect(answer).toMatchObject({ status: 404, body: { type: problem("route-unknown") } });
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(querier.faults.calls).toHaveLength(calls);
    // Not counted as a call of the storefront: strangers must not dilute the share of those that fail.
    const logged = logOf(querier).slice(lines);
    expect(logged).toMatchObject([{ outcome: "stray", httpStatus: 404, Stray: 1 }]);
    expect(logged[0]).not.toHaveProperty("Answered");
  });

  test("is a preflight: 204, and API Gateway adds the rest", async () => {
    const querier = await shop.querier();
    const outcome = await querier.invoke({ routeKey: "OPTIONS /{path+}" });
    expect(outcome).toMatchObject({ kind: "returned", value: { statusCode: 204, body: "" } });
  });
});
