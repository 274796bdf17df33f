import { expect } from "vitest";
import { accept, type Scene } from "./scene.ts";
import type { Walk } from "./walk.ts";

/** Signed in a way that the merchant's profile does not have. */
const forged = { signatureHash: "SHA-512" } as const;

const forge = async ({ callback }: Scene) => expect(await callback("FORGED", forged)).toBe(401);

/** Takes six hours without a callback, so it is the first. */
const allRefused: Walk = {
  trouble: "every callback of a quiet shop is refused",
  section: "callbacks-refused",
  alarms: ["IntakeAllRefusedAlarmshop1"],
  take: async (scene) => {
    const alarm = "IntakeAllRefusedAlarmshop1";
    await forge(scene);
    await forge(scene);
    await scene.jump(3);
    await scene.isSilent(alarm);
    await forge(scene);
    await scene.jump(2);
    const { out } = await scene.rings(alarm);
    expect(out).toContain("callback keys, current");
    await scene.jump(350);
    await scene.rings(alarm);
    await scene.jump(12);
    await scene.isOver(alarm);
  },
};

/** After `allRefused`, so no callback told an end in the last six hours. */
const missing: Walk = {
  trouble: "callbacks get lost on their way",
  section: "callbacks-missing",
  alarms: ["IntakeMissingAlarmshop1", "IntakeAllMissingAlarmshop1"],
  take: async (scene) => {
    const [quarter, all] = missing.alarms as [string, string];
    await lose(scene, "LOST-1", "LOST-2");
    // A query finds the end after 35 minutes, and 15 minutes later its callback is missing.
    await scene.jump(53);
    await scene.isSilent(quarter, all);
    await lose(scene, "LOST-3", "LOST-4", "LOST-5");
    await scene.jump(40);
    await scene.isSilent(quarter);
    await scene.jump(13);
    const { out } = await scene.rings(quarter, all);
    expect(out).toMatch(/^ok +API /m);
    await accept(scene);
    await scene.jump(17);
    await scene.isOver(all);
    await scene.jump(60);
    await scene.isOver(quarter);
  },
};

/** The keys are wrong, so the rejected callbacks are those of the orders that end. */
const lockedOut: Walk = {
  trouble: "the keys are wrong, and the shop sells",
  section: "callbacks-all-refused",
  alarms: ["IntakeLockedOutAlarmshop1"],
  take: async (scene) => {
    const alarm = "IntakeLockedOutAlarmshop1";
    await scene.jump(70);
    await lose(scene, "LOCKED-OUT");
    await scene.jump(40);
    for (let count = 0; count < 3; count += 1) await forge(scene);
    await scene.jump(2);
    await scene.isSilent(alarm);
    await scene.jump(13);
    const { out } = await scene.rings(alarm);
    expect(out).toContain("callback keys, current");
    await accept(scene);
    await scene.jump(2);
    await scene.isOver(alarm);
  },
};

/** Orders that are paid, and nobody hears of it before reconcile-orders asks. */
async function lose({ operated }: Scene, ...orderNos: readonly string[]): Promise<void> {
  for (const orderNo of orderNos) {
    const { body } = await operated.shop().create(orderNo);
    await operated.shop().fault("lose", orderNo);
    await operated.shop().act(body.paymentId, "pay");
  }
}

/** Two refusals are too few to judge. Three among twelve callbacks are a quarter. */
const someRefused: Walk = {
  trouble: "somebody forges callbacks",
  section: "callbacks-refused",
  alarms: ["IntakeRefusedAlarmshop1"],
  take: async (scene) => {
    const alarm = "IntakeRefusedAlarmshop1";
    // Until the callbacks of the walks before no longer count.
    await scene.jump(16);
    for (let count = 0; count < 9; count += 1) await accept(scene);
    await forge(scene);
    await forge(scene);
    await scene.jump(2);
    await scene.isSilent(alarm);
    await forge(scene);
    await scene.jump(2);
    await scene.rings(alarm);
    await scene.jump(8);
    await scene.rings(alarm);
    await scene.jump(7);
    await scene.isOver(alarm);
  },
};

/** Takes six hours without a callback, like `allRefused`. */
const notStored: Walk = {
  trouble: "SQS rejects every call",
  section: "callbacks-failing",
  alarms: ["IntakeCallbacksFailingAlarm", "IntakeCallbacksAllFailingAlarm"],
  take: async (scene) => {
    const [quarter, all] = notStored.alarms as [string, string];
    const fail = async () => expect(await scene.callback("NOT-STORED")).toBe(503);
    await scene.jump(370);
    await scene.lab("SQS rejects every call");
    await fail();
    await fail();
    await scene.jump(2);
    await scene.isSilent(quarter, all);
    await fail();
    await scene.jump(2);
    const { out } = await scene.rings(quarter, all);
    expect(out).toMatch(/POST \/callbacks +503 failed/);
    await scene.lab("Clear all faults");
    await accept(scene);
    await scene.jump(2);
    await scene.rings(quarter);
    await scene.isOver(all);
    await scene.jump(15);
    await scene.isOver(quarter);
  },
};

const throttledRequests: Walk = {
  trouble: "another API of the account uses up what API Gateway allows",
  section: "requests-throttled",
  alarms: ["IntakeThrottledAlarm", "StorefrontThrottledAlarm"],
  take: async (scene) => {
    const { alarms } = throttledRequests;
    const { shop, stack } = scene.operated;
    const both = async (orderNo: string) => {
      expect(await scene.callback(orderNo)).toBe(429);
      expect(await shop().create(orderNo)).toMatchObject({ status: 429 });
    };
    await scene.jump(17);
    stack().throttle(true);
    await both("MANY-1");
    await both("MANY-2");
    await scene.jump(2);
    await scene.isSilent(...alarms);
    await both("MANY-3");
    stack().throttle(false);
    await scene.jump(2);
    await scene.rings(...alarms);
    await scene.jump(15);
    await scene.isOver(...alarms);
  },
};

/** Three of twelve are a quarter. */
const sources: Walk = {
  trouble: "the payment service calls from new addresses",
  section: "callbacks-refused",
  alarms: ["IntakeSourcesAlarm"],
  take: async (scene) => {
    const refuse = async () => expect(await scene.callbackFromElsewhere("MOVED")).toBe(403);
    // Without the callbacks of the walks before.
    await scene.jump(370);
    await refuse();
    await refuse();
    await scene.jump(2);
    await scene.isSilent("IntakeSourcesAlarm");
    await refuse();
    for (let count = 0; count < 9; count += 1) await accept(scene);
    await scene.jump(2);
    const { out } = await scene.rings("IntakeSourcesAlarm");
    expect(out).toMatch(/POST \/callbacks +403 refused +source-not-allowed/);
    await accept(scene);
    await scene.jump(2);
    await scene.isOver("IntakeSourcesAlarm");
  },
};

export const callbackWalks = [
  allRefused,
  missing,
  lockedOut,
  someRefused,
  notStored,
  throttledRequests,
  sources,
];
