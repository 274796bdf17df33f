import { expect } from "vitest";
import type { Scene } from "./scene.ts";
import type { Walk } from "./walk.ts";

async function create({ operated }: Scene, orderNo: string, status = 201): Promise<string> {
  const answer = await operated.shop().create(orderNo);
  expect(answer.status).toBe(status);
  return answer.body.paymentId;
}

/** Two refusals are too few to judge. Three are all that a quiet shop had, and then a quarter. */
export const cannotSell: Walk = {
  trouble: "the payment service refuses orders",
  section: "cannot-sell",
  alarms: ["StorefrontCannotSellAlarmshop1", "StorefrontSoldNothingAlarmshop1"],
  take: async (scene) => {
    const [quarter, all] = cannotSell.alarms as [string, string];
    await scene.jump(370);
    await scene.lab("fault refuse-creates");
    await create(scene, "REFUSED-1", 502);
    await create(scene, "REFUSED-2", 502);
    await create(scene, "REFUSED-2", 502);
    await scene.jump(2);
    await scene.isSilent(quarter, all);
    await create(scene, "REFUSED-3", 502);
    await scene.jump(2);
    const { out } = await scene.rings(quarter, all);
    expect(out).toMatch(/POST \/orders +502 .*REFUSED/);
    expect(out).toContain("whether it accepts the keys: npx paycast check");
    await scene.lab("Clear all faults");
    for (let count = 1; count <= 9; count += 1) await create(scene, `SOLD-${count}`);
    await scene.jump(2);
    await scene.rings(quarter);
    await scene.isOver(all);
    await create(scene, "SOLD-10");
    await scene.jump(2);
    await scene.isOver(quarter);
  },
};

export const failedQueries: Walk = {
  trouble: "the payment service answers no question",
  section: "failed-queries",
  alarms: ["StorefrontQueriesAlarm"],
  take: async (scene) => {
    const alarm = "StorefrontQueriesAlarm";
    const orderNos = ["ASK-1", "ASK-2", "ASK-3"];
    for (const orderNo of orderNos) await create(scene, orderNo);
    await scene.lab("fault broken-answer");
    const ask = async (orderNo: string) => {
      expect(await scene.operated.shop().get(orderNo)).toMatchObject({ order: { stale: true } });
    };
    await ask("ASK-1");
    await ask("ASK-2");
    await scene.jump(2);
    await scene.isSilent(alarm);
    await ask("ASK-3");
    await scene.jump(2);
    const { out } = await scene.rings(alarm);
    expect(out).toContain("GET /orders/{orderNo}");
    await scene.lab("Clear all faults");
    await scene.jump(8);
    await scene.rings(alarm);
    await scene.jump(7);
    await scene.isOver(alarm);
  },
};

const crashingQueries: Walk = {
  trouble: "query-order cannot read the table",
  section: "failed-queries",
  alarms: ["StorefrontQueriesFailingAlarm"],
  take: async (scene) => {
    const alarm = "StorefrontQueriesFailingAlarm";
    const fail = async (count: number) => {
      await scene.lab("DynamoDB rejects every call");
      for (let query = 0; query < count; query += 1) {
        expect(await scene.operated.shop().get("ASK-1")).toMatchObject({ status: 503 });
      }
      await scene.lab("Clear all faults");
      await scene.jump(2);
    };
    await fail(2);
    await scene.isSilent(alarm);
    await fail(1);
    const { out } = await scene.rings(alarm);
    expect(out).toMatch(/GET \/orders\/\{orderNo\} +503/);
    await scene.jump(15);
    await scene.isOver(alarm);
  },
};

/** Two failures are too few to judge. */
const failingReconciliation: Walk = {
  trouble: "reconcile-orders gets no usable answer",
  section: "reconciliation-failing",
  alarms: ["ReconciliationFailingAlarm"],
  take: async (scene) => {
    const alarm = "ReconciliationFailingAlarm";
    const { fault, act, control } = scene.operated.shop();
    const paymentIds: string[] = [];
    for (const orderNo of ["DUE-1", "DUE-2", "DUE-3", "DUE-4"]) {
      paymentIds.push(await create(scene, orderNo));
      await fault("lose", orderNo);
    }
    for (const orderNo of ["DUE-1", "DUE-2", "DUE-3"]) await fault("broken-answer", orderNo);
    await scene.jump(30);
    await scene.isSilent(alarm);
    await scene.jump(6);
    const { out } = await scene.rings(alarm);
    expect(out).toContain("request keys, current");
    await control("DELETE", "/faults");
    // Their callbacks come, so nobody asks about them again, and no good answer ends it.
    for (const paymentId of paymentIds) await act(paymentId, "pay", { force: true });
    await scene.jump(48);
    await scene.rings(alarm);
    await scene.jump(18);
    await scene.isOver(alarm);
  },
};

const throttled: Walk = {
  trouble: "more orders at once than the config reserves instances for",
  section: "function-errors",
  alarms: ["ThrottlesAlarm"],
  take: async (scene) => {
    const { create: order, control } = scene.operated.shop();
    await scene.isSilent("ThrottlesAlarm");
    await control("POST", "/faults", { kind: "slow-answer", operation: "create", seconds: 2 });
    const answers = await Promise.all([order("AT-ONCE-1"), order("AT-ONCE-2")]);
    expect(answers.map(({ status }) => status < 500).toSorted()).toEqual([false, true]);
    await control("DELETE", "/faults");
    await scene.jump(2);
    await scene.rings("ThrottlesAlarm");
    await scene.jump(2);
    await scene.rings("ThrottlesAlarm");
    await scene.jump(4);
    await scene.isOver("ThrottlesAlarm");
  },
};

export const storefrontWalks = [
  cannotSell,
  failedQueries,
  crashingQueries,
  failingReconciliation,
  throttled,
];
