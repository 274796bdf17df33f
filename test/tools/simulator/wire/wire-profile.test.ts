import { expect, onTestFinished, test } from "vitest";
import { refusalCodes } from "../../../../tools/simulator/orders/refusal.ts";
import type { WireProfileInput } from "../../../../tools/simulator/wire/profile.ts";
import { RunningSimulator } from "../running-simulator.ts";
import { createBody, paths, post } from "../storefront.ts";
import { type Fields, newTestMerchant, sealRequest, type TestMerchant } from "../test-merchant.ts";

/** What `both-sides` does not have: key sizes, the names that only the service chooses, and the answers to requests. */
const profiles: [name: string, profile: WireProfileInput, keyBytes?: number][] = [
  ["the default", {}],
  ["a 128-bit key", {}, 16],
  ["a 192-bit key in hex", { keyEncoding: "hex" }, 24],
  ["GCM with a 256-bit key", { cipher: "GCM", iv: "prefixed" }],
  ["ECB", { cipher: "ECB" }],
  ["a signature over the ciphertext", { signs: "ciphertext", iv: "prefixed" }],
  ["PSS", { signaturePadding: "PSS" }],
  ["canonical JSON with numbers as strings", { signedForm: "canonical-json", numbers: "string" }],
  ["the ciphertext alone", { signedForm: "body", signs: "ciphertext" }],
  ["the other names", { orderNoName: "outOrderNo", completeTimeName: "paidTime" }],
];

test.each(profiles)(
  "with %s a merchant and the simulator agree, and forgeries are refused",
  async (_name, profile, keyBytes = 32) => {
    const running = new RunningSimulator(newTestMerchant(profile, { keyBytes }));
    await running.start();
    onTestFinished(() => running.stop());
    const paymentId = await running.order({}, { orderDescription: "Tasse & Löffel = 杯" });
    running.simulator.pay(paymentId);
    // Callbacks that are due at the same time are sent at the same time, and may arrive in either order.
    await running.simulator.settled();
    await running.step(2);
    const results = running.results();
    expect(results.map((result) => result["status"])).toEqual(["confirming", "success"]);
    expect(results[1]?.[profile.orderNoName ?? "referOrderNo"]).toMatch(/^ORDER-/);
    expect(results[1]?.[profile.completeTimeName ?? "completeTime"]).toBeDefined();
    const answer = await running.query(paymentId);
    const amount = profile.numbers === "string" ? "25.00" : 25;
    expect(answer.code).toBe(profile.numbers === "string" ? "20000" : 20_000);
    expect(answer.data).toMatchObject({ status: "success", payAmount: amount });
    await expectForgeriesRefused(running.merchant, running.simulator.url + paths.create);
    expect(running.simulator.orders()).toHaveLength(1);
  },
);

/** Another request's signature, another request's body, and a body that was cut. */
async function expectForgeriesRefused(merchant: TestMerchant, url: string): Promise<void> {
  const seal = (forged: Fields = {}) =>
    sealRequest(merchant, "service.trade.create", createBody(), { forged });
  const { sign, body } = JSON.parse(seal());
  for (const forged of [{ sign }, { body }, { body: body.slice(0, -4) }]) {
    const { code } = await post(url, seal(forged));
    expect([refusalCodes.wrongSignature, refusalCodes.cannotDecrypt]).toContain(Number(code));
  }
}
