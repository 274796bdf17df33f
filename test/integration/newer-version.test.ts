import { expect, test } from "vitest";
import { anAttempt } from "../shared/orders/facts.ts";
import { euros, storeLinkedPayment, storeOrder } from "./aggregates.ts";
import { putItem } from "./aws-stores.ts";
import { queuedPayment, queuedRefund } from "./callbacks.ts";
import { eventsOf, logOf, orderItem, paymentItem, process, quarantined, records } from "./flow.ts";
import { useWorlds } from "./world.ts";

/*
 * After a rollback the tables hold what the newer version wrote. Callbacks still flow, and what this version does not know
 * stays where it is.
 */

const makeWorld = useWorlds();
const later = "fromTomorrow";
const privately: object = { [later]: "private" };

test("an order of a newer version takes its callback, and keeps what only that version knows", async () => {
  const world = await makeWorld();
  const attempt = { ...anAttempt({ paymentTimeMilliseconds: 1 }), [later]: { deep: [1, "two"] } };
  await storeOrder(world, "A", {
    expected: euros("129.95"),
    flags: [later],
    attempts: [attempt],
    payment: privately,
    [later]: { list: [true] },
  });
  const processor = await world.start("process-callback");
  const confirming = queuedPayment(world, { referOrderNo: "A", status: "confirming" });
  const success = queuedPayment(world, { referOrderNo: "A", paymentAmount: 1 });
  expect(await process(processor, confirming, success)).toEqual([]);
  expect(await orderItem(world, "A")).toMatchObject({
    status: "success",
    flags: ["mismatch", later],
    attempts: [attempt],
    [later]: { list: [true] },
  });
  const events = await eventsOf(world, "books");
  expect(events).toHaveLength(2);
  expect(JSON.stringify(events)).not.toContain(later);
});

test("a payment of a newer version takes its refund, and keeps what only that version knows", async () => {
  const world = await makeWorld();
  const processor = await world.start("process-callback");
  await storeLinkedPayment(world, "P", { orderNo: "A", expected: euros("129.95") });
  await process(processor, queuedRefund(world, { paymentId: "P", refundId: "R1" }));
  const stored = await paymentItem(world, "P");
  const refunds = stored!["refunds"] as Record<string, object>;
  await putItem(world.dynamodb, world.tables.orders, {
    ...stored,
    flags: [later],
    refunds: { R1: { ...refunds["R1"], [later]: 7 } },
  });
  const next = queuedRefund(world, { paymentId: "P", refundId: "R2", refundAmount: 1 });
  expect(await process(processor, next)).toEqual([]);
  expect(await paymentItem(world, "P")).toMatchObject({
    flags: [later],
    refunds: { R1: { [later]: 7 }, R2: { status: "refund_success" } },
  });
  expect(JSON.stringify(await eventsOf(world, "books"))).not.toContain(later);
});

test("a message whose record a newer version has written is resumed, and is a duplicate then", async () => {
  const world = await makeWorld();
  const processor = await world.start("process-callback");
  const message = queuedPayment(world);
  await process(processor, message);
  await eventsOf(world, "books");
  const [record] = await records(world);
  await putItem(world.dynamodb, world.tables.callbacks, {
    ...record,
    flags: [later],
    type: "payment.order.fromTomorrow",
    tomorrow: { kind: "new" },
    pending: new Set(["books"]),
  });
  expect(await process(processor, message)).toEqual([]);
  expect(logOf(processor).at(-1)).toMatchObject({ outcome: "resumed", flags: [] });
  expect(await process(processor, message)).toEqual([]);
  expect(logOf(processor).at(-1)).toMatchObject({ outcome: "duplicate" });
  expect((await records(world))[0]).toMatchObject({
    flags: [later],
    tomorrow: { kind: "new" },
  });
  expect(await quarantined(world)).toEqual([]);
});
