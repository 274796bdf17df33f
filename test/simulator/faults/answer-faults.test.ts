import { describe, expect, test } from "vitest";
import { refusalCodes } from "../../../simulator/orders/refusal.ts";
import { runSimulator } from "../running-simulator.ts";
import { createBody, paths } from "../storefront.ts";
import { sealRequest } from "../test-merchant.ts";

const running = runSimulator();
const { merchant } = running;

describe("on the answers of the service", () => {
  const sendCreate = () =>
    fetch(running.simulator.url + paths.create, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: sealRequest(merchant, "service.trade.create", createBody()),
    });

  test("slow-answer answers late, when the order is already made", async () => {
    // Long enough that a busy machine looks before the answer.
    running.simulator.addFault({ kind: "slow-answer", seconds: 3 });
    const before = running.simulator.orders().length;
    let answered = false;
    const answer = running.create().finally(() => {
      answered = true;
    });
    await expect.poll(() => running.simulator.orders().length).toBe(before + 1);
    expect(answered).toBe(false);
    expect(await answer).toMatchObject({ code: 20_000 });
  });

  test("refuse-creates refuses with the code and status it was given, and makes no order", async () => {
    const before = running.simulator.orders().length;
    running.simulator.addFault({
      kind: "refuse-creates",
      code: 40_777,
      msg: "closed",
      httpStatus: 503,
      times: 1,
    });
    const response = await sendCreate();
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ code: 40_777, msg: "closed" });
    running.simulator.addFault({ kind: "refuse-creates" });
    expect(await running.create()).toMatchObject({
      code: refusalCodes.refusedOnPurpose,
    });
    expect(running.simulator.orders()).toHaveLength(before);
  });

  test("reset-connections cuts before the work, or after it so that only the answer is lost", async () => {
    const before = running.simulator.orders().length;
    running.simulator.addFault({ kind: "reset-connections", times: 1 });
    await expect(sendCreate()).rejects.toThrow();
    expect(running.simulator.orders()).toHaveLength(before);
    running.simulator.addFault({ kind: "reset-connections", when: "after", times: 1 });
    await expect(sendCreate()).rejects.toThrow();
    expect(running.simulator.orders()).toHaveLength(before + 1);
  });

  test.each([
    ["html", 200, /^<html>/],
    ["empty", 200, /^$/],
    ["truncated", 200, /^\{"code":20000,[^}]*$/],
    ["http-404", 404, /Not found/],
    ["http-500", 500, /Internal error/],
  ] as const)("broken-answer can be %s", async (how, status, text) => {
    running.simulator.addFault({ kind: "broken-answer", how });
    const response = await sendCreate();
    expect(response.status).toBe(status);
    expect(await response.text()).toMatch(text);
  });

  test("short-numbers tells 32 characters of the number of a new order, in answers and callbacks", async () => {
    running.simulator.addFault({ kind: "short-numbers", times: 1 });
    const told = { referOrderNo: "🛒".repeat(32) };
    const created = await running.create(createBody({}, { orderNo: "🛒".repeat(40) }));
    expect(created.data).toMatchObject(told);
    expect((await running.query(created.data!["paymentId"])).data).toMatchObject(told);
    const whole = { orderNo: "n".repeat(64) };
    const later = await running.create(createBody({}, whole));
    expect(later.data).toMatchObject({ referOrderNo: whole.orderNo });
  });

  test("faults of one operation leave the other alone", async () => {
    running.simulator.addFault({ kind: "reset-connections", operation: "create" });
    running.simulator.addFault({ kind: "refuse-creates" });
    expect(await running.query("none")).toMatchObject({
      code: refusalCodes.unknownPayment,
    });
  });
});
