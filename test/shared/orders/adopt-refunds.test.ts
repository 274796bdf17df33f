import { expect, test } from "vitest";
import { adoptRefunds } from "../../../shared/orders/adopt-refunds.ts";
import { newOrder, type Order, type Refund } from "../../../shared/orders/order.ts";

const euros = (value: string, minor: string) => ({ value, minor, currency: "EUR" });

/** An order of ten euros of which one fact is known. */
const order: Order = {
  ...newOrder("M1#order#A", "M1", "A"),
  version: 1,
  facts: { paid: 1 },
  expected: { amount: euros("10.00", "1000") },
};

/** The payment's item with a refund told before the payment was known. */
function paymentWith(value: string): Order {
  const refund: Refund = {
    refundId: "R1",
    paymentId: "P1",
    status: "refund_success",
    amount: { value },
  };
  return {
    ...newOrder("M1#payment#P1", "M1"),
    version: 1,
    facts: { refunded: 1 },
    refunds: { R1: refund },
    flags: ["unknownOrder"],
  };
}

test("refunds that are adopted get the order's currency and count as its facts", () => {
  expect(adoptRefunds(order, paymentWith("2.5"))).toMatchObject({
    version: 2,
    facts: { paid: 1, refunded: 2 },
    refunds: { R1: { refundId: "R1", amount: euros("2.50", "250") } },
    flags: ["unknownOrder"],
  });
});

test("refunds of more than was ordered are a mismatch when they are adopted", () => {
  expect(adoptRefunds(order, paymentWith("10")).flags).toEqual(["unknownOrder"]);
  expect(adoptRefunds(order, paymentWith("10.01")).flags).toEqual(["unknownOrder", "mismatch"]);
});

test("a refund that does not fit the currency is kept as told, as a mismatch", () => {
  expect(adoptRefunds(order, paymentWith("2.505"))).toMatchObject({
    refunds: { R1: { amount: { value: "2.505" } } },
    flags: ["unknownOrder", "mismatch"],
  });
});

test("what the order knows already is not counted twice, nor overwritten", () => {
  const once = adoptRefunds(order, paymentWith("2.5"));
  expect(adoptRefunds(once, paymentWith("2.5"))).toEqual(once);
});
