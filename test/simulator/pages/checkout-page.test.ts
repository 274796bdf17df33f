import { describe, expect, test } from "vitest";
import { runSimulator } from "../running-simulator.ts";
import { visitorOf } from "./visitor.ts";

const shop = "https://shop.example/result?order=1&lang=en";
const running = runSimulator();
const { expectShown, press } = visitorOf(running);

describe("the checkout page", () => {
  test("shows the order and its three buttons", async () => {
    const paymentId = await running.order({}, { orderNo: "SHOWN" });
    const buttons = ['id="pay"', 'id="fail"', 'id="leave"'];
    const order = ["SHOWN", "25.00 EUR", "2 × Cup", "10.00 EUR each"];
    await expectShown(`/checkout/${paymentId}`, [...order, ...buttons]);
  });

  test("shows confirming after a payment, then paid, then goes to the shop", async () => {
    const paymentId = await running.order({ redirectUrl: shop });
    const path = `/checkout/${paymentId}`;
    const pressed = await press(path, { action: "pay" });
    expect([pressed.status, pressed.headers.get("location")]).toEqual([303, path]);
    await expectShown(path, ["Confirming your payment", 'http-equiv="refresh" content="1"']);
    await running.step(2);
    const next = 'content="2;url=https://shop.example/result?order=1&amp;lang=en"';
    await expectShown(path, ["<h1>Paid</h1>", next]);
    expect(running.simulator.order(paymentId).status).toBe("success");
  });

  test("lets the consumer leave, and the order stays open", async () => {
    const paymentId = await running.order({ redirectUrl: shop });
    const left = await press(`/checkout/${paymentId}`, { action: "leave" });
    expect([left.status, left.headers.get("location")]).toEqual([303, shop]);
    expect(running.simulator.order(paymentId).status).toBe("pending");
  });

  test("takes one payment when the button is pressed several times", async () => {
    const paymentId = await running.order();
    const presses = [1, 2, 3].map(() => press(`/checkout/${paymentId}`, { action: "pay" }));
    for (const { status } of await Promise.all(presses)) expect(status).toBe(303);
    await running.simulator.settled();
    await running.step(2);
    expect(running.events()).toEqual(["payment.order.confirming", "payment.order.success"]);
  });

  test("of an order that does not exist is a 404", async () => {
    expect((await fetch(`${running.simulator.url}/checkout/${"0".repeat(32)}`)).status).toBe(404);
  });
});
