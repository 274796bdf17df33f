import { expect, test } from "vitest";
import { orderBody } from "./order.ts";
import { useShops } from "./shop.ts";

const makeShop = useShops();

test("a service that takes too long costs a create 504, and a repeat is sent", async () => {
  const shop = await makeShop();
  // As long as the test may take: only the time limit of the call can end it.
  shop.simulator.addFault({ kind: "slow-answer", seconds: 600 });
  const body = orderBody();
  expect(await shop.create(body)).toMatchObject({
    status: 504,
    body: { type: "urn:paycast:problem:outcome-unknown" },
  });
  shop.simulator.clearFaults();
  expect(await shop.create(body)).toMatchObject({ status: 201 });
  expect(shop.simulator.orders()).toHaveLength(1);
});
