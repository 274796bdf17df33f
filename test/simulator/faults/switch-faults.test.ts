import { expect, test } from "vitest";
import { faultDescriptions, faultGroups } from "../../../simulator/faults/fault.ts";
import { runSimulator } from "../running-simulator.ts";
import { control } from "../storefront.ts";

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
    ...["fault lose for A is on", "fault lose for A is off", "fault delay is on"],
    ...["fault delay is off", "fault send-twice is on", "fault wrong-key is on"],
    ...["fault send-twice is off", "fault wrong-key is off"],
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
  const told = groups.flatMap(({ kinds }) => kinds.map((one) => [one.kind, one.description]));
  expect(Object.fromEntries(told)).toEqual(faultDescriptions);
});

test("the guide explains every kind of fault", async () => {
  const guide = await (await fetch(`${running.simulator.url}/control`)).text();
  for (const kind of Object.keys(faultDescriptions)) expect(guide).toContain(kind);
});
