import { randomBytes } from "node:crypto";
import { GetSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { expect } from "vitest";
import { makeMerchant } from "../../builders/merchant.ts";
import { keySetup } from "../../tools/operations/keys/key-setup.ts";
import { accept, merchantId } from "./scene.ts";
import type { Walk } from "./walk.ts";

const keys: Walk = {
  trouble: "the new callback keys make no sense",
  section: "keys",
  alarms: ["KeysAlarmshop1"],
  take: async (scene) => {
    const { operated, jump } = scene;
    const { callbackKeys } = operated.target().stack.merchants[0]!;
    await scene.isSilent("KeysAlarmshop1");
    await keySetup(operated).put(callbackKeys, "{}");
    // An instance uses its keys for five minutes, then looks for newer ones.
    await jump(6);
    await accept(scene);
    await jump(2);
    const { out } = await scene.rings("KeysAlarmshop1");
    expect(out).toContain("callback keys, current: not valid");
    const restore = ["keys", "restore", merchantId, "--only", "callback", "--yes"];
    expect(await operated.paycast(...restore)).toMatchObject({ code: 0 });
    await jump(1);
    await scene.rings("KeysAlarmshop1");
    await jump(6);
    await accept(scene);
    await scene.isOver("KeysAlarmshop1");
  },
};

/** Its signature shows nothing of the AES key. */
const notDecrypted: Walk = {
  trouble: "the new AES key is wrong, and the service signs the ciphertext",
  section: "keys",
  alarms: ["IntakeNotDecryptedAlarmshop1"],
  take: async (scene) => {
    const { operated, jump } = scene;
    const [alarm = ""] = notDecrypted.alarms;
    const { callbackKeys: SecretId } = operated.target().stack.merchants[0]!;
    const { SecretString = "" } = await operated
      .clients()
      .secretsManager.send(new GetSecretValueCommand({ SecretId }));
    const aesKey = randomBytes(32).toString("base64");
    const profile = { signs: "ciphertext" } as const;
    const wrong = { ...JSON.parse(SecretString), aesKey, profile };
    await keySetup(operated).put(SecretId, JSON.stringify(wrong));
    await jump(6);
    await scene.isSilent(alarm);
    expect(await scene.callback("NOT-DECRYPTED", profile)).toBe(503);
    await jump(2);
    const { out } = await scene.rings(alarm);
    expect(out).toContain("callback keys, current");
    await keySetup(operated).put(SecretId, SecretString);
    await jump(7);
    await accept(scene);
    await scene.isOver(alarm);
  },
};

const stampKey: Walk = {
  trouble: "somebody overwrites the stamp key",
  section: "keys",
  alarms: ["StampKeyAlarm"],
  take: async (scene) => {
    const { operated, jump } = scene;
    const clients = operated.clients();
    const { functions } = operated.stack().description;
    const SecretId = functions["receive-callback"]?.environment["STAMP_KEY"] ?? "";
    const { SecretString } = await clients.secretsManager.send(
      new GetSecretValueCommand({ SecretId }),
    );
    await scene.isSilent("StampKeyAlarm");
    await keySetup(operated).put(SecretId, "short");
    await jump(6);
    expect(await scene.callback("NO-STAMP")).toBe(503);
    await jump(2);
    await scene.rings("StampKeyAlarm");
    await keySetup(operated).put(SecretId, SecretString ?? "");
    await jump(1);
    await accept(scene);
    await jump(6);
    await scene.isOver("StampKeyAlarm");
  },
};

const unreadableKeys: Walk = {
  trouble: "somebody takes the right to read secrets away from a function that runs",
  section: "keys-at-risk",
  alarms: ["KeysFetchAlarm"],
  take: async (scene) => {
    const { jump, operated } = scene;
    await accept(scene);
    const allowAgain = operated.stack().forbid(/ReceiveCallbackFunction/, "secretsmanager");
    await jump(6);
    await accept(scene);
    await jump(12);
    await accept(scene);
    await jump(2);
    await scene.isSilent("KeysFetchAlarm", "KeysAlarmshop1");
    await jump(3);
    await accept(scene);
    await jump(2);
    await scene.rings("KeysFetchAlarm");
    allowAgain();
    await jump(2);
    await accept(scene);
    await jump(5);
    await scene.isOver("KeysFetchAlarm");
  },
};

const outdatedKeys: Walk = {
  trouble: "the new callback keys are wrong, and the previous ones hide it",
  section: "keys-at-risk",
  alarms: ["IntakeOutdatedKeysAlarmshop1"],
  take: async (scene) => {
    const { operated, jump } = scene;
    const alarm = "IntakeOutdatedKeysAlarmshop1";
    const { callbackKeys } = operated.target().stack.merchants[0]!;
    await keySetup(operated).put(callbackKeys, makeMerchant().callbackSecret());
    await jump(25 * 60);
    await accept(scene);
    await accept(scene);
    await jump(2);
    await scene.isSilent(alarm);
    await accept(scene);
    await jump(2);
    const { out } = await scene.rings(alarm);
    expect(out).toMatch(/callback keys of shop-1/);
    const restore = ["keys", "restore", merchantId, "--only", "callback", "--yes"];
    expect(await operated.paycast(...restore)).toMatchObject({ code: 0 });
    await jump(7);
    await accept(scene);
    await jump(2);
    await scene.isOver(alarm);
  },
};

export const keyWalks = [keys, notDecrypted, stampKey, unreadableKeys, outdatedKeys];
