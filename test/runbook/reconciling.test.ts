import { beforeAll, expect, test } from "vitest";
import { until } from "../end-to-end/running-stack.ts";
import { getItem, putItem } from "../integration/aws-stores.ts";
import { logOf } from "../integration/flow.ts";
import { useOperatedStack } from "../operations/operated-stack.ts";
import { deployFunction } from "./deploy-function.ts";
import { keepRunsAway } from "./keep-runs-away.ts";
import { whileToldOnly } from "./only-answer.ts";
import { commandsOf } from "./runbook.ts";
import { useOperator } from "./walk.ts";

const minute = 60_000;
const hour = 60 * minute;
// The service's clock is slow: an order must not expire there before it is looked at here.
const operated = useOperatedStack({}, 5);
const { type } = useOperator(operated);
const shop = () => operated.shop();
const dynamodb = () => operated.target().clients.dynamodb;
const orders = () => operated.target().tables.orders;

/** Due for a check since an hour. */
async function makeDue(orderNo: string): Promise<void> {
  const key = { aggregateKey: `shop-1#order#${orderNo}` };
  const order = await getItem(dynamodb(), orders(), key);
  await putItem(dynamodb(), orders(), { ...order, dueAtMilliseconds: Date.now() - hour });
}

const keepOtherRunsAway = () => keepRunsAway(operated, 3 * minute);
beforeAll(keepOtherRunsAway);

/** One run of reconcile-orders. Gives its line. */
async function run(changes: Readonly<Record<string, string>> = {}) {
  const reconciler = await deployFunction(operated, "reconcile-orders", changes);
  await keepOtherRunsAway();
  // For this run that lease has ended.
  reconciler.advance(4 * minute);
  await reconciler.invoke({}, 50_000);
  await reconciler.stop();
  return logOf(reconciler).at(-1);
}

/** The service knows that the order is paid, and its callbacks are lost. */
async function paidInSilence(orderNo: string): Promise<void> {
  const { body } = await shop().create(orderNo);
  await shop().fault("lose", orderNo);
  await shop().act(body.paymentId, "pay");
  await until("the payment's end at the service", async () => {
    const { status } = await shop().control("GET", `/orders/${body.paymentId}`);
    return status === "success" ? true : undefined;
  });
  await makeDue(orderNo);
}

test.each([
  ["reconciliation-failing", { code: 40400, msg: "not found" }, "ServiceRefused"],
  [
    "unreadable-answers",
    { code: 20000, msg: "", data: { status: "unheard-of" } },
    "UnreadableAnswer",
  ],
])(
  "%s: the order waits for its next check, and has its end when the service answers",
  async (section, answer, metric) => {
    const commands = commandsOf(section, "look");
    const order = commands.find((command) => command.includes("ORDER_NO"));
    const ORDER_NO = `ORDER-${metric}`;
    await paidInSilence(ORDER_NO);
    const failed = await whileToldOnly(answer, run);
    expect(failed?.[metric]).toBe(failed?.["Asked"]);
    for (const command of commands) {
      expect(await type(command, { ORDER_NO }), command).toMatchObject({ code: 0 });
    }
    const { out } = await type(order, { ORDER_NO });
    expect(out).toMatch(/^status +pending/m);
    expect(out).toContain("next check");

    await until("an answer that is news", async () => {
      await makeDue(ORDER_NO);
      const line = await run();
      expect(line![metric] ?? 0).toBe(0);
      return Number(line!["News"]) > 0 ? true : undefined;
    });
    await operated.untilStored(ORDER_NO, "success");
  },
);
