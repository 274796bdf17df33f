import { describe, expect, test, vi } from "vitest";
import { triggerEvent } from "../../../../tools/operations/calling/local-orders.ts";
import { stackName, useDeployedStack } from "../deployed-stack.ts";
import { useOperatedStack } from "../operated-stack.ts";

const operated = useOperatedStack();
useDeployedStack(operated);
const trigger = async (...words: string[]) => await operated.paycastJson("trigger", ...words);

const orderOf = async (orderNo: string) => (await operated.shop().get(orderNo)).order;

/** Until Paycast has acknowledged the callback of that name. */
const untilDelivered = async (paymentId: string, eventName: string) => {
  const delivered = async () => {
    const { callbacks } = await operated.shop().control("GET", `/orders/${paymentId}`);
    return callbacks;
  };
  const acknowledged = { eventName, state: "delivered" };
  await expect
    .poll(delivered, { timeout: 20_000 })
    .toEqual(expect.arrayContaining([expect.objectContaining(acknowledged)]));
};

describe("npx paycast trigger", () => {
  test.each([
    ["payment.order.success", "success"],
    ["payment.order.failed", "failed"],
    ["payment.order.timeout", "timeout"],
    ["payment.order.confirming", "success"],
  ])("%s makes a new order of Paycast that ends as %s", async (event, status) => {
    const result = await trigger(event);
    expect(result).toEqual({
      event,
      orderNo: expect.stringMatching(/^local-[0-9a-f]{8}$/),
      paymentId: expect.any(String),
      merchantId: "shop-1",
      isNewOrder: true,
    });
    await untilDelivered(result.paymentId, event);
    await expect.poll(() => orderOf(result.orderNo), { timeout: 20_000 }).toMatchObject({ status });
    const { flags } = await orderOf(result.orderNo);
    expect(flags).not.toEqual(expect.arrayContaining(["unknownOrder"]));
    expect(flags).not.toEqual(expect.arrayContaining(["mismatch"]));
  });

  test.each([
    ["payment.refund.success", "refund_success"],
    ["payment.refund.failed", "refund_failed"],
  ])("%s pays a new order first", async (event, status) => {
    const { orderNo } = await trigger(event);
    await expect
      .poll(async () => (await operated.shop().get(orderNo)).order.refunds, { timeout: 20_000 })
      .toMatchObject([{ status }]);
  });

  test("an event for an order that exists is about that order", async () => {
    const { body } = await operated.shop().create("known-1");
    const result = await trigger("payment.order.success", "known-1");
    expect(result).toMatchObject({ paymentId: body.paymentId, isNewOrder: false });
    await untilDelivered(result.paymentId, "payment.order.success");
  });

  test("an order number of any script is used as it is, and printed without harm", async () => {
    const orderNo = `注文 №7 'ü' ${"é".repeat(40)}`;
    const { out, code } = await operated.paycast("trigger", "payment.order.success", orderNo);
    expect(code).toBe(0);
    expect(out).toContain(`order     ${orderNo} (new)\n`);
    expect(out).toContain(`Watch it: npx paycast order '注文 №7 '\\''ü'\\'' `);
    await expect.poll(() => orderOf(orderNo), { timeout: 20_000 }).toMatchObject({ orderNo });
  });

  test("control characters of an order number never reach the terminal", async () => {
    const hostile = "a\u001b[2J\u202eb";
    const { out, err } = await operated.paycast("trigger", "payment.order.success", hostile);
    for (const character of ["\u001b", "\u202e"]) expect(out + err).not.toContain(character);
  });

  test("what the local service refuses is reported, with exit code 2", async () => {
    const { orderNo, paymentId } = await trigger("payment.order.success");
    await untilDelivered(paymentId, "payment.order.success");
    const { code, err } = await operated.paycast("trigger", "payment.order.timeout", orderNo);
    expect(err).toContain("The local stack rejected it: the order is success, not pending");
    expect(code).toBe(2);
  });

  test("Ctrl-C while the order is being paid says how to go on", async () => {
    await operated.shop().control("POST", "/clock", { speed: 0 });
    const stop = new AbortController();
    const work = { stopped: stop.signal, tell: () => stop.abort() };
    const refund = triggerEvent(operated.target(), { event: "payment.refund.success" }, work);
    await expect(refund).rejects.toThrow("Stopped. No refund was started. To continue,");
    await operated.shop().control("POST", "/clock", { speed: 100 });
  });

  test("a deployed stack is refused", async () => {
    const { code, err } = await operated.paycast(
      "trigger",
      "payment.order.success",
      "--stack",
      stackName,
    );
    expect(err).toContain("trigger works on the local stack only: a deployed stack has a real");
    expect(code).toBe(2);
  });

  test("without a local stack it does not propose a deployed one", async () => {
    vi.stubEnv("PAYCAST_STACK", stackName);
    vi.stubEnv("PAYCAST_DIRECTORY", "no-such-folder");
    const { code, err } = await operated.paycast("trigger", "payment.order.success");
    vi.unstubAllEnvs();
    expect(err).toContain("trigger works on the local stack only");
    expect(err).not.toContain("--stack");
    expect(code).toBe(2);
  });

  test.each([[[]], [["payment.order.paid"]]])("%j is wrong usage", async (words) => {
    const { code, err } = await operated.paycast("trigger", ...words);
    expect(err).toContain("Help: npx paycast trigger --help");
    expect(code).toBe(2);
  });
});
