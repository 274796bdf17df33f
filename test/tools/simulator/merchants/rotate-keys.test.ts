import { beforeEach, expect, test } from "vitest";
import type { RotatedKeys } from "../../../../tools/simulator/merchants/rotate-keys.ts";
import { refusalCodes } from "../../../../tools/simulator/orders/refusal.ts";
import { acknowledgement } from "../callback-receiver.ts";
import { runSimulatorPerTest } from "../running-simulator.ts";
import { control, create } from "../storefront.ts";
import { openCallback, withNewKeys } from "../test-merchant.ts";

const running = runSimulatorPerTest();
const { merchant } = running;
let onRotate: (rotated: RotatedKeys) => Promise<void> | void;

beforeEach(async () => {
  onRotate = () => {};
  await running.start({ onRotate: (rotated) => onRotate(rotated) });
});

async function expireOrder(): Promise<void> {
  running.simulator.expire(await running.order());
  await running.simulator.settled();
}

const createWith = (keys: RotatedKeys["callbackKeys"]) =>
  create(running.simulator, withNewKeys(merchant, keys));

test("after a rotation callbacks open with the new keys only", async () => {
  const stored: RotatedKeys[] = [];
  onRotate = (rotated) => void stored.push(rotated);
  const rotated = await running.simulator.rotateKeys(merchant.merchantId);
  expect(stored).toEqual([rotated]);
  await expireOrder();
  const envelope = running.receiver.received[0]?.body ?? "";
  const opened = openCallback(withNewKeys(merchant, rotated.callbackKeys), envelope);
  expect(opened).toMatchObject({ status: "timeout" });
  expect(() => openCallback(merchant, envelope)).toThrow();
});

test("requests with earlier keys are accepted, also after a second rotation", async () => {
  const first = await running.simulator.rotateKeys(merchant.merchantId);
  expect(await createWith(first.callbackKeys)).toMatchObject({ code: 20_000 });
  expect(await running.create()).toMatchObject({ code: 20_000 });
  await running.simulator.rotateKeys(merchant.merchantId);
  expect(await running.create()).toMatchObject({ code: 20_000 });
  expect(await createWith(first.callbackKeys)).toMatchObject({ code: 20_000 });
});

test("earlier keys are accepted until they are dropped", async () => {
  const { callbackKeys } = await running.simulator.rotateKeys(merchant.merchantId);
  running.simulator.dropOldKeys(merchant.merchantId);
  expect(await createWith(callbackKeys)).toMatchObject({ code: 20_000 });
  const { cannotDecrypt, wrongSignature } = refusalCodes;
  expect([cannotDecrypt, wrongSignature]).toContain((await running.create()).code);
});

test("while the merchant stores new keys, requests with both are accepted", async () => {
  const codes: unknown[] = [];
  onRotate = async ({ callbackKeys }) => {
    codes.push((await running.create()).code, (await createWith(callbackKeys)).code);
  };
  await running.simulator.rotateKeys(merchant.merchantId, { keepPrevious: false });
  expect(codes).toEqual([20_000, 20_000]);
  // Under another key one body in 256 decrypts by chance, to what nobody has signed. Not three in a row.
  const { cannotDecrypt, wrongSignature } = refusalCodes;
  const refusals = [await running.create(), await running.create(), await running.create()];
  for (const { code } of refusals) expect([cannotDecrypt, wrongSignature]).toContain(code);
  expect(refusals.map(({ code }) => code)).toContain(cannotDecrypt);
});

test("a rotation that could not be stored changes nothing", async () => {
  onRotate = () => {
    throw new Error("the disk is full");
  };
  const refused = await control(running.simulator, "POST", "/rotate");
  expect(refused).toMatchObject({
    status: 409,
    body: { error: expect.stringMatching(/the old ones stay in use. Reason: the disk is full$/) },
  });
  await expireOrder();
  expect(running.results()).toMatchObject([{ status: "timeout" }]);
});

test("a retry of a callback from before the rotation uses the previous keys", async () => {
  running.receiver.answer = { status: 503, body: "" };
  await expireOrder();
  await running.simulator.rotateKeys(merchant.merchantId);
  running.receiver.answer = acknowledgement;
  await running.step(60);
  expect(running.results()).toMatchObject([{ status: "timeout" }, { status: "timeout" }]);
});

test("the control API gives the merchant's side of the new keys and never the service's", async () => {
  const { body } = await control(running.simulator, "POST", "/rotate", { keys: ["merchantKey"] });
  expect(body).toMatchObject({
    merchantId: merchant.merchantId,
    callbackKeys: { aesKey: merchant.service.aesKey },
    requestKeys: { merchantPrivateKey: expect.stringContaining("PRIVATE KEY") },
  });
  expect(Object.keys(body)).toEqual(["merchantId", "callbackKeys", "requestKeys"]);
  expect(await running.create()).toMatchObject({ code: 20_000 });
});
