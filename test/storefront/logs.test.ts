import { expect, test } from "vitest";
import { logOf } from "../integration/flow.ts";
import { orderBody, orderNoOf } from "./order.ts";
import { useShops } from "./shop.ts";

const makeShop = useShops();

/** What every test of this folder checks when it ends, shown once: names, addresses, goods, keys, whole bodies. */
test("one line is logged for each call, and nothing in it comes from the order, the keys or the service's words", async () => {
  const shop = await makeShop();
  const body = orderBody({ redirectUrl: "https://shop.example/canary-redirect" });
  const { body: created } = await shop.create(body);
  await shop.create(orderBody({ "canary-field-name": 1, currency: "canary-currency" }));
  await shop.create("canary-that-is-no-json");
  shop.simulator.addFault({ kind: "refuse-creates", msg: "canary-words-of-the-service", times: 1 });
  await shop.create();
  shop.simulator.addFault({ kind: "reset-connections", times: 1 });
  await shop.create();
  await shop.get(`/orders/${orderNoOf(body)}`);
  await shop.get("/payments/canary-payment-id");
  await shop.simulator.stop();
  (await shop.querier()).advance(6_000);
  await shop.get(`/payments/${created["paymentId"]}`);

  const creator = await shop.creator();
  const querier = await shop.querier();
  expect(logOf(creator)).toMatchObject([
    { service: "create-order", outcome: "created", httpStatus: 201 },
    { outcome: "problem", reason: "urn:paycast:problem:body-invalid", httpStatus: 400 },
    { outcome: "problem", reason: "urn:paycast:problem:body-invalid", httpStatus: 400 },
    { outcome: "problem", errorCode: "gateway-refused", serviceCode: "50001", httpStatus: 422 },
    { outcome: "problem", errorCode: "gateway-timed-out", httpStatus: 504, ServerFault: 1 },
  ]);
  expect(logOf(querier)).toMatchObject([
    { service: "query-order", outcome: "answered", httpStatus: 200 },
    { outcome: "problem", reason: "urn:paycast:problem:payment-unknown", httpStatus: 404 },
    { outcome: "query-failed", errorCode: "gateway-unreachable" },
    { outcome: "stale", httpStatus: 200 },
  ]);
  const lines = [...creator.lines, ...querier.lines].join("\n");
  expect(lines).not.toMatch(/canary/i);
  for (const secret of [
    orderNoOf(body),
    String(created["paymentId"]),
    shop.merchants[0]!.merchantId,
  ]) {
    expect(lines).not.toContain(secret);
  }
  for (const canary of shop.world.canaries) expect(lines).not.toContain(canary);
});
