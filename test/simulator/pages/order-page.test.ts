import { describe, expect, test } from "vitest";
import { runSimulator } from "../running-simulator.ts";
import { visitorOf } from "./visitor.ts";

const running = runSimulator();
const { expectShown, press, pressAndRead, read } = visitorOf(running);

describe("the page of an order", () => {
  test("shows every attempt with its answer, and sends again by hand", async () => {
    running.receiver.answer = { status: 503, body: "come back later" };
    const paymentId = await running.order();
    await press(`/orders/${paymentId}/act`, { action: "expire" });
    await running.simulator.settled();
    running.receiver.answer = { status: 200, body: "ok" };
    const [callback] = running.simulator.order(paymentId).callbacks;
    await press(`/callbacks/${callback?.id}/send-again`, { paymentId });
    const attempts = ["HTTP 503", "come back later", "HTTP 200", "expected {"];
    await expectShown(`/orders/${paymentId}`, ["payment.order.timeout", ...attempts]);
  });

  test("starts a refund, and says why not", async () => {
    const paymentId = await running.paidOrder();
    await expectShown(`/orders/${paymentId}`, ['id="refund"']);
    const refund = (amount: string) =>
      press(`/orders/${paymentId}/refund`, { amount, referRefundNo: "", outcome: "success" });
    await refund("10");
    expect(running.simulator.order(paymentId).refunds).toMatchObject([{ amount: "10.00" }]);
    const fields = { amount: "16", referRefundNo: "MINE-7", outcome: "success" };
    const tooMuch = await pressAndRead(`/orders/${paymentId}/refund`, fields);
    for (const text of ["at most 15.00", 'role="alert"', 'value="16"', 'value="MINE-7"']) {
      expect(tooMuch).toContain(text);
    }
  });

  test("switches faults on and off for this order only", async () => {
    const paymentId = await running.order();
    await press("/faults", { kind: "lose", times: "1", paymentId });
    expect(await read("/")).not.toContain("on, 1 more");
    const page = await read(`/orders/${paymentId}`);
    expect(page).toContain("on, 1 more");
    const id = /name="id" value="([^"]+)"/.exec(page)?.[1] ?? "";
    await press("/faults/off", { id, paymentId });
    expect(await read(`/orders/${paymentId}`)).not.toContain("on, 1 more");
  });

  test("shows faults that are on for all orders first, and none of another order", async () => {
    const paymentId = await running.order();
    running.simulator.addFault({ kind: "lose" });
    running.simulator.addFault({ kind: "delay", orderNo: "ANOTHER" });
    const page = await read(`/orders/${paymentId}`);
    expect(page).toContain('<a href="#fault-lose">lose</a> (all orders)');
    expect(page).toContain("on for all orders");
    expect(page).not.toContain('href="#fault-delay"');
    expect(page.indexOf("Faults are on")).toBeLessThan(page.indexOf("<h1"));
  });

  test("has the time of the next attempt and of expiry for the countdown", async () => {
    // Made here and now: signing a request takes time, and then the order would have less than 30 minutes.
    const { paymentId } = running.simulator.makeOrder({ callbackUrl: running.receiver.url });
    const until = /in <span class="countdown" data-until="(\d{13})">30 min<\/span>/;
    expect(await read(`/orders/${paymentId}`)).toMatch(until);
    running.receiver.answer = { status: 503, body: "" };
    running.simulator.expire(paymentId);
    await running.simulator.settled();
    expect(await read(`/orders/${paymentId}`)).toMatch(/next attempt in <span [^>]*>1 min</);
  });
});
