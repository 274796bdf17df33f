import { describe, expect, test } from "vitest";
import { smokeName } from "../../shared/smoke-merchant.ts";
import { makeMerchant } from "../builders/merchant.ts";
import { paymentCallback } from "./callbacks.ts";
import {
  captured,
  eventFrom,
  forgedCallback,
  sendsBy,
  startCapturing,
  untilCaptured,
} from "./capturing.ts";
import { type Fault, sendTo } from "./fault-proxy.ts";
import { answerTo, logOf, post } from "./flow.ts";
import { httpEvent } from "./lambda-events.ts";
import { useWorlds } from "./world.ts";

const makeWorld = useWorlds();

const notAuthentic = {
  statusCode: 401,
  headers: { "content-type": "application/json" },
  body: '{"code":40100,"msg":"not authentic"}',
};

describe("a refused envelope of a configured merchant", () => {
  test("is captured as it came, with its merchant, the reason and the time", async () => {
    const world = await makeWorld();
    const { receiver, queueUrl } = await startCapturing(world);
    const body = `\uFEFF ${JSON.stringify({ ...forgedCallback(world), note: "é 漢 \u2028 🙂" }, null, 2)}\r\n`;
    const before = Date.now();
    const answer = await untilCaptured(receiver, () => post(receiver, body));
    expect(answer).toEqual(notAuthentic);
    const [message] = await captured(world, queueUrl);
    const { merchantId } = world.merchant;
    expect(message).toMatchObject({ version: 1, merchantId, reason: "wrong-signature", body });
    expect(message!.receivedAtMilliseconds).toBeGreaterThanOrEqual(before);
    expect(message!.receivedAtMilliseconds).toBeLessThanOrEqual(receiver.now());
    expect(logOf(receiver).at(-1)).toMatchObject({ outcome: "captured", Captured: 1 });
  });

  test("is captured byte for byte when API Gateway gives it in base64", async () => {
    const world = await makeWorld();
    const { receiver, queueUrl } = await startCapturing(world);
    const bytes = Buffer.from(JSON.stringify({ ...forgedCallback(world), note: "漢" }));
    const event = httpEvent(bytes.toString("base64"), true);
    const answer = await untilCaptured(receiver, () => answerTo(receiver, event));
    expect(answer).toEqual(notAuthentic);
    const [message] = await captured(world, queueUrl);
    expect(Buffer.from(message!.body).equals(bytes)).toBe(true);
  });

  test("is captured whatever the reason for which it is not authentic", async () => {
    const world = await makeWorld();
    const { receiver, queueUrl } = await startCapturing(world);
    const nowMilliseconds = Date.now() - 9 * 86_400_000;
    const tooOld = paymentCallback(world, {}, { nowMilliseconds });
    const undecipherable = { ...paymentCallback(world), body: "AAAA" };
    for (const envelope of [tooOld, undecipherable, forgedCallback(world)]) {
      await untilCaptured(receiver, () => post(receiver, envelope));
    }
    const reasons = (await captured(world, queueUrl)).map(({ reason }) => reason);
    expect(reasons.sort()).toEqual(["cannot-decrypt", "too-old", "wrong-signature"]);
  });
});

describe("nothing is captured", () => {
  test("of strangers, of smoke tests, of what is no envelope, and of what is authentic", async () => {
    const world = await makeWorld();
    const { merchantId } = world.merchant;
    const keys = { [merchantId]: world.secretId, [smokeName]: world.secretId };
    const { receiver, queueUrl } = await startCapturing(world, {
      CALLBACK_KEYS: JSON.stringify(keys),
    });
    const as = (id: string) => ({ ...world, merchant: makeMerchant({ merchantId: id }) });
    const statuses = [];
    for (const envelope of [
      forgedCallback(as("stranger")),
      forgedCallback(as(smokeName)),
      { ...forgedCallback(world), sign: "" },
      paymentCallback(world),
    ]) {
      statuses.push((await post(receiver, envelope)).statusCode);
    }
    expect(statuses).toEqual([401, 401, 400, 200]);
    // The two that are not authentic make a send like any other, so that they take as long. It holds nothing of them.
    expect(sendsBy(receiver, queueUrl)).toBe(2);
    const [blank, ...more] = await captured(world, queueUrl);
    expect([blank!.merchantId, blank!.body.trim(), more]).toEqual(["", "", []]);
    expect(logOf(receiver).some(({ outcome }) => outcome === "captured")).toBe(false);
  });

  test("after the end, by an instance that was started before it or after it", async () => {
    const world = await makeWorld();
    const { receiver, queueUrl, variables } = await startCapturing(world);
    await post(receiver, forgedCallback(world));
    receiver.advance(3_600_000);
    const late = await world.start("receive-callback", {
      ...variables,
      CAPTURE_UNTIL_MILLISECONDS: String(Date.now()),
    });
    for (const instance of [receiver, late]) {
      const from = (address: string) => eventFrom(address, JSON.stringify(forgedCallback(world)));
      expect(await answerTo(instance, from("192.0.2.2"))).toEqual(notAuthentic);
    }
    expect(sendsBy(receiver, queueUrl)).toBe(1);
    expect(sendsBy(late, queueUrl)).toBe(0);
  });
});

describe("many alike", () => {
  test("from one sender are three at most, on two instances, and hide no other sender", async () => {
    const world = await makeWorld();
    const { receiver, queueUrl, variables } = await startCapturing(world);
    const second = await world.start("receive-callback", variables);
    for (const instance of [receiver, second]) {
      for (let index = 0; index < 60; index += 1) await post(instance, forgedCallback(world));
      expect(sendsBy(instance, queueUrl)).toBe(60);
    }
    expect(await captured(world, queueUrl)).toHaveLength(3);
    const other = JSON.stringify(forgedCallback(world));
    await untilCaptured(receiver, () => answerTo(receiver, eventFrom("198.51.100.7", other)));
    expect(await captured(world, queueUrl)).toMatchObject([{ body: other }]);
  });
});

describe("the answer", () => {
  const faults: [string, Fault][] = [
    ["never answers", { kind: "stall" }],
    ["cuts the connection", { kind: "cut" }],
    ["refuses", { kind: "refuse", error: { status: 403, type: "AccessDeniedException" } }],
  ];

  test.each(faults)("is the same, and a line tells it, when the queue %s", async (_case, fault) => {
    const world = await makeWorld();
    const { receiver, queueUrl } = await startCapturing(world);
    const without = await world.start("receive-callback");
    receiver.faults.fail(sendTo(queueUrl), fault);
    const envelope = forgedCallback(world);
    expect(await post(receiver, envelope)).toEqual(await post(without, envelope));
    const ended = logOf(receiver).filter(({ outcome }) => String(outcome).includes("captured"));
    expect(ended).toMatchObject([{ outcome: "not-captured", Captured: 0 }]);
    expect((await post(receiver, paymentCallback(world))).statusCode).toBe(200);
    receiver.faults.heal();
    await untilCaptured(receiver, () => post(receiver, envelope));
    expect(await captured(world, queueUrl)).toMatchObject([{ reason: "wrong-signature" }]);
  });
});
