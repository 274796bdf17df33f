import { describe, expect, test } from "vitest";
import { outOfTime } from "../../../shared/errors/out-of-time.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import type { Stage } from "../../../shared/errors/stages.ts";
import { GatewayError, type GatewayFailure } from "../../../shared/gateway/gateway-error.ts";
import type { ReconcileOrders } from "../../../shared/reconciling/reconcile-orders.ts";
import type { RunEnd } from "../../../shared/reconciling/run-line.ts";
import { TableError } from "../../../shared/table/table-error.ts";
import { type Answer, dueOrder, dueOrders, hour, simulateRuns, start } from "./simulated-runs.ts";

/* From each fault of each party to the line of a run. */

const fails = (error: unknown) => () => Promise.reject(error);
const table = (code: ConstructorParameters<typeof TableError>[0]) =>
  new TableError(code, new Error("the SDK's own"));
const passing = (code: ConstructorParameters<typeof PaycastError>[0]) =>
  new PaycastError(code, "any", { retryable: true });
const calling = (failure: GatewayFailure) => () => new GatewayError(failure);

const pending = () => ({ status: "pending" });
const paid = () => ({ status: "success", payAmount: "12.50", currency: "EUR" });

type Row = [
  fault: string,
  answer: Answer,
  happens: Partial<ReconcileOrders>,
  line: [outcome: RunEnd, stage: Stage, reason: string],
];

describe("a run that meets a fault of", () => {
  test.each<Row>([
    [
      "us, who took the table's permission, before it begins",
      pending,
      { takeLease: fails(table("table-denied")) },
      ["failed", "table", "table-denied"],
    ],
    [
      "AWS, in the table of one order",
      pending,
      { loadOrder: fails(table("table-unavailable")) },
      ["reconciled", "table", "table-unavailable"],
    ],
    [
      "AWS, whose queue does not take the news",
      paid,
      { sendToInbox: fails(passing("inbox-unavailable")) },
      ["reconciled", "inbox", "inbox-unavailable"],
    ],
    [
      "AWS, which does not return the keys",
      () => passing("keys-unreachable"),
      {},
      ["reconciled", "keys", "keys-unreachable"],
    ],
    ["us, who set no keys", () => passing("keys-unset"), {}, ["reconciled", "keys", "keys-unset"]],
    [
      "the service, which rejects the query",
      calling("refused"),
      {},
      ["reconciled", "service", "gateway-refused"],
    ],
    ["the service, which is busy", calling("busy"), {}, ["reconciled", "service", "gateway-busy"]],
    [
      "the service, which is not there",
      calling("unreachable"),
      {},
      ["reconciled", "service", "gateway-unreachable"],
    ],
    [
      "the service, which is silent",
      calling("timed-out"),
      {},
      ["reconciled", "service", "gateway-timed-out"],
    ],
    [
      "the service, which hangs up",
      calling("disconnected"),
      {},
      ["reconciled", "service", "gateway-disconnected"],
    ],
    [
      "the service, which cannot be read",
      calling("unreadable"),
      {},
      ["reconciled", "service", "gateway-unreadable"],
    ],
    [
      "the service, which says what nobody understands",
      () => ({ status: "odd" }),
      {},
      ["reconciled", "result", "result-unreadable"],
    ],
    ["us, whose time was over", outOfTime, {}, ["reconciled", "function", "out-of-time"]],
    [
      "us, whose code is wrong",
      () => new TypeError("any"),
      {},
      ["reconciled", "function", "unexpected-error"],
    ],
    [
      "AWS, in the index, after one of the service",
      calling("timed-out"),
      {
        findDue: async function* ({ line }) {
          if (line === "early") throw table("table-throttled");
          yield { aggregateKey: "M1#order#A", dueAtMilliseconds: start - hour };
        },
      },
      ["failed", "table", "table-throttled"],
    ],
  ])("%s", async (_fault, answer, happens, [outcome, stage, reason]) => {
    const runs = simulateRuns([dueOrder("A", hour)], answer, happens);
    expect(await runs.runAt(start)).toMatchObject({ outcome, stage, reason });
    expect(runs.lines).toHaveLength(1);
  });

  test("the service, which is down, after one of us, who set no keys for another merchant", async () => {
    const keyless = dueOrder("K", 2 * hour, { merchantId: "M2" });
    const runs = simulateRuns([keyless, ...dueOrders(40, "O", hour)], (_paymentId, merchantId) =>
      merchantId === "M2" ? passing("keys-unset") : new GatewayError("timed-out"),
    );
    const [outcome, stage, reason] = ["ended-by-failures", "service", "gateway-timed-out"];
    expect(await runs.runAt(start)).toMatchObject({ outcome, stage, reason });
  });
});

test("a run that meets no fault has no stage and no reason", async () => {
  const line = await simulateRuns([dueOrder("A", hour)], pending).runAt(start);
  expect(line).toMatchObject({ outcome: "reconciled", Answered: 1 });
  expect(line).not.toHaveProperty("stage");
  expect(line).not.toHaveProperty("reason");
});
