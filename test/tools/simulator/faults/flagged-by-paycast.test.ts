import { expect, test } from "vitest";
import type { FaultInput } from "../../../../tools/simulator/faults/fault.ts";
import { eventsOf, records } from "../../../integration/flow.ts";
import { orderBody } from "../../../storefront/order.ts";
import { type Shop, useShops } from "../../../storefront/shop.ts";

const openShop = useShops();

/** Creates an order at Paycast and pays it at the service while the fault is on. */
async function payUnder(fault: FaultInput): Promise<Shop> {
  const shop = await openShop();
  const { status, body } = await shop.create(orderBody());
  expect(status).toBe(201);
  shop.simulator.addFault(fault);
  await shop.pay(String(body["paymentId"]));
  shop.simulator.jumpClock(1);
  await shop.simulator.settled();
  await shop.pump();
  return shop;
}

async function publishedFlags({ world }: Shop): Promise<readonly (readonly string[])[]> {
  return (await eventsOf(world, "books")).map(({ data }) => data.flags);
}

test("a duplicate payment is published and flagged duplicatePayment", async () => {
  const shop = await payUnder({ kind: "duplicate-payment" });
  const [confirming, first, second, ...more] = await publishedFlags(shop);
  expect([confirming, first, more]).toEqual([[], [], []]);
  expect(second).toContain("duplicatePayment");
});

test("a callback that repeats an id with another transaction is published and flagged conflict", async () => {
  const shop = await payUnder({ kind: "conflicting-callback", changes: "transaction", times: 1 });
  const flags = await publishedFlags(shop);
  expect(flags.filter((flag) => flag.includes("conflict"))).toHaveLength(1);
});

test("a callback that repeats an id with another amount is recorded and flagged conflict", async () => {
  const shop = await payUnder({ kind: "conflicting-callback" });
  expect(await publishedFlags(shop)).toEqual([[], []]);
  const flags = (await records(shop.world)).map((record) => record["flags"]);
  expect(flags.filter((flag) => JSON.stringify(flag).includes("conflict"))).toHaveLength(2);
});
