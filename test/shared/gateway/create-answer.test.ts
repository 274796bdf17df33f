import { describe, expect, test } from "vitest";
import { createPayment } from "../../../shared/gateway/operations.ts";
import { createBody, created, makeGateway, settingsOf } from "./make-gateway.ts";

/** What a create gives when this is the data of the answer. */
async function createWith(data: object, orderNo = createBody.order.orderNo) {
  const text = JSON.stringify({ code: 20000, msg: "SUCCESS", data });
  const { call } = makeGateway({ post: async () => ({ status: 200, text }) });
  return await createPayment(call, settingsOf(new URL("http://127.0.0.1/")), "M1", {
    ...createBody,
    order: { orderNo },
  });
}

const unreadable = { failure: "unreadable", mayHaveActed: true };

describe("the answer of a create", () => {
  test.each([
    ["has no paymentId", { checkoutUrl: "https://pay.example/P1" }],
    ["has an empty paymentId", { ...created, paymentId: "" }],
    ["has no checkoutUrl", { paymentId: "P1" }],
    ["has a checkoutUrl that is too long", { ...created, checkoutUrl: "x".repeat(2049) }],
  ])("that %s cannot be read", async (_case, data) => {
    await expect(createWith(data)).rejects.toMatchObject(unreadable);
  });

  test.each([
    ["nothing", {}],
    ["null", { referOrderNo: null }],
    ["an empty text", { referOrderNo: "" }],
    ["the order that was sent", { referOrderNo: "ORDER-1" }],
    ["the same under the other name", { outOrderNo: "ORDER-1" }],
  ])("may name %s as its order", async (_case, named) => {
    expect(await createWith({ ...created, ...named })).toMatchObject(created);
  });

  test.each([
    { referOrderNo: "ORDER-2" },
    { referOrderNo: "order-1" },
    { referOrderNo: "ORDER-1 " },
    { outOrderNo: "ORDER-2" },
  ])("that names another order is not this order's payment: %j", async (named) => {
    await expect(createWith({ ...created, ...named })).rejects.toMatchObject(unreadable);
  });

  test.each([
    ["as it is reported", "pending", "pending"],
    ["also if it is another than pending", "confirming", "confirming"],
    ["shortened if it is long", "x".repeat(500), "x".repeat(64)],
    ["as unknown if it is no text", 7, undefined],
    ["as unknown if it is null", null, undefined],
    ["as unknown if it is left out", undefined, undefined],
  ])("hands the status on %s", async (_case, answered, status) => {
    expect(await createWith({ ...created, status: answered })).toEqual({
      ...created,
      status,
      isNumberShortened: false,
    });
  });

  const long = `${"0123456789".repeat(3)}01-and-so-on`;
  test.each([
    ["whole", long, false],
    ["cut to 32 characters", long.slice(0, 32), true],
    ["cut to more than 32 characters", long.slice(0, 40), true],
  ])("tells whether the order's number is shortened: %s", async (_case, referOrderNo, expected) => {
    const answer = await createWith({ ...created, referOrderNo }, long);
    expect(answer.isNumberShortened).toBe(expected);
  });

  test("that names fewer than 32 characters of the number is not this order's payment", async () => {
    const data = { ...created, referOrderNo: long.slice(0, 31) };
    await expect(createWith(data, long)).rejects.toMatchObject(unreadable);
  });

  test("is read in spite of fields that nobody uses", async () => {
    const data = { ...created, channel: 7, more: 12345678901234567890n.toString() };
    expect(await createWith(data)).toMatchObject(created);
  });
});
