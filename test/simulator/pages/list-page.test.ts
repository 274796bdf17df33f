import { describe, expect, test } from "vitest";
import { runSimulator } from "../running-simulator.ts";
import { visitorOf } from "./visitor.ts";

const running = runSimulator();
const { expectShown, press, pressAndRead, read } = visitorOf(running);

describe("the list", () => {
  test("links every order, and makes a test order", async () => {
    const paymentId = await running.order({}, { orderNo: "LISTED" });
    await expectShown("/", [`<a href="/orders/${paymentId}">LISTED</a>`]);
    const made = await pressAndRead("/orders", { amount: "3.20", currency: "CHF" });
    for (const text of ["3.20 CHF", "was made here alone"]) expect(made).toContain(text);
  });

  test("keeps what was typed when a test order is refused", async () => {
    const before = running.simulator.orders().length;
    const fields = {
      amount: "3.201",
      currency: "CHF",
      orderNo: 'A "1"',
      callbackUrl: "http://x/y",
    };
    const page = await pressAndRead("/orders", fields);
    const kept = ['value="3.201"', 'value="CHF"', 'value="A &quot;1&quot;"', 'value="http://x/y"'];
    for (const text of [...kept, 'role="alert"', "more decimals"]) expect(page).toContain(text);
    expect(running.simulator.orders()).toHaveLength(before);
  });

  test("finds orders by number, payment, callback and status", async () => {
    const paymentId = await running.order({}, { orderNo: "NEEDLE-1" });
    await running.order({}, { orderNo: "HAYSTACK" });
    running.simulator.expire(paymentId);
    const callbackId = running.simulator.order(paymentId).callbacks[0]?.id;
    for (const search of ["needle", paymentId, callbackId, "timeout"]) {
      const page = await read(`/?search=${search}`);
      expect(page).toContain("NEEDLE-1");
      expect(page).not.toContain("HAYSTACK");
    }
    expect(await read("/?search=<b>")).toContain("No order matches “&lt;b&gt;”");
  });

  test("steps the clock and sets its speed", async () => {
    const paymentId = await running.order();
    await press("/clock", { stepSeconds: "3600" });
    await running.simulator.settled();
    expect(running.simulator.order(paymentId).status).toBe("timeout");
    await press("/clock", { speed: "60" });
    await expectShown("/", ["at 60 times the speed"]);
    await press("/clock", { speed: "0" });
    expect(await pressAndRead("/clock", { stepSeconds: "1e308" })).toContain('role="alert"');
    expect(await pressAndRead("/clock", { backToNow: "true" })).toContain("back at real time");
  });

  test("rotates keys and shows what the merchant must store, and a reload rotates nothing", async () => {
    const { merchantId } = running.merchant;
    const rotated = await press("/rotate", { merchantId });
    expect(rotated.status).toBe(303);
    const address = String(rotated.headers.get("location"));
    const [text, again] = [await read(address), await read(address)];
    expect(text).toContain("The merchant needs them");
    expect(text).toContain("BEGIN PUBLIC KEY");
    expect(text).not.toContain("PRIVATE KEY");
    const keyIn = (page: string) => /BEGIN PUBLIC KEY[^<]+/.exec(page)?.[0];
    expect(keyIn(again)).toBe(keyIn(text));
  });

  test("shows a notice only by its id, never a text of the address", async () => {
    const page = await read("/?notice=Send+your+keys+to+evil.example");
    expect(page).not.toContain("evil.example");
    expect(page).not.toContain('id="notice"');
  });
});
