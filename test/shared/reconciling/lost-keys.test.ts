import { describe, expect, test } from "vitest";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { GatewayError } from "../../../shared/gateway/gateway-error.ts";
import { dueOrder, dueOrders, hour, minute, simulateRuns, start } from "./simulated-runs.ts";

const pending = { status: "pending" };
const keysUnset = new PaycastError("keys-unset", "none", { retryable: true });
const ofM2 = { merchantId: "M2" };

describe("a merchant whose keys are lost", () => {
  test("in the middle of a run is asked no more, is reported, and its other orders are set aside", async () => {
    const bad = dueOrders(6, "B", 2 * hour, ofM2);
    const good = dueOrders(3, "GOOD", hour);
    const hasKeys = (paymentId: string) => ["P-B0", "P-B1"].includes(paymentId);
    const runs = simulateRuns([...bad, ...good], (paymentId, merchantId) =>
      merchantId === "M1" || hasKeys(paymentId) ? pending : keysUnset,
    );
    expect(await runs.runAt(start)).toMatchObject({
      outcome: "reconciled",
      reason: "keys-unset",
      aggregateKeys: ["M2#order#B2"],
      Answered: 5,
      QueryFailed: 1,
      SetAside: 3,
    });
    expect(runs.asked).toEqual(["P-B0", "P-B1", "P-B2", "P-GOOD0", "P-GOOD1", "P-GOOD2"]);
    for (const { orderNo } of bad.slice(2)) {
      expect(runs.order(orderNo).dueAtMilliseconds).toBeGreaterThan(start);
    }
  });

  test("while its orders wait behind the others is asked once, and the rest of them is set aside", async () => {
    let failures = 1;
    const orders = [...dueOrders(5, "B", hour, ofM2), dueOrder("GOOD", minute)];
    const failure = () => (failures-- > 0 ? new GatewayError("timed-out") : keysUnset);
    const runs = simulateRuns(orders, (_paymentId, merchantId) =>
      merchantId === "M1" ? pending : failure(),
    );
    expect(await runs.runAt(start)).toMatchObject({ outcome: "reconciled", SetAside: 3 });
    expect(runs.asked).toEqual(["P-B0", "P-GOOD", "P-B1"]);
  });
});
