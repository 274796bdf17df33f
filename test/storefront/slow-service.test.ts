import { expect, test } from "vitest";
import { orderBody, orderNoOf } from "./order.ts";
import { useShops } from "./shop.ts";

const makeShop = useShops();

test("a service that takes too long costs a create 504 and a query its freshness", {
  timeout: 60_000,
}, async () => {
  const shop = await makeShop();
  const known = orderBody();
  await shop.create(known);
  shop.simulator.addFault({ kind: "slow-answer", seconds: 60 });
  const body = orderBody();
  const [created, queried] = await Promise.all([
    shop.create(body),
    shop.get(`/orders/${orderNoOf(known)}`),
  ]);
  expect(created).toMatchObject({
    status: 504,
    body: { type: "urn:paycast:problem:outcome-unknown" },
  });
  expect(queried).toMatchObject({ status: 200, body: { status: "pending", stale: true } });
  shop.simulator.clearFaults();
  expect(await shop.create(body)).toMatchObject({ status: 201 });
  expect(shop.simulator.orders()).toHaveLength(2);
});
