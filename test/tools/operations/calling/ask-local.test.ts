import { expect, test } from "vitest";
import { askLocal } from "../../../../tools/operations/calling/service-control.ts";

const names = { "/order/orderAmount": "The amount" };

/** What somebody learns whose request the local stack refuses with this answer. */
async function refusal(status: number, answer: object): Promise<unknown> {
  const send = async () => new Response(JSON.stringify(answer), { status });
  return await askLocal(send, "POST", "http://127.0.0.1/orders", {}, names).catch(
    (error: unknown) => error,
  );
}

test("each faulty field is named as the person knows it, and the same fault once", async () => {
  const amount = { pointer: "/order/orderAmount", detail: "order.orderAmount is zero." };
  const other = { pointer: "/order/goodsName", detail: "order.goodsName is missing." };
  expect(await refusal(422, { title: "Invalid", errors: [amount, other, amount] })).toMatchObject({
    code: "wrong-usage",
    message: expect.stringMatching(/it: The amount is zero\. order\.goodsName is missing\.$/),
  });
});

test.each([
  [{ error: "No such order.", title: "Not found" }, "No such order."],
  [{ title: "Refused", service: { code: 50007, msg: "limit reached" } }, "50007: limit reached"],
  [{ title: "Failed", detail: "The table is not there." }, "The table is not there."],
  [{ title: "Failed" }, "Failed"],
  [[], "HTTP 503"],
])("of %j, the most exact reason is shown", async (answer, reason) => {
  const error = await refusal(503, answer);
  expect(error).toMatchObject({ code: "gateway-refused" });
  expect(String(error).endsWith(` ${reason}`)).toBe(true);
});
