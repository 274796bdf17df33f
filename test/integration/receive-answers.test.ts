import { createCipheriv, randomUUID } from "node:crypto";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { merchantPair } from "../builders/merchant.ts";
import { drain } from "./aws-stores.ts";
import { type Fields, paymentCallback, refundCallback } from "./callbacks.ts";
import { answerTo, logOf, post } from "./flow.ts";
import type { Instance } from "./instance.ts";
import { httpEvent } from "./lambda-events.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();
const json = { "content-type": "application/json" };
const hex64 = /^[0-9a-f]{64}$/;
const day = 86_400_000;

let world: World;
let receiver: Instance;
beforeAll(async () => {
  world = await makeWorld();
  receiver = await world.start("receive-callback");
});
afterEach(async () => void (await drain(world.sqs, world.inboxUrl)));

const lastLine = () => logOf(receiver).at(-1);
const callsSince = (count: number) => receiver.faults.calls.slice(count).map((c) => c.operation);

describe("an authentic callback", () => {
  test("is answered 200 once the inbox has it", async () => {
    const envelope = paymentCallback(world);
    const answer = await post(receiver, envelope);
    expect(answer).toEqual({ statusCode: 200, headers: json, body: '{"code":20000,"msg":""}' });
    const [message, ...more] = await drain(world.sqs, world.inboxUrl);
    expect(more).toEqual([]);
    expect(message!.Attributes).toMatchObject({
      MessageGroupId: expect.stringMatching(hex64),
      MessageDeduplicationId: expect.stringMatching(hex64),
    });
    const stampedBody = JSON.parse(message!.Body!);
    expect(Object.keys(stampedBody)).toEqual(["version", "stampKey", "stamp", "message"]);
    expect(JSON.parse(stampedBody.message)).toMatchObject({
      version: 1,
      origin: "callback",
      merchantId: world.merchant.merchantId,
      callbackId: envelope["id"],
      eventName: "payment.order.success",
      keyVersion: expect.any(String),
    });
  });

  test.each([
    ["a retry of the last hour of the eight days", 3_600_000 - 8 * day],
    ["from a clock that is four minutes ahead", 240_000],
  ])("is accepted: %s", async (_case, difference) => {
    const sentAt = { nowMilliseconds: Date.now() + difference };
    expect((await post(receiver, paymentCallback(world, {}, sentAt))).statusCode).toBe(200);
  });

  test("costs one AWS call once warm, and the first one finds the keys loaded", async () => {
    const cold = await world.start("receive-callback");
    const callsOf = () => cold.faults.calls.map(({ operation }) => operation);
    // Two versions of the merchant's keys, and the current stamp key.
    const primed = Array(3).fill("GetSecretValue");
    expect(callsOf()).toEqual(primed);
    for (let sent = 1; sent <= 5; sent += 1) {
      await post(cold, paymentCallback(world));
      expect(callsOf().slice(primed.length)).toEqual(Array(sent).fill("SendMessage"));
    }
  });

  test("that is replayed cannot fill the inbox: SQS drops it for five minutes, and takes another content", async () => {
    const id = randomUUID();
    const envelope = paymentCallback(world, {}, { id });
    for (const _turn of "12345") expect((await post(receiver, envelope)).statusCode).toBe(200);
    const other = paymentCallback(world, { status: "failed" }, { id });
    expect((await post(receiver, other)).statusCode).toBe(200);
    // The same body under another event name is another callback, too.
    const renamed = paymentCallback(world, {}, { id, eventName: "payment.order.failed" });
    expect((await post(receiver, renamed)).statusCode).toBe(200);
    const messages = await drain(world.sqs, world.inboxUrl);
    expect(messages).toHaveLength(3);
    const ids = messages.map(({ Attributes }) => Attributes!["MessageDeduplicationId"]);
    expect(new Set(ids).size).toBe(3);
    for (const candidate of ids) expect(candidate).toMatch(/^[0-9a-f]{64}$/);
  });

  test("shares its group with the other callbacks of its order, a refund's with those of its payment", async () => {
    await post(receiver, paymentCallback(world, { referOrderNo: "A" }));
    await post(receiver, paymentCallback(world, { referOrderNo: "A", status: "confirming" }));
    await post(receiver, paymentCallback(world, { referOrderNo: "B" }));
    await post(receiver, refundCallback(world, { paymentId: "A", refundId: "R1" }));
    await post(receiver, refundCallback(world, { paymentId: "A", refundId: "R2" }));
    const sent = receiver.faults.calls.slice(-5);
    const [a1, a2, b, r1, r2] = sent.map(({ input }) => input["MessageGroupId"]);
    expect(a1).toBe(a2);
    expect(r1).toBe(r2);
    expect(new Set([a1, b, r1]).size).toBe(3);
  });

  test("may come base64-encoded from API Gateway", async () => {
    const body = Buffer.from(JSON.stringify(paymentCallback(world))).toString("base64");
    expect((await answerTo(receiver, httpEvent(body, true))).statusCode).toBe(200);
  });

  test("of the greatest size that is taken fits in the inbox, whatever its characters", async () => {
    const filler = "\\u0001".repeat(30_000);
    const plaintext = `{"merchantId":"${world.merchant.merchantId}","filler":"${filler}"}`;
    const envelope = paymentCallback(world, {}, { plaintext });
    expect(JSON.stringify(envelope).length).toBeLessThan(256 * 1024);
    expect((await post(receiver, envelope)).statusCode).toBe(200);
  });
});

