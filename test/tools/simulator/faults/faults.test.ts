import { describe, expect, test } from "vitest";
import { faultDescriptions, faultGroups } from "../../../../tools/simulator/faults/fault.ts";
import { refusalCodes } from "../../../../tools/simulator/orders/refusal.ts";
import { runSimulator } from "../running-simulator.ts";
import { control, createBody, paths } from "../storefront.ts";
import { sealRequest } from "../test-merchant.ts";

const lines: string[] = [];
const running = runSimulator({ log: (line) => lines.push(line) });

test("a fault for one order leaves the others alone, even if it was set before the order", async () => {
  running.simulator.addFault({ kind: "lose", orderNo: "DOOMED" });
  for (const orderNo of ["DOOMED", "LUCKY"]) {
    running.simulator.expire(await running.order({}, { orderNo }));
  }
  await running.simulator.settled();
  expect(running.results()).toMatchObject([{ referOrderNo: "LUCKY" }]);
});

test("a fault with a number of times ends after these", async () => {
  const { simulator } = running;
  simulator.addFault({ kind: "lose", times: 1 });
  simulator.addFault({ kind: "send-twice", times: 2 });
  const paymentId = await running.paidOrder();
  expect(running.events()).toEqual(["payment.order.success", "payment.order.success"]);
  const states = simulator.order(paymentId).callbacks.map(({ state }) => state);
  expect(states).toEqual(["lost", "delivered"]);
});

test("the log tells when a fault is on and when it is off, also of one that is used up at once", async () => {
  const { simulator } = running;
  lines.length = 0;
  simulator.addFault({ kind: "lose", orderNo: "A", times: 1 });
  simulator.expire(await running.order({}, { orderNo: "A" }));
  const id = simulator.addFault({ kind: "delay" });
  for (let times = 0; times < 2; times += 1) simulator.removeFault(id);
  simulator.addFault({ kind: "send-twice" });
  simulator.addFault({ kind: "wrong-key" });
  simulator.clearFaults();
  expect(lines.filter((line) => line.startsWith("fault "))).toEqual([
    "fault lose for A is on",
    "fault lose for A is off",
    "fault delay is on",
    "fault delay is off",
    "fault send-twice is on",
    "fault wrong-key is on",
    "fault send-twice is off",
    "fault wrong-key is off",
  ]);
});

test("the control API sets, lists and switches off faults", async () => {
  const { simulator } = running;
  const fault = { kind: "delay", seconds: 5, times: 3 };
  const set = await control(simulator, "POST", "/faults", fault);
  expect(set.body).toMatchObject({ kind: "delay", seconds: 5, left: 3 });
  await control(simulator, "POST", "/faults", { kind: "lose" });
  const removed = await control(simulator, "DELETE", `/faults/${set.body["id"]}`);
  expect(removed.body).toMatchObject({ faults: [{ kind: "lose" }] });
  expect((await control(simulator, "DELETE", "/faults")).body).toEqual({ faults: [] });
});

test.each([
  [{ kind: "gremlins" }],
  [{ kind: "delay", seconds: "soon" }],
  [{ kind: "lose", extra: 1 }],
])("the control API refuses %o and says why", async (input) => {
  const answer = await control(running.simulator, "POST", "/faults", input);
  expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(/./) } });
});

test("the control API tells every kind of fault with its description, in groups", async () => {
  const { body } = await control(running.simulator, "GET", "/faults");
  expect(body["faults"]).toEqual([]);
  const groups = body["groups"] as {
    title: string;
    kinds: { kind: string; description: string }[];
  }[];
  expect(groups.map(({ title }) => title)).toEqual(faultGroups.map(({ title }) => title));
  const descriptions = groups.flatMap(({ kinds }) =>
    kinds.map((kind) => [kind.kind, kind.description]),
  );
  expect(Object.fromEntries(descriptions)).toEqual(faultDescriptions);
});

test("the guide explains every kind of fault", async () => {
  const guide = await (await fetch(`${running.simulator.url}/control`)).text();
  for (const kind of Object.keys(faultDescriptions)) expect(guide).toContain(kind);
});

describe("on the answers of the service", () => {
  const sendCreate = () =>
    fetch(running.simulator.url + paths.create, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: sealRequest(running.merchant, "service.trade.create", createBody()),
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
    const result = { referOrderNo: "🛒".repeat(32) };
    const created = await running.create(createBody({}, { orderNo: "🛒".repeat(40) }));
    expect(created.data).toMatchObject(result);
    expect((await running.query(created.data!["paymentId"])).data).toMatchObject(result);
    const whole = { orderNo: "n".repeat(64) };
    const later = await running.create(createBody({}, whole));
    expect(later.data).toMatchObject({ referOrderNo: whole.orderNo });
  });

  test.each<[string, number, object]>([
    ["no-address", 200, { status: "pending" }],
    ["long-address", 200, { checkoutUrl: expect.stringMatching(/^.{2049,}$/) }],
    ["unsafe-address", 200, { checkoutUrl: "javascript:alert(1)" }],
    ["number-id", 200, { paymentId: expect.any(Number) }],
    ["http-201", 201, { checkoutUrl: expect.stringContaining("/checkout/") }],
    ["other-order", 200, { referOrderNo: "of-somebody-else" }],
  ])(
    "incomplete-answer can be %s, and the payment exists all the same",
    async (how, status, changes) => {
      running.simulator.addFault({ kind: "incomplete-answer", how: how as "no-address", times: 1 });
      const response = await sendCreate();
      expect(response.status).toBe(status);
      const { data } = JSON.parse(await response.text());
      expect(data).toMatchObject(changes);
      expect("checkoutUrl" in data).toBe(how !== "no-address");
      const [{ paymentId = "" } = {}] = running.simulator.orders();
      if (how !== "number-id") expect(data.paymentId).toBe(paymentId);
      expect((await running.query(paymentId)).data).toMatchObject({ status: "pending" });
    },
  );

  test("faults of one operation leave the other alone", async () => {
    running.simulator.addFault({ kind: "reset-connections", operation: "create" });
    running.simulator.addFault({ kind: "refuse-creates" });
    expect(await running.query("none")).toMatchObject({
      code: refusalCodes.unknownPayment,
    });
  });
});
