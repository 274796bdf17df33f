import { expect } from "vitest";
import { keySetup } from "../../tools/operations/keys/key-setup.ts";
import { merchantId, type Scene } from "./scene.ts";
import type { Walk } from "./walk.ts";

/** Signed in a way that the merchant's profile does not have. */
const forged = { signatureHash: "SHA-512" } as const;

const forge = async ({ callback }: Scene) => expect(await callback("FORGED", forged)).toBe(401);
const accept = async ({ callback }: Scene) => expect(await callback("REAL")).toBe(200);

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

const missing: Walk = {
  trouble: "callbacks get lost on their way",
  section: "callbacks-missing",
  alarms: ["IntakeMissingAlarmshop1"],
  take: async (scene) => {
    const alarm = "IntakeMissingAlarmshop1";
    await lose(scene, "LOST-1", "LOST-2");
    await scene.jump(40);
    await scene.isSilent(alarm);
    await lose(scene, "LOST-3");
    await scene.jump(40);
    const { out } = await scene.rings(alarm);
    expect(out).toMatch(/^ok +API /m);
    // The two that were missed first are no longer among the last six hours.
    await scene.jump(280);
    await scene.rings(alarm);
    await scene.jump(45);
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

/** Two requests are too few to judge. One refusal among four callbacks is a quarter. */
const someRefused: Walk = {
  trouble: "somebody forges callbacks",
  section: "callbacks-refused",
  alarms: ["IntakeRefusedAlarmshop1"],
  take: async (scene) => {
    const alarm = "IntakeRefusedAlarmshop1";
    await forge(scene);
    await accept(scene);
    await scene.jump(2);
    await scene.isSilent(alarm);
    await accept(scene);
    await accept(scene);
    await scene.jump(2);
    await scene.rings(alarm);
    await scene.jump(8);
    await scene.rings(alarm);
    await scene.jump(7);
    await scene.isOver(alarm);
  },
};

const notStored: Walk = {
  trouble: "SQS rejects every call",
  section: "server-errors",
  alarms: ["IntakeNotStoredAlarm", "HttpServerErrorsAlarm"],
  take: async (scene) => {
    const alarms = ["IntakeNotStoredAlarm", "HttpServerErrorsAlarm"];
    await scene.jump(17);
    await scene.lab("SQS rejects every call");
    expect(await scene.callback("NOT-STORED")).toBe(503);
    await scene.lab("Clear all faults");
    await accept(scene);
    await scene.jump(2);
    await scene.isSilent(...alarms);
    await accept(scene);
    await accept(scene);
    await scene.jump(2);
    const { out } = await scene.rings(...alarms);
    expect(out).toMatch(/POST \/callbacks +503 failed/);
    await scene.jump(8);
    await scene.rings(...alarms);
    await scene.jump(7);
    await scene.isOver(...alarms);
  },
};

const keys: Walk = {
  trouble: "the new callback keys make no sense",
  section: "keys",
  alarms: ["KeysAlarm"],
  take: async (scene) => {
    const { operated, jump } = scene;
    const { callbackKeys } = operated.target().merchants[0]!;
    await scene.isSilent("KeysAlarm");
    await keySetup(operated).put(callbackKeys, "{}");
    // An instance uses its keys for five minutes, then looks for newer ones.
    await jump(6);
    await accept(scene);
    await jump(2);
    const { out } = await scene.rings("KeysAlarm");
    expect(out).toContain("callback keys, current: not valid");
    const restore = ["keys", "restore", merchantId, "--only", "callback", "--yes"];
    expect(await operated.paycast(...restore)).toMatchObject({ code: 0 });
    await jump(7);
    await accept(scene);
    await scene.rings("KeysAlarm");
    await jump(10);
    await scene.isOver("KeysAlarm");
  },
};

/** One of three is less than half, two of four are half. */
const sources: Walk = {
  trouble: "the payment service calls from new addresses",
  section: "callbacks-missing",
  alarms: ["IntakeSourcesAlarm"],
  take: async (scene) => {
    const refuse = async () => expect(await scene.callbackFromElsewhere("MOVED")).toBe(403);
    // Without the callbacks of the walks before.
    await scene.jump(370);
    await refuse();
    await accept(scene);
    await accept(scene);
    await scene.jump(2);
    await scene.isSilent("IntakeSourcesAlarm");
    await refuse();
    await scene.jump(2);
    const { out } = await scene.rings("IntakeSourcesAlarm");
    expect(out).toMatch(/POST \/callbacks +403 refused +source-not-allowed/);
    await accept(scene);
    await scene.jump(2);
    await scene.isOver("IntakeSourcesAlarm");
  },
};

export const callbackWalks = [allRefused, missing, someRefused, notStored, keys, sources];
