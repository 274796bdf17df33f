import { afterEach, beforeEach, expect, test } from "vitest";
import type { RotatedKeys } from "../../simulator/merchants/rotate-keys.ts";
import { refusalCodes } from "../../simulator/orders/refusal.ts";
import { type Simulator, startSimulator } from "../../simulator/start-simulator.ts";
import { acknowledgement, type CallbackReceiver, startReceiver } from "./callback-receiver.ts";
import { control, create, createBody, createdPayment } from "./storefront.ts";
import { newTestMerchant, openCallback, withNewKeys } from "./test-merchant.ts";

const merchant = newTestMerchant();
let stored: RotatedKeys[];
let onRotate: (rotated: RotatedKeys) => Promise<void> | void;
let simulator: Simulator;
let receiver: CallbackReceiver;

beforeEach(async () => {
  stored = [];
  onRotate = (rotated) => {
    stored.push(rotated);
  };
  receiver = await startReceiver();
  simulator = await startSimulator({
    merchants: [merchant.service],
    clockSpeed: 0,
    onRotate: (rotated) => onRotate(rotated),
  });
});
afterEach(async () => {
  await simulator.stop();
  await receiver.stop();
});

async function expiredOrder(): Promise<void> {
  const body = createBody({ callbackUrl: receiver.url });
  simulator.expire(await createdPayment(simulator, merchant, body));
  await simulator.settled();
}

test("after a rotation callbacks open with the new keys, and with the old ones no more", async () => {
  const rotated = await simulator.rotateKeys(merchant.merchantId);
  expect(stored).toEqual([rotated]);
  await expiredOrder();
  const envelope = receiver.received[0]?.body ?? "";
  expect(openCallback(withNewKeys(merchant, rotated.callbackKeys), envelope)).toMatchObject({
    status: "timeout",
  });
  expect(() => openCallback(merchant, envelope)).toThrow();
});

test("requests under the keys before are taken until the next rotation", async () => {
  const first = await simulator.rotateKeys(merchant.merchantId);
  expect(await create(simulator, withNewKeys(merchant, first.callbackKeys))).toMatchObject({
    code: 20_000,
  });
  expect(await create(simulator, merchant)).toMatchObject({ code: 20_000 });
  await simulator.rotateKeys(merchant.merchantId);
  expect(await create(simulator, merchant)).toMatchObject({ code: refusalCodes.cannotDecrypt });
});

test("requests under the keys before are refused at once if they are not kept", async () => {
  await simulator.rotateKeys(merchant.merchantId, { keepPrevious: false });
  expect(await create(simulator, merchant)).toMatchObject({ code: refusalCodes.cannotDecrypt });
});

test("while the merchant stores new keys, requests under either are taken", async () => {
  const codes: unknown[] = [];
  onRotate = async (rotated) => {
    codes.push((await create(simulator, merchant)).code);
    codes.push((await create(simulator, withNewKeys(merchant, rotated.callbackKeys))).code);
  };
  await simulator.rotateKeys(merchant.merchantId, { keepPrevious: false });
  expect(codes).toEqual([20_000, 20_000]);
});

test("a rotation that could not be stored changes nothing", async () => {
  onRotate = () => {
    throw new Error("the drawer is locked");
  };
  await expect(simulator.rotateKeys(merchant.merchantId)).rejects.toThrow("locked");
  await expiredOrder();
  expect(openCallback(merchant, receiver.received[0]?.body ?? "")).toMatchObject({
    status: "timeout",
  });
});

test("a retry of a callback from before the rotation is still under the keys before", async () => {
  receiver.answer = { status: 503, body: "" };
  await expiredOrder();
  await simulator.rotateKeys(merchant.merchantId);
  receiver.answer = acknowledgement;
  simulator.stepClock(60);
  await simulator.settled();
  expect(openCallback(merchant, receiver.received[1]?.body ?? "")).toMatchObject({
    status: "timeout",
  });
});

test("the control API tells the merchant's side of the new keys and never the service's", async () => {
  const { body } = await control(simulator, "POST", "/rotate", { keys: ["merchantKey"] });
  expect(body).toMatchObject({
    merchantId: merchant.merchantId,
    callbackKeys: { aesKey: merchant.service.aesKey },
    requestKeys: { merchantPrivateKey: expect.stringContaining("PRIVATE KEY") },
  });
  expect(Object.keys(body)).toEqual(["merchantId", "callbackKeys", "requestKeys"]);
  expect(await create(simulator, merchant)).toMatchObject({ code: 20_000 });
});
