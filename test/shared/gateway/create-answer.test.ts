import { describe, expect, test } from "vitest";
import { createPayment } from "../../../shared/gateway/operations.ts";
import { createBody, created, makeGateway, settingsOf } from "./make-gateway.ts";

/** What a creation returns if this is the service's response. */
async function answerTo(text: string, status = 200, orderNo = createBody.order.orderNo) {
  const { call } = makeGateway({ post: async () => ({ status, text }) });
  return await createPayment(call, settingsOf(new URL("http://127.0.0.1/")), "M1", {
    ...createBody,
    order: { orderNo },
  });
}

async function createWith(data: object, orderNo?: string) {
  return await answerTo(JSON.stringify({ code: 20000, msg: "SUCCESS", data }), 200, orderNo);
}

const unreadable = { failure: "unreadable", mayHaveActed: true };
const incomplete = { state: "incomplete", paymentId: "P1" };

describe("the answer of a create", () => {
  test.each([
    ["no paymentId", { checkoutUrl: "https://pay.example/P1" }],
    ["an empty paymentId", { ...created, paymentId: "" }],
    ["a paymentId that no table could hold", { ...created, paymentId: "p".repeat(65) }],
    ["a paymentId that is a fraction", { ...created, paymentId: 1.5 }],
  ])("that has %s cannot be read", async (_case, data) => {
    await expect(createWith(data)).rejects.toMatchObject(unreadable);
  });

  test.each<[string, object]>([
    ["without a checkoutUrl", { checkoutUrl: undefined }],
    ["with a checkoutUrl that is null", { checkoutUrl: null }],
    ["with an empty checkoutUrl", { checkoutUrl: "" }],
    [
      "with a checkoutUrl that is too long",
      { checkoutUrl: `https://a.example/${"x".repeat(2031)}` },
    ],
    ["with a checkoutUrl that is a script", { checkoutUrl: "javascript:alert(1)" }],
    ["with a checkoutUrl that is not encrypted", { checkoutUrl: "http://pay.example/P1" }],
    ["with a checkoutUrl that is no address", { checkoutUrl: "pay.example/P1" }],
  ])("%s is incomplete, and its payment id is kept", async (_case, changes) => {
    expect(await createWith({ ...created, ...changes })).toMatchObject(incomplete);
  });

  test("with the longest checkoutUrl is complete", async () => {
    const checkoutUrl = `https://a.example/${"x".repeat(2030)}`;
    expect(checkoutUrl).toHaveLength(2_048);
    expect(await createWith({ ...created, checkoutUrl })).toMatchObject({ checkoutUrl });
  });

  test.each([201, 202, 206, 302, 404, 429, 500])(
    "under HTTP %i is incomplete, and its payment id is kept",
    async (status) => {
      const text = JSON.stringify({ code: 20000, data: created });
      expect(await answerTo(text, status)).toMatchObject(incomplete);
    },
  );

  test.each([
    ["7", "7"],
    ["900719925474099312345", "900719925474099312345"],
    ["1E+3", "1000"],
  ])(
    "with the number %s as payment id is incomplete, and the id is its text",
    async (written, paymentId) => {
      const text = `{"code":20000,"data":{"paymentId":${written},"checkoutUrl":"https://pay.example/"}}`;
      expect(await answerTo(text)).toMatchObject({ state: "incomplete", paymentId });
    },
  );

  test.each([
    ["nothing", {}],
    ["null", { referOrderNo: null }],
    ["an empty text", { referOrderNo: "" }],
    ["something that is no text", { referOrderNo: { name: "ORDER-2" } }],
    ["the order that was sent", { referOrderNo: "ORDER-1" }],
    ["the same under the other name", { outOrderNo: "ORDER-1" }],
  ])("may name %s as its order", async (_case, named) => {
    expect(await createWith({ ...created, ...named })).toMatchObject({
      state: "created",
      ...created,
    });
  });

  test("may name its order as a number, by its text", async () => {
    const number = "900719925474099312345";
    const text = (named: string) =>
      `{"code":20000,"data":{"paymentId":"P1","checkoutUrl":"https://pay.example/","referOrderNo":${named}}}`;
    expect((await answerTo(text(number), 200, number)).state).toBe("created");
    expect((await answerTo(text("900719925474099312346"), 200, number)).state).toBe("other-order");
  });

  test.each([
    { referOrderNo: "ORDER-2" },
    { referOrderNo: "order-1" },
    { referOrderNo: "ORDER-1 " },
    { outOrderNo: "ORDER-2" },
    { referOrderNo: "ORDER-2", checkoutUrl: undefined },
  ])("that names another order is not this order's payment: %j", async (named) => {
    expect(await createWith({ ...created, ...named })).toEqual({
      state: "other-order",
      paymentId: "P1",
    });
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
      state: "created",
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
    expect(answer).toMatchObject({ state: "created", isNumberShortened: expected });
  });

  test("that names fewer than 32 characters of the number is not this order's payment", async () => {
    const data = { ...created, referOrderNo: long.slice(0, 31) };
    expect((await createWith(data, long)).state).toBe("other-order");
  });

  test("is read in spite of fields that nobody uses", async () => {
    const data = { ...created, channel: 7, more: 12345678901234567890n.toString() };
    expect(await createWith(data)).toMatchObject(created);
  });
});
