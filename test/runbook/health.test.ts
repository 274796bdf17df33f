import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { serviceRetriesEndMilliseconds } from "../../shared/timing.ts";
import { until } from "../end-to-end/running-stack.ts";
import { getItem, putItem } from "../integration/aws-stores.ts";
import type { Instance } from "../integration/instance.ts";
import { soundAlarm, stackName, useDeployedStack } from "../tools/operations/deployed-stack.ts";
import { useOperatedStack } from "../tools/operations/operated-stack.ts";
import { deleteTable, deployFunction, keepRunsAway } from "./causes.ts";
import { commandsOf, introduction, shellBlocks } from "./runbook.ts";
import { useOperator } from "./walk.ts";

const hour = 3_600_000;
// The service's clock is slow: an order must not expire there before it is looked at here.
const operated = useOperatedStack({ smoke: true }, 5);
const deployed = useDeployedStack(operated);
const { type, paste } = useOperator(operated);
const shop = () => operated.shop();
const orders = () => operated.target().orders.table;
const dynamodb = () => operated.clients().dynamodb;

let reconciler: Instance;
beforeAll(async () => {
  reconciler = await deployFunction(operated, "reconcile-orders");
});
afterAll(() => reconciler.stop());

/** The operator has typed the introduction's first line. */
beforeEach(() => void vi.stubEnv("PAYCAST_STACK", stackName));

/** An order that expired so long ago, and has been due for a check for two hours. */
async function overdueOrder(orderNo: string, expiredAgoMilliseconds: number): Promise<string> {
  const { body } = await shop().create(orderNo);
  const key = { aggregateKey: `shop-1#order#${orderNo}` };
  const order = await getItem(dynamodb(), orders(), key);
  const now = Date.now();
  const expiresAtMilliseconds = now - expiredAgoMilliseconds;
  const creation = { ...(order!["creation"] as object), expiresAtMilliseconds };
  const attempts = (order!["attempts"] as object[]).map((attempt) => ({
    ...attempt,
    startedAtMilliseconds: expiresAtMilliseconds - hour,
  }));
  const state = { kind: "open", waitingSinceMilliseconds: expiresAtMilliseconds };
  const changes = { creation, attempts, state, dueAtMilliseconds: now - 2 * hour };
  await putItem(dynamodb(), orders(), { ...order, ...changes });
  return body.paymentId;
}

/** Runs reconcile-orders, once if the stack's own run does not have the lease. */
async function untilCaughtUp(check: string | undefined): Promise<void> {
  await until("reconcile-orders to catch up", async () => {
    await reconciler.invoke({}, 50_000);
    return /^ok +overdue orders +none$/m.test((await type(check)).out) ? true : undefined;
  });
}

// One test, since a second run of reconcile-orders would wait for the lease of the first.
test("reconciliation-late: check counts, a run flags, and the service's answer ends it", async () => {
  const [check] = commandsOf("reconciliation-late", "look");
  const [over] = commandsOf("reconciliation-late", "over");
  await keepRunsAway(operated, hour);
  await overdueOrder("LATE", 3 * hour);
  const ORDER_NO = "UNRESOLVED";
  const paymentId = await overdueOrder(ORDER_NO, serviceRetriesEndMilliseconds + hour);
  expect((await type(check)).out).toMatch(/^warning +overdue orders +2 orders have been due/m);
  await keepRunsAway(operated, 0);
  await untilCaughtUp(over);

  const [, order] = commandsOf("attention-needed", "look");
  const { out } = await type(order, { ORDER_NO });
  expect(out).toMatch(/^flags +unresolved$/m);
  expect(out).not.toContain("next check");

  await shop().fault("lose", ORDER_NO);
  await shop().act(paymentId, "pay");
  const ended = await until("the answer of the service", async () => {
    await shop().get(ORDER_NO);
    const shown = await type(order, { ORDER_NO });
    const isPaid = /^status +success +by query/m.test(shown.out);
    return isPaid && / notice +unresolved, ended$/m.test(shown.out) ? shown.out : undefined;
  });
  expect(ended).not.toMatch(/^flags/m);
});

test("inbox: a disabled mapping is a problem of check, with the command that enables it", async () => {
  const [check] = commandsOf("inbox", "look");
  deployed().mappings[0]!["State"] = "Disabled";
  const { code, out } = await type(check);
  expect(out).toMatch(/problem +inbox to process-callback +It is disabled: callbacks are stored/);
  expect(out).toContain("-> aws lambda update-event-source-mapping --uuid");
  expect(code).toBe(1);
  deployed().mappings[0]!["State"] = "Enabled";
  expect((await type(check)).out).toMatch(/ok +inbox to process-callback +enabled/);
});

test("inbox: while the table is away callbacks wait, and are processed when it is back", async () => {
  const [check] = commandsOf("inbox", "look");
  const [, smoke] = commandsOf("inbox", "over");
  const { body } = await shop().create("WAITING");
  const recreate = await deleteTable(dynamodb(), orders());
  await shop().act(body.paymentId, "expire");
  await until("the callback in the inbox", async () =>
    /^ok +inbox +FIFO, [1-9]\d* messages?$/m.test((await type(check)).out) ? true : undefined,
  );
  expect((await type(check)).out).toMatch(/^problem +overdue orders /m);

  await dynamodb().send(recreate);
  const [, order] = commandsOf("attention-needed", "look");
  await until("the callback to be processed", async () => {
    const { out } = await type(order, { ORDER_NO: "WAITING" });
    return /^status +timeout/m.test(out) ? true : undefined;
  });
  const { code, out } = await type(smoke);
  expect(out).toMatch(/^result +passed/);
  expect(code).toBe(0);
});

test.each(["callbacks-failing", "function-errors"])(
  "%s: check says which alarm rings",
  async (section) => {
    const AlarmDescription = `See docs/runbook.md#${section}`;
    const alarm = { ...soundAlarm(`${stackName}-Ringing`), StateValue: "ALARM", AlarmDescription };
    deployed().alarms.push(alarm);
    const [check] = commandsOf(section, "look");
    const { out } = await type(check);
    expect(out).toMatch(/^problem +alarms +Paycast-Ringing is in alarm\.$/m);
    expect(out).toContain(AlarmDescription);
    // A second smoke test within a minute would wait for the minute.
    const walked = commandsOf("inbox", "over");
    for (const command of commandsOf(section, "over")) {
      if (!walked.includes(command)) expect(await type(command)).toMatchObject({ code: 0 });
    }
  },
);

test("the introduction's block names the stack, and check works on it", async () => {
  vi.stubEnv("PAYCAST_STACK", "");
  const [block] = shellBlocks(introduction);
  const { out } = await paste(block?.replace("=STACK", `=${stackName}`));
  expect(out).toMatch(/^ok +deployment +UPDATE_COMPLETE$/m);
});
