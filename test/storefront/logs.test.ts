import { describe, expect, test } from "vitest";
import { queryClaimMilliseconds } from "../../shared/timing.ts";
import { to } from "../integration/fault-proxy.ts";
import { logOf } from "../integration/flow.ts";
import type { Instance } from "../integration/instance.ts";
import { orderBody, orderNoOf } from "./order.ts";
import { type Shop, useShops } from "./shop.ts";

const makeShop = useShops();

/** What every test of this folder checks when it ends, shown once: names, addresses, goods, keys, whole bodies. */
function expectNoCanary(shop: Shop, ...instances: readonly Instance[]): void {
  const lines = instances.flatMap((instance) => instance.lines).join("\n");
  expect(lines).not.toMatch(/canary/i);
  for (const canary of shop.world.canaries) expect(lines).not.toContain(canary);
}

describe("the lines of create-order", () => {
  test("name merchant, order and payment as far as they are known, and nothing that was sent", async () => {
    const shop = await makeShop();
    const { merchantId } = shop.world.merchant;
    const body = orderBody({ redirectUrl: "https://shop.example/canary-redirect" });
    const about = { merchantId, orderNo: orderNoOf(body) };
    const { paymentId } = (await shop.create(body)).body;
    await shop.create(body);
    await shop.create({ ...body, paymentAmount: 24 });
    await shop.create(orderBody({ "canary-field-name": 1, currency: "canary-currency" }));
    await shop.create("canary-that-is-no-json");
    await shop.create(orderBody({ merchantId: "canary-merchant" }));
    shop.simulator.addFault({ kind: "refuse-creates", msg: "canary-words", times: 1 });
    const refused = orderBody();
    await shop.create(refused);
    shop.simulator.addFault({ kind: "reset-connections", times: 1 });
    const lost = orderBody();
    await shop.create(lost);
    const creator = await shop.creator();
    expect(logOf(creator)).toMatchObject([
      {
        service: "create-order",
        outcome: "answered",
        ...about,
        paymentId,
        httpStatus: 201,
        Created: 1,
      },
      { outcome: "answered", ...about, paymentId, httpStatus: 200 },
      { outcome: "problem", reason: "order-differs", ...about, paymentId },
      { outcome: "problem", reason: "body-invalid", httpStatus: 400 },
      { outcome: "problem", reason: "body-invalid", httpStatus: 400 },
      { outcome: "problem", reason: "merchant-unknown", httpStatus: 400 },
      {
        outcome: "problem",
        merchantId,
        orderNo: orderNoOf(refused),
        errorName: "GatewayError",
        reason: "gateway-refused",
        serviceCode: "50001",
        httpStatus: 502,
        ServiceRefused: 1,
      },
      {
        outcome: "problem",
        merchantId,
        orderNo: orderNoOf(lost),
        reason: "gateway-disconnected",
        httpStatus: 504,
        ServerFault: 1,
        OutcomeUnknown: 1,
      },
    ]);
    const created = logOf(creator).filter((line) => "Created" in line);
    expect(created).toHaveLength(1);
    expectNoCanary(shop, creator);
  });
});

describe("the lines of query-order", () => {
  test("name the route, merchant, order and payment, whichever of them was asked for, and why the service could not be asked", async () => {
    const shop = await makeShop();
    const { merchantId } = shop.world.merchant;
    const body = orderBody();
    const { paymentId } = (await shop.create(body)).body;
    const about = { merchantId, orderNo: orderNoOf(body), paymentId };
    await shop.get(`/orders/${about.orderNo}`);
    await shop.get("/payments/unknown-here");
    await shop.stopService();
    const querier = await shop.querier();
    querier.advance(queryClaimMilliseconds);
    await shop.get(`/payments/${paymentId}`);
    const [orders, payments] = ["GET /orders/{orderNo+}", "GET /payments/{paymentId}"].map(
      (route) => ({ route }),
    );
    const refused = { reason: "gateway-refused" };
    const unreachable = { reason: "gateway-unreachable" };
    expect(logOf(querier)).toMatchObject([
      { service: "query-order", outcome: "answered", ...about, httpStatus: 200, ...orders },
      { outcome: "problem", merchantId, paymentId: "unknown-here", ...payments, ...refused },
      { outcome: "query-failed", ...about, ...unreachable },
      { outcome: "stale", ...about, httpStatus: 200, ...payments, ...unreachable },
    ]);
    expectNoCanary(shop, querier);
  });

  test("hold no merchant that a caller made up", async () => {
    const shop = await makeShop();
    await shop.get("/orders/A-1?merchantId=canary-merchant");
    await shop.get("/payments/P1?merchantId=canary-merchant");
    const querier = await shop.querier();
    const reason = "merchant-unknown";
    expect(logOf(querier)).toMatchObject([
      { outcome: "problem", reason, orderNo: "A-1", httpStatus: 400 },
      { outcome: "problem", reason, paymentId: "P1", httpStatus: 400 },
    ]);
    for (const line of logOf(querier)) expect(line).not.toHaveProperty("merchantId");
    expectNoCanary(shop, querier);
  });

  test("name the error by its own name when the table fails", async () => {
    const shop = await makeShop();
    const querier = await shop.querier();
    const error = { type: "com.amazonaws.dynamodb.v20120810#AccessDeniedException", status: 400 };
    querier.faults.fail(to("dynamodb"), { kind: "refuse", error });
    expect((await shop.get("/orders/A-1")).status).toBe(503);
    expect(logOf(querier)).toMatchObject([
      {
        outcome: "problem",
        merchantId: shop.world.merchant.merchantId,
        orderNo: "A-1",
        errorName: "AccessDeniedException",
        ServerFault: 1,
      },
    ]);
  });
});