describe("what is not an envelope", () => {
  test.each<[string, (envelope: Fields) => string | undefined]>([
    ["nothing", () => undefined],
    ["no JSON", () => "{"],
    ["an array", () => "[]"],
    ["null", () => "null"],
    ["a field that is missing", ({ sign: _sign, ...rest }) => JSON.stringify(rest)],
    ["a field that is empty", (e) => JSON.stringify({ ...e, id: "" })],
    ["a timestamp in seconds", (e) => JSON.stringify({ ...e, timestamp: 1_794_705_765 })],
    ["a merchant id that is none", (e) => JSON.stringify({ ...e, merchantId: {} })],
  ])("is answered 400: %s", async (kind, make) => {
    const before = receiver.faults.calls.length;
    const answer = await answerTo(receiver, httpEvent(make(paymentCallback(world))));
    const body = '{"code":40000,"msg":"not a callback envelope"}';
    expect(answer).toEqual({ statusCode: 400, headers: json, body });
    expect(callsSince(before)).toEqual([]);
    const metric = kind === "nothing" ? "EmptyBody" : "NotAnEnvelope";
    expect(lastLine()).toMatchObject({ outcome: "not-an-envelope", [metric]: 1 });
  });

  test("is answered 413 when it is over 256 KiB, and one byte less is not", async () => {
    const answer = await post(receiver, "x".repeat(256 * 1024 + 1));
    const body = '{"code":41300,"msg":"over 256 KiB"}';
    expect(answer).toEqual({ statusCode: 413, headers: json, body });
    expect(lastLine()).toMatchObject({ outcome: "too-large", TooLarge: 1 });
    expect((await post(receiver, "x".repeat(256 * 1024))).statusCode).toBe(400);
  });
});

/** A body that decrypts to zeros, which are no padding. Of other bytes, one body in 256 has a padding by chance. */
function unpaddedBody({ merchant }: World): string {
  const cipher = createCipheriv("aes-256-cbc", merchant.service.aesKey, Buffer.alloc(16));
  return cipher.setAutoPadding(false).update(Buffer.alloc(32)).toString("base64");
}

/** Each is refused for a reason of its own. */
const forgeries: [reason: string, forge: (world: World) => Fields][] = [
  ["unknown-merchant", (w) => ({ ...paymentCallback(w), merchantId: "299900000000000009" })],
  ["cannot-decrypt", (w) => ({ ...paymentCallback(w), body: unpaddedBody(w) })],
  ["cannot-decrypt", (w) => ({ ...paymentCallback(w), body: "no base64!" })],
  ["wrong-signature", (w) => ({ ...paymentCallback(w), id: randomUUID() })],
  ["wrong-signature", (w) => ({ ...paymentCallback(w), eventName: "payment.order.failed" })],
  [
    "wrong-signature",
    (w) => ({ ...paymentCallback(w), sign: Buffer.alloc(256).toString("base64") }),
  ],
  ["too-old", (w) => paymentCallback(w, {}, { nowMilliseconds: Date.now() - 9 * day })],
  ["too-new", (w) => paymentCallback(w, {}, { nowMilliseconds: Date.now() + 3_600_000 })],
];

describe("what is not authentic", () => {
  test("is answered alike to the last byte, whatever the cause", async () => {
    for (const [reason, forge] of forgeries) {
      const answer = await post(receiver, forge(world));
      const body = '{"code":40100,"msg":"not authentic"}';
      expect(answer, reason).toEqual({ statusCode: 401, headers: json, body });
      expect(lastLine()).toMatchObject({ outcome: "not-authentic", reason, NotAuthentic: 1 });
    }
    expect(await drain(world.sqs, world.inboxUrl)).toEqual([]);
  });

  test("costs one look for newer keys in a minute, and none for a merchant that is not configured", async () => {
    const fresh = await world.start("receive-callback");
    const primed = fresh.faults.calls.length;
    const looked = () => fresh.faults.calls.length - primed;
    await post(fresh, forgeries[0]![1](world));
    expect(looked()).toBe(0);
    for (const [, forge] of forgeries) await post(fresh, forge(world));
    expect(looked()).toBe(2);
    fresh.advance(61_000);
    for (const [, forge] of forgeries) await post(fresh, forge(world));
    expect(looked()).toBe(4);
  });

  test("is also what was signed for another merchant with the same keys", async () => {
    const profile = { unsignedFields: ["merchantId" as const] };
    const unbound = await makeWorld({ merchant: { profile } });
    const instance = await unbound.start("receive-callback");
    const envelope = paymentCallback(unbound, { merchantId: "another" });
    expect((await post(instance, envelope)).statusCode).toBe(401);
    expect(logOf(instance).at(-1)).toMatchObject({ reason: "merchant-differs" });
  });

  test("is also what another key than the service's has signed", async () => {
    const service = { ...world.merchant.service, privateKey: merchantPair().privateKey };
    const forger = { ...world, merchant: { ...world.merchant, service } };
    expect((await post(receiver, paymentCallback(forger))).statusCode).toBe(401);
    expect(lastLine()).toMatchObject({ reason: "wrong-signature" });
  });
});

test("a callback keeps its group under either name of the order number", async () => {
  await post(receiver, paymentCallback(world, { referOrderNo: "A" }));
  await post(receiver, paymentCallback(world, { referOrderNo: undefined, outOrderNo: "A" }));
  const [first, other] = receiver.faults.calls
    .slice(-2)
    .map(({ input }) => input["MessageGroupId"]);
  expect(first).toBe(other);
});
