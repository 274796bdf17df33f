import { expect, test } from "vitest";
import { createCallMilliseconds } from "../../shared/timing.ts";
import { orderBody } from "./order.ts";
import { useShops } from "./shop.ts";

const makeShop = useShops();

test("a service that takes too long costs a create 504, and a repeat is sent", {
  timeout: 6 * createCallMilliseconds,
}, async () => {
  const shop = await makeShop();
  shop.simulator.addFault({ kind: "slow-answer", seconds: 60 });
  const body = orderBody();
  const startedAt = performance.now();
  expect(await shop.create(body)).toMatchObject({
    status: 504,
    body: { type: "urn:paycast:problem:outcome-unknown" },
  });
  expect(performance.now() - startedAt).toBeLessThan(2 * createCallMilliseconds);
  shop.simulator.clearFaults();
  expect(await shop.create(body)).toMatchObject({ status: 201 });
  expect(shop.simulator.orders()).toHaveLength(1);
});
