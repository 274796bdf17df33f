import { expect, test } from "vitest";
import { createMemory } from "../../examples/shop/memory.ts";
import { type Pay, payAgain } from "../../examples/shop/pay.ts";
import type { NewOrder, PaidOrder } from "../../examples/shop/paycast-api.ts";

const pending: PaidOrder = {
  ...{ status: "pending", stale: false, outcomeUnknown: false, refunds: [], flags: [] },
  checkoutUrl: "https://pay.example/checkout",
};
const older: PaidOrder = { ...pending, stale: true };
const expired: PaidOrder = { ...pending, status: "timeout" };

/** A shop with one order. Paycast, a double here, gives these answers about it, and the last one from then on. */
function makeShop(answers: readonly [PaidOrder, ...PaidOrder[]]) {
  const left = [...answers];
  const created: string[] = [];
  const memory = createMemory();
  memory.changeBasket("visitor", "sencha", 1);
  const [orderNo = ""] =
    memory.purchaseOf("visitor", memory.basketOf("visitor").id)?.orderNos ?? [];
  memory.noteCreated(orderNo);
  const api = {
    createOrder: async ({ order }: NewOrder) => {
      created.push(order.orderNo);
      return pending;
    },
    readOrder: async () => (left.length > 1 ? left.shift() : left[0]),
  };
  const deps: Pay = { api, memory, address: "", tell: () => {}, creating: new Map() };
  return { orderNo, created, again: () => payAgain(orderNo, deps) };
}

test("a customer who orders again before the end of the order is stored gets the next number", async () => {
  const { orderNo, created, again } = makeShop([older, expired]);
  expect(await again()).toBe(pending.checkoutUrl);
  expect(created).toEqual([`${orderNo}-2`]);
});

test("while Paycast cannot be sure of the end, an order keeps its number: nobody pays twice", async () => {
  const { orderNo, created, again } = makeShop([older]);
  await again();
  expect(created).toEqual([orderNo]);
});
