import { expect, onTestFinished, test } from "vitest";
import { refusalCodes } from "../../../simulator/orders/refusal.ts";
import type { WireProfileInput } from "../../../simulator/wire/profile.ts";
import { RunningSimulator } from "../running-simulator.ts";
import { createBody, paths, post } from "../storefront.ts";
import { type Fields, newTestMerchant, sealRequest, type TestMerchant } from "../test-merchant.ts";

const profiles: [name: string, profile: WireProfileInput, keyBytes?: number][] = [
  ["the default", {}],
  ["CBC with a zero IV and a 128-bit key", {}, 16],
  ["CBC with a 192-bit key in hex", { keyEncoding: "hex" }, 24],
  ["CBC with a key in UTF-8", { keyEncoding: "utf-8" }],
  ["CBC with the IV in front", { iv: "prefixed" }],
  ["CBC with a fixed IV", { iv: "fixed", fixedIv: "000102030405060708090a0b0c0d0e0f" }],
  ["GCM with the IV in front", { cipher: "GCM", iv: "prefixed" }],
  ["GCM with a fixed IV", { cipher: "GCM", iv: "fixed", fixedIv: "000102030405060708090a0b" }],
  ["ECB", { cipher: "ECB" }],
  ["a signature over the ciphertext", { signs: "ciphertext", iv: "prefixed" }],
  ["hex everywhere", { bodyEncoding: "hex", signatureEncoding: "hex" }],
  ["base64url everywhere", { bodyEncoding: "base64url", signatureEncoding: "base64url" }],
  ["PSS", { signaturePadding: "PSS" }],
  ["PSS with SHA-512", { signaturePadding: "PSS", signatureHash: "SHA-512" }],
  ["SHA-1", { signatureHash: "SHA-1" }],
  ["canonical JSON", { signedForm: "canonical-json" }],
  ["canonical JSON with numbers as strings", { signedForm: "canonical-json", numbers: "string" }],
  ["the body alone", { signedForm: "body" }],
  ["the ciphertext alone", { signedForm: "body", signs: "ciphertext" }],
  ["fields left unsigned", { unsignedFields: ["id", "timestamp", "charset"] }],
  ["the other names", { orderNoName: "outOrderNo", completeTimeName: "paidTime" }],
];

test.each(profiles)(
  "with %s a merchant on openssl and the simulator agree",
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
