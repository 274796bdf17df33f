import { describe, expect, test } from "vitest";
import { createPayment } from "../../../shared/gateway/operations.ts";
import { createBody, created, makeGateway, settingsOf } from "./make-gateway.ts";

/** What a create gives when this is the data of the answer. */
async function createWith(data: object) {
  const text = JSON.stringify({ code: 20000, msg: "SUCCESS", data });
  const { call } = makeGateway({ post: async () => ({ status: 200, text }) });
  return await createPayment(call, settingsOf(new URL("http://127.0.0.1/")), "M1", createBody);
}

const unreadable = { failure: "unreadable", mayHaveActed: true };

describe("the answer of a create", () => {
  test.each([
    ["has no paymentId", { checkoutUrl: "https://pay.example/P1" }],
    ["has an empty paymentId", { ...created, paymentId: "" }],
    ["has no checkoutUrl", { paymentId: "P1" }],
    ["has a checkoutUrl that is too long", { ...created, checkoutUrl: "x".repeat(2049) }],
  ])("that %s cannot be read", async (_, data) => {
    await expect(createWith(data)).rejects.toMatchObject(unreadable);
  });

  test.each([
    ["nothing", {}],
    ["null", { referOrderNo: null }],
    ["an empty text", { referOrderNo: "" }],
    ["the order that was sent", { referOrderNo: "ORDER-1" }],
    ["the same under the other name", { outOrderNo: "ORDER-1" }],
  ])("may name %s as its order", async (_, named) => {
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
    ["as it is told", "pending", "pending"],
    ["also if it is another than pending", "confirming", "confirming"],
    ["shortened if it is long", "x".repeat(500), "x".repeat(64)],
    ["as unknown if it is no text", 7, undefined],
    ["as unknown if it is null", null, undefined],
    ["as unknown if it is left out", undefined, undefined],
  ])("hands the status on %s", async (_, told, status) => {
    expect(await createWith({ ...created, status: told })).toEqual({ ...created, status });
  });

  test("is read in spite of fields that nobody uses", async () => {
    const data = { ...created, channel: 7, more: 12345678901234567890n.toString() };
    expect(await createWith(data)).toMatchObject(created);
  });
});
