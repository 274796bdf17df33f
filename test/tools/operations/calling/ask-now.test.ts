import { afterAll, describe, expect, test } from "vitest";
import { askNow, askText } from "../../../../tools/operations/calling/ask-now.ts";
import { checkNow } from "../../../../tools/operations/calling/check-now.ts";
import { openConsole } from "../../console/open-console.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { withoutAudit } from "../test-target.ts";

const operated = useOperatedStack();
const { shop } = operated;
const unstopped = new AbortController().signal;

/** An order that is paid, of which no callback arrives. */
async function lostOrder(orderNo: string) {
  await shop().fault("lose", orderNo);
  const { body } = await shop().create(orderNo);
  await shop().act(body.paymentId, "pay");
  await expect
    .poll(async () => (await shop().control("GET", `/orders/${body.paymentId}`)).status)
    .toBe("success");
}

/** Lets the stack's clock reach the next run of reconcile-orders, again and again. */
async function runSchedules(): Promise<() => void> {
  const { send } = await openConsole(operated.stack().description.console);
  let isOver = false;
  const jump = async (): Promise<void> => {
    if (isOver) return;
    await send("/api/lab/jump", { seconds: 20 });
    await jump();
  };
  const jumping = jump();
  afterAll(() => jumping);
  return () => {
    isOver = true;
  };
}

describe("order --ask", () => {
  test("asks about an order whose callbacks are lost, and prints what came", async () => {
    await lostOrder("ASK-1");
    const { nextCheckAt: before } = await operated.paycastJson("order", "ASK-1");
    expect(Date.parse(before)).toBeGreaterThan(operated.target().clock.now());
    const end = await runSchedules();
    const { out, err, code } = await operated.paycast("order", "ASK-1", "--ask");
    end();
    expect(err).toContain("Target: the local stack");
    expect(out).toMatch(/^The payment service reported a new status: pending → success\.\n/);
    expect(out).toMatch(/^status +success {2}by query/m);
    expect(code).toBe(0);
    const acts = operated.auditLines().map((line) => JSON.parse(line));
    expect(acts).toContainEqual(
      expect.objectContaining({ act: "check-now", merchantId: "shop-1", orderNo: "ASK-1" }),
    );
  });

  test("changes nothing if its audit line cannot be written", async () => {
    await lostOrder("ASK-AUDIT");
    const { nextCheckAt: before } = await operated.paycastJson("order", "ASK-AUDIT");
    const target = withoutAudit(operated.target(), "disk full");
    const name = { merchantId: "shop-1", orderNo: "ASK-AUDIT" };
    await expect(checkNow(target, name)).rejects.toThrow("disk full");
    const { nextCheckAt: after } = await operated.paycastJson("order", "ASK-AUDIT");
    expect(after).toBe(before);
  });

  test("of a paid order learns what became of its refund", async () => {
    const end = await runSchedules();
    const paid = await operated.paycast("order", "ASK-1", "--ask");
    end();
    expect(paid).toMatchObject({ code: 0 });
    expect(paid.out).toMatch(/^The payment service confirmed the status: success\.\n/);
    expect((await operated.paycastJson("order", "ASK-1")).nextCheckAt).toBeUndefined();
  });

  test("of an order without a payment is refused", async () => {
    const lines = operated.auditLines().length;
    await shop().fault("refuse-creates", "ASK-2");
    await shop().create("ASK-2");
    const refused = await operated.paycast("order", "ASK-2", "--ask");
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("no payment id") });
    expect(operated.auditLines()).toHaveLength(lines);
  });

  test("that nobody answers in time says so, and the order stays due", async () => {
    await shop().create("ASK-3");
    const name = { merchantId: "shop-1", orderNo: "ASK-3" };
    const work = { stopped: unstopped, tell: () => undefined };
    const asked = await askNow(operated.target(), name, work, 0);
    const { nextCheckAt } = await operated.paycastJson("order", "ASK-3");
    expect(asked).toMatchObject({ end: "not-asked", status: "pending", nextCheckAt });
    expect(Date.parse(nextCheckAt)).toBeLessThanOrEqual(operated.target().clock.now());
  });

  test("is ended by Ctrl-C while it waits", async () => {
    const stop = new AbortController();
    const progress: string[] = [];
    const tell = (text: string) => {
      progress.push(text);
      stop.abort();
    };
    await shop().create("ASK-4");
    const name = { merchantId: "shop-1", orderNo: "ASK-4" };
    const asked = await askNow(operated.target(), name, { stopped: stop.signal, tell });
    expect(asked.end).toBe("stopped");
    expect(askText(asked, "")).toMatch(/^Stopped\. The order stays due/);
    expect(progress).toEqual([
      expect.stringMatching(/^Waiting for reconcile-orders, at most \d+ s$/),
    ]);
  });
});

test.each([
  ["2026-11-15T08:00:00.123Z", "Paycast queries it again at 2026-11-15T08:00:00Z."],
  [undefined, "Paycast does not query it again automatically"],
])("a question without an answer says when the next one is: %s", (nextCheckAt, text) => {
  const asked = { end: "no-answer", before: "failed", status: "failed", nextCheckAt } as const;
  expect(askText(asked, "")).toContain(text);
});
