import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type Call, writes } from "../integration/fault-proxy.ts";
import { eventsOf, logOf, notices, openNotices } from "../integration/flow.ts";
import { daysLater } from "../reconciling/overdue.ts";
import { orderBody } from "./order.ts";
import { type Shop, useShops } from "./shop.ts";

const makeShop = useShops();
/** A UUID with dashes has 36 characters. */
const orderNo = "0e4cb2a6-d94b-4f9c-8e5a-7d1b2c3d4e0f";
const shortened = orderNo.slice(0, 32);
const flags = ["shortenedNumber"];

const denied = { status: 400, type: "AccessDeniedException" };

/** Calls that write into the table of callbacks. */
const writesNotice = (shop: Shop) => (call: Call) =>
  writes(call) && JSON.stringify(call.input).includes(shop.world.tables.callbacks);

async function createUnderFault(shop: Shop): Promise<string> {
  shop.simulator.addFault({ kind: "short-numbers" });
  const created = await shop.create(orderBody({}, { orderNo }));
  expect(created).toMatchObject({ status: 201, body: { orderNo, status: "pending", flags } });
  return String(created.body["paymentId"]);
}

describe("a service that shortens order numbers", () => {
  test("is noticed at the first create, before any callback", async () => {
    const shop = await makeShop();
    const paymentId = await createUnderFault(shop);
    const lines = logOf(await shop.creator());
    expect(lines).toMatchObject([{ orderNo, paymentId, flags, ShortenedNumber: 1 }]);
    expect(await eventsOf(shop.world, "books")).toEqual([]);
    const attention = { kind: "shortened-number", orderNo, paymentId };
    expect(await openNotices(shop.world)).toMatchObject([{ attention }]);
  });

  test("costs no payment id if the notice cannot be written, and a line says so", async () => {
    const shop = await makeShop();
    const { faults } = await shop.creator();
    faults.fail(writesNotice(shop), { kind: "refuse", error: denied });
    const paymentId = await createUnderFault(shop);
    expect(await shop.order(orderNo)).toMatchObject({ paymentIds: [paymentId], flags });
    expect(await notices(shop.world)).toEqual([]);
    const lines = logOf(await shop.creator());
    expect(lines).toMatchObject([
      { outcome: "notice-not-written", orderNo, paymentId, NewAttention: 1 },
      { outcome: "answered", httpStatus: 201 },
    ]);
    const service = "count-attention";
    expect(lines[0]).toMatchObject({ service, errorName: "AccessDeniedException", flags });
  });

  test("is noticed at the second try if the first one fails", async () => {
    const shop = await makeShop();
    const { faults } = await shop.creator();
    faults.fail(writesNotice(shop), { kind: "refuse", error: denied }, { times: 1 });
    await createUnderFault(shop);
    expect(await openNotices(shop.world)).toHaveLength(1);
    expect(logOf(await shop.creator())).toMatchObject([{ outcome: "answered" }]);
  });

  test("is noticed once, also if the answer of the table is lost", async () => {
    const shop = await makeShop();
    const { faults } = await shop.creator();
    faults.fail(writesNotice(shop), { kind: "lose-answer" }, { times: 1 });
    await createUnderFault(shop);
    expect(await notices(shop.world)).toHaveLength(1);
  });

  test("pays an unknown order by its callback, and the real one is settled by its payment id", async () => {
    const shop = await makeShop();
    const paymentId = await createUnderFault(shop);
    await shop.pay(paymentId);
    expect((await shop.get(`/orders/${shortened}`)).body).toMatchObject({
      status: "success",
      flags: ["unknownOrder"],
    });
    expect((await shop.order(orderNo))!["status"]).toBe("pending");

    expect((await shop.get(`/payments/${paymentId}`)).body).toMatchObject({
      orderNo,
      status: "success",
      flags,
    });
    await shop.pump();
    expect(await shop.order(orderNo)).toMatchObject({ status: "success", flags, expected: {} });

    const events = await eventsOf(shop.world, "books");
    const paid = events.filter(({ type }) => type === "payment.order.success");
    expect(paid.map(({ subject, origin, data }) => [subject, origin, data.flags])).toEqual([
      [shortened, "callback", ["unknownOrder"]],
      [orderNo, "query", []],
    ]);
    // One payment is one shipment: the example's team asks a person about the number that nobody created.
    const { decideWork } = await import(resolve("examples/lambda-consumer/decide-work.ts"));
    const works = paid.map((event) => decideWork(event));
    expect(works.map(({ kind, orderNo: about }) => [kind, about])).toEqual([
      ["question", shortened],
      ["shipment", orderNo],
    ]);
  });

  test("is settled by reconciliation if nobody asks", async () => {
    const shop = await makeShop(daysLater);
    const paymentId = await createUnderFault(shop);
    const reconciler = await shop.reconciler();
    await shop.pay(paymentId);
    const due = Number((await shop.order(orderNo))!["dueAtMilliseconds"]);
    reconciler.advance(due - Date.now() + 1_000);
    await reconciler.invoke({}, 50_000);
    expect(logOf(reconciler).at(-1)).toMatchObject({ outcome: "reconciled", News: 1 });
    await shop.pump();
    expect(await shop.order(orderNo)).toMatchObject({ status: "success", flags });
  });
});

describe("gateway.shortOrderNumbers", () => {
  const gateway = { shortOrderNumbers: true };

  test("refuses a new order with a longer number and says why, and nothing is sent", async () => {
    const shop = await makeShop({ gateway });
    const refused = await shop.create(orderBody({}, { orderNo }));
    expect(refused).toMatchObject({
      status: 400,
      body: {
        type: "urn:paycast:problem:body-invalid",
        errors: [
          {
            pointer: "/order/orderNo",
            detail:
              "order.orderNo must be at most 32 characters long: the payment service shortens longer numbers, and would name another order in its callbacks.",
          },
        ],
      },
    });
    expect(shop.simulator.orders()).toEqual([]);
    const created = await shop.create(orderBody({}, { orderNo: shortened }));
    expect(created).toMatchObject({ status: 201, body: { flags: [] } });
  });

  test("leaves an order as it is that was created before", async () => {
    const shop = await makeShop();
    const body = orderBody({}, { orderNo });
    await shop.create(body);
    const GATEWAY = JSON.stringify({
      baseUrl: shop.simulator.url,
      pathPrefix: "",
      ...gateway,
      paths: { create: "/payment/api/v1/payment-order", query: "/unused" },
    });
    const creator = await shop.start("create-order", { GATEWAY });
    const event = { body: JSON.stringify(body), isBase64Encoded: false };
    expect(await creator.invoke(event)).toMatchObject({ value: { statusCode: 200 } });
  });
});

test("without a shortened answer 64 characters work, and nothing is flagged", async () => {
  const shop = await makeShop();
  const long = "n".repeat(64);
  const created = await shop.create(orderBody({}, { orderNo: long }));
  expect(created).toMatchObject({ status: 201, body: { orderNo: long, flags: [] } });
  await shop.pay(String(created.body["paymentId"]));
  expect((await shop.get(`/orders/${long}`)).body).toMatchObject({ status: "success", flags: [] });
  expect(logOf(await shop.creator())[0]).not.toHaveProperty("ShortenedNumber");
});
