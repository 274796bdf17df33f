import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { euros, orderData, storeOrder } from "./aggregates.ts";
import { putItem } from "./aws-stores.ts";
import { type Fields, queuedPayment, queuedQuery } from "./callbacks.ts";
import { eventsOf, logOf, orderItem, process } from "./flow.ts";
import type { Instance } from "./instance.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();
let world: World;
let processor: Instance;
beforeAll(async () => {
  world = await makeWorld();
  processor = await world.start("process-callback");
});
// What another test has published.
beforeEach(async () => void (await eventsOf(world, "books")));

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  );
}

test("all callbacks of an order, in every order of arrival, end in the same status", async () => {
  // test/shared/orders/arrival-order.property.test.ts has longer ones.
  const statuses = ["timeout", "failed", "success"];
  const ends: unknown[] = [];
  for (const [index, order] of permutations(statuses).entries()) {
    const referOrderNo = `PERMUTED-${index}`;
    const batch = order.map((status) => queuedPayment(world, { referOrderNo, status }));
    expect(await process(processor, ...batch)).toEqual([]);
    ends.push((await orderItem(world, referOrderNo))?.["status"]);
  }
  expect(ends).toEqual(Array(6).fill("success"));
});

test.each([
  ["a callback with its transaction, and another without", false, ["T", undefined]],
  ["a callback without its transaction, and another with it", false, [undefined, "T"]],
  ["a query without its transaction, and a callback with it", true, [undefined, "T"]],
  ["a query with its transaction, and a callback without", true, ["T", undefined]],
])("a failure that is reported by %s is one event", async (_name, isAsked, transactions) => {
  const orderNo = randomUUID();
  const [first, second] = transactions.map((transactionId) => ({
    referOrderNo: orderNo,
    status: "failed",
    transactionId,
  }));
  const asked = { orderNo, paymentId: `P-${orderNo}` };
  const statement = isAsked ? queuedQuery(world, asked, first!) : queuedPayment(world, first!);
  expect(await process(processor, statement, queuedPayment(world, second!))).toEqual([]);
  expect(await eventsOf(world, "books")).toHaveLength(1);
  expect(await orderItem(world, orderNo)).toMatchObject({
    sequence: 1,
    status: "failed",
    payment: { transactionId: "T" },
  });
});

describe("a fact is flagged", () => {
  async function flagsOf(facts: readonly Fields[], expected?: string) {
    const referOrderNo = randomUUID();
    if (expected !== undefined)
      await storeOrder(world, referOrderNo, { expected: euros(expected) });
    for (const fact of facts) {
      expect(await process(processor, queuedPayment(world, { referOrderNo, ...fact }))).toEqual([]);
    }
    const events = await eventsOf(world, "books");
    const counted = logOf(processor).at(-1)!;
    return { flags: events.map(({ data }) => data.flags), events, counted };
  }

  test.each(["timeout", "failed"])("late, if money comes in after %s", async (status) => {
    const { flags, events, counted } = await flagsOf([{ status }, {}], "129.95");
    expect(flags).toEqual([[], ["late"]]);
    expect(orderData(events[1]).order).toMatchObject({ status: "success", flags: ["late"] });
    expect(counted).toMatchObject({ Late: 1 });
  });

  test("regressed, if it does not move the order, which is published all the same", async () => {
    const { flags, events, counted } = await flagsOf([{}, { status: "timeout" }], "129.95");
    expect(flags).toEqual([[], ["regressed"]]);
    expect(events[1]).toMatchObject({ type: "payment.order.timeout", sequence: "0000000002" });
    expect(events[1]!.data).toMatchObject({ status: "timeout", order: { status: "success" } });
    expect(counted).toMatchObject({ Regressed: 1 });
  });

  test("duplicatePayment, if the order was paid by another transaction before", async () => {
    const { flags, counted } = await flagsOf([{}, { transactionId: "OTHER" }], "129.95");
    expect(flags).toEqual([[], ["regressed", "duplicatePayment"]]);
    expect(counted).toMatchObject({ DuplicatePayment: 1 });
  });

  test.each([
    ["amount", { paymentAmount: "129.96" }],
    ["currency", { currency: "USD" }],
  ])("mismatch, if its %s is not that of the order created", async (_name, fact) => {
    const { flags, events, counted } = await flagsOf([fact], "129.95");
    expect(flags).toEqual([["mismatch"]]);
    expect(orderData(events[0]).order.status).toBe("success");
    expect(counted).toMatchObject({ Mismatch: 1 });
  });

  test("not mismatch, if it is the same amount in another spelling", async () => {
    const facts = [{ status: "confirming", paymentAmount: "129.95" }, { paymentAmount: "129.950" }];
    expect((await flagsOf(facts, "129.95")).flags).toEqual([[], []]);
  });

  test("unknownOrder, if nobody has created the order here", async () => {
    const { flags, counted } = await flagsOf([{}]);
    expect(flags).toEqual([["unknownOrder"]]);
    expect(counted).toMatchObject({ UnknownOrder: 1 });
  });
});

test("what create-order stored stays beside what facts decide", async () => {
  await storeOrder(world, "STORED", { expected: euros("129.95"), paymentIds: ["PAY-1"] });
  await process(processor, queuedPayment(world, { referOrderNo: "STORED" }));
  expect(await orderItem(world, "STORED")).toMatchObject({
    expected: { value: "129.95" },
    paymentIds: ["PAY-1"],
    status: "success",
    sequence: 1,
    revision: 2,
  });
});

test("a callback that comes before create-order stores the order is not undone by it", async () => {
  await process(processor, queuedPayment(world, { status: "confirming" }));
  const before = await orderItem(world, "ORDER-2026-000042");
  const expected = euros("129.95");
  await putItem(world.dynamodb, world.tables.orders, { ...before, expected });
  await process(processor, queuedPayment(world, { paymentAmount: 1 }));
  const events = await eventsOf(world, "books");
  expect(events.map(({ data }) => data.flags)).toEqual([["unknownOrder"], ["mismatch"]]);
});

test("a payment that only a query names is kept with its order", async () => {
  const asked = { orderNo: "ASKED", paymentId: "PAY-7" };
  const answer = { status: "failed", transactionId: "T", msg: "declined" };
  await process(processor, queuedQuery(world, asked, answer));
  const [event] = await eventsOf(world, "books");
  expect(event!.data).toMatchObject({ paymentId: "PAY-7", reason: "declined" });
  expect(orderData(event).order.paymentIds).toEqual(["PAY-7"]);
});

test("amounts are exact in the event, in the currency's own decimals", async () => {
  const amounts: [unknown, string, string, string][] = [
    [0.1, "EUR", "0.10", "10"],
    ["500", "JPY", "500", "500"],
    ["1.25", "TND", "1.250", "1250"],
    [9007199254740.99, "EUR", "9007199254740.99", "900719925474099"],
    ["123456789012345678.99", "EUR", "123456789012345678.99", "12345678901234567899"],
  ];
  for (const [index, [paymentAmount, currency]] of amounts.entries()) {
    const fact = { referOrderNo: `ORDER-${index}`, paymentAmount, currency };
    expect(await process(processor, queuedPayment(world, fact))).toEqual([]);
  }
  const events = await eventsOf(world, "books");
  expect(events.map(({ data }) => data.amount)).toEqual(
    amounts.map(([, currency, value, minor]) => ({ value, minor, currency })),
  );
});
