import { randomUUID } from "node:crypto";
import { DeleteItemCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { writeRedrive } from "../../shared/inbox/inbox-body.ts";
import { toAttributes } from "../../shared/table/attributes.ts";
import { makeMerchant, merchantPair } from "../builders/merchant.ts";
import { stampVersionId } from "../builders/stamp.ts";
import { storeUnreadableOrder } from "../integration/aggregates.ts";
import { queued, queuedQuery } from "../integration/callbacks.ts";
import { captured, startCapturing, untilCaptured } from "../integration/capturing.ts";
import { sendTo, to, writes } from "../integration/fault-proxy.ts";
import { subscriber } from "../integration/flow.ts";
import type { Queued } from "../integration/lambda-events.ts";
import { useWorlds, type World } from "../integration/world.ts";
import { type CallbackStage, startCallbacks } from "./callback-stage.ts";
import { createCanaries } from "./canary.ts";
import { echo } from "./echo.ts";
import { codesOf } from "./fields.ts";
import { type Fields, loadedPayment, sealLoaded } from "./loaded.ts";
import { createWatch } from "./watch.ts";

const makeWorld = useWorlds();
const canaries = createCanaries();
const watch = createWatch(canaries);
let world: World;
let stage: CallbackStage;
beforeAll(async () => {
  world = await makeWorld({ subscribers: [{ name: "books" }, { name: "closed" }] });
  stage = await startCallbacks(world, canaries, watch);
});
afterEach(() => watch.expectNoLeak());

/** secrets.test.ts looks at these lines of receive-callback. */
const inSecretsTest = "keys-problem";
const minute = 60_000;
const day = 24 * 60 * minute;
function sealed(result: object | string | Buffer = loadedPayment(canaries), further: Fields = {}) {
  return sealLoaded(canaries, world.merchant, { result, ...further });
}

function message(result?: object | string | Buffer, further: Fields = {}): Queued {
  return queued(world, sealed(result, further));
}

describe("receive-callback", () => {
  test("says nothing of what it takes, refuses, cannot store or captures", async () => {
    const { receiver, send, receive } = stage;
    const text = JSON.stringify(sealed());
    await receive(text);
    await receive(`${text}${" ".repeat(256 * 1024)}`);
    await receive(`*${text}`, { isBase64Encoded: true });
    await receive(Buffer.from(`\xff${text}`, "latin1").toString("base64"), {
      isBase64Encoded: true,
    });
    await receive("");
    await receive(text.slice(1));
    await receive(JSON.stringify([text]));
    await send({ ...sealed(), merchantId: canaries.text("unknown merchant") });
    await send({ ...sealed(), body: Buffer.from(canaries.text("body")).toString("base64") });
    await send({ ...sealed(), sign: canaries.text("signature") });
    await send(sealed(undefined, { nowMilliseconds: Date.now() - 9 * day }));
    await send(sealed(undefined, { nowMilliseconds: Date.now() + 9 * minute }));
    for (const fault of [echo(), { kind: "cut" as const }]) {
      receiver.faults.fail(to("sqs"), fault);
      await send(sealed());
      receiver.faults.heal();
    }
    await refuseOfAnotherMerchant();
    await failToDecrypt();
    expect(watch.seen({ outcome: "not-stored", reason: "body-not-decrypted" })).toHaveLength(1);
    const ALLOWED_SOURCES = JSON.stringify(["203.0.113.0/24"]);
    await send(sealed(), await world.start("receive-callback", { ALLOWED_SOURCES }));
    await capture();
    watch.expectNoLeak();
    const seen = watch.seen({ service: "receive-callback" }).map(({ reason }) => reason);
    const reasons = codesOf("RefusalReason");
    expect(reasons.length).toBeGreaterThan(8);
    expect(seen).toEqual(expect.arrayContaining(reasons));
  });

  /** Only if the signature does not cover the merchant's id. */
  async function refuseOfAnotherMerchant(): Promise<void> {
    const profile = { unsignedFields: ["merchantId" as const] };
    const other = await makeWorld({ merchant: { profile } });
    const receiver = await other.start("receive-callback");
    const result = loadedPayment(canaries, { merchantId: canaries.text("merchant in the result") });
    await stage.send(sealLoaded(canaries, other.merchant, { result }), receiver);
  }

  /** Only if the signature covers the ciphertext. */
  async function failToDecrypt(): Promise<void> {
    const other = await makeWorld({ merchant: { profile: { signs: "ciphertext" } } });
    const receiver = await other.start("receive-callback");
    const body = canaries.text("body that is no ciphertext");
    const sent = { result: loadedPayment(canaries), fields: { body } };
    await stage.send(sealLoaded(canaries, other.merchant, sent), receiver);
  }

  async function capture(): Promise<void> {
    const { receiver, queueUrl } = await startCapturing(world);
    const { merchantId } = world.merchant;
    const forger = makeMerchant({ merchantId, servicePair: merchantPair() });
    const forged = () => sealLoaded(canaries, forger, { result: loadedPayment(canaries) });
    const first = forged();
    await untilCaptured(receiver, () => stage.send(first, receiver));
    receiver.faults.fail(sendTo(queueUrl), echo());
    await stage.send(forged(), receiver);
    expect(await captured(world, queueUrl)).toHaveLength(1);
  }
});

describe("process-callback", () => {
  /** A message for each reason that a person has to look at. */
  const quarantines: Record<string, () => Queued> = {
    "plaintext-not-utf-8": () =>
      message(Buffer.from(`\xff${canaries.text("bytes that are not text")}`, "latin1")),
    "result-unreadable": () => message(canaries.text("plaintext that is not JSON")),
    "result-contradicted": () =>
      message({ ...loadedPayment(canaries), outOrderNo: canaries.text("second order number") }),
    "number-inexact": () =>
      message(JSON.stringify(loadedPayment(canaries)).replace(".25,", ".25e999,")),
    "event-unknown": () => message(undefined, { eventName: canaries.text("event name") }),
    "event-differs": () => message(undefined, { eventName: "payment.order.failed" }),
    "merchant-differs": () =>
      message(loadedPayment(canaries, { merchantId: canaries.text("other merchant") })),
    "inbox-message-unreadable": () => ({
      messageId: randomUUID(),
      group: "group",
      body: JSON.stringify({ origin: canaries.text("foreign message"), body: 1 }),
    }),
    "currency-unknown": () =>
      message(loadedPayment(canaries, { currency: canaries.text("currency") })),
    "amount-malformed": () =>
      message(loadedPayment(canaries, { paymentAmount: canaries.text("amount") })),
  };

  test.each(Object.entries(quarantines))(
    "says nothing of what it quarantines as %s",
    async (reason, make) => {
      await stage.process([make()]);
      expect(watch.seen({ outcome: "quarantined", reason })).toHaveLength(1);
    },
  );

  test("says nothing of a callback that has no room in the table", async () => {
    const type = "com.amazonaws.dynamodb.v20120810#ValidationException";
    const fields = {
      message: `Item size has exceeded the maximum allowed size ${canaries.text("size")}`,
    };
    const error = { status: 400, type, fields };
    stage.processor.faults.fail(writes, { kind: "refuse", error });
    await stage.process([message()]);
    stage.processor.faults.heal();
    expect(watch.seen({ outcome: "quarantined", reason: "item-too-large" })).toHaveLength(1);
  });

  test("says nothing of a message on which its own code fails", async () => {
    const { processor, process } = await startCallbacks(world, canaries, watch);
    const result = loadedPayment(canaries);
    await storeUnreadableOrder(world, String(result["referOrderNo"]), canaries.text("attempts"));
    const failing = message(result);
    await process([failing]);
    processor.advance(7 * 60 * minute);
    await process([failing]);
    expect(watch.seen({ outcome: "quarantined", reason: "processing-failed" })).toHaveLength(1);
  });

  test("says nothing of what it publishes, knows, repeats, returns or cannot deliver", async () => {
    const { processor, process } = await startCallbacks(world, canaries, watch);
    const closed = sendTo(subscriber(world, "closed").queueUrl);
    const result = loadedPayment(canaries);
    const first = message(result);
    processor.faults.fail(closed, echo("AWS.SimpleQueueService.NonExistentQueue"));
    await process([first]);
    processor.advance(6 * minute);
    await process([{ ...first, receiveCount: 5 }]);
    processor.faults.heal();
    await process([first]);
    await process([first]);
    await process([message(result)]);
    await process([queuedQuery(world, asked(), { ...loadedPayment(canaries), status: "pending" })]);
    await process([message()], 1_000);
    const endings = watch.seen({ service: "process-callback" }).map(({ ending }) => ending);
    expect(endings).toEqual(expect.arrayContaining(["delivered", "given-back", "undeliverable"]));
  });

  test("says nothing of a message without a stamp, of a redrive, or of a restored order", async () => {
    const { processor, process } = await startCallbacks(world, canaries, watch);
    const foreign = { messageId: randomUUID(), group: "group", isWhole: true };
    await process([{ ...foreign, body: canaries.text("foreign message") }]);
    const forged = { version: 1, stampKey: stampVersionId, stamp: canaries.text("stamp") };
    const body = JSON.stringify({ ...forged, message: canaries.text("forged message") });
    await process([{ ...foreign, body }]);
    const named = { callbackKey: canaries.text("record"), receipt: canaries.text("receipt") };
    await process([{ ...foreign, body: writeRedrive(named) }]);
    const result = loadedPayment(canaries);
    const first = message(result);
    await process([first]);
    await takeBackOrder(String(result["referOrderNo"]));
    await process([first]);
    processor.faults.fail(to("secretsmanager"), echo());
    processor.advance(6 * minute);
    await process([message()]);
    const seen = watch.seen({ outcome: "stamp-refused" }).map(({ reason }) => reason);
    expect(seen).toEqual(["stamp-missing", "stamp-wrong"]);
  });

  /** As after the table of orders was restored to an earlier time. */
  async function takeBackOrder(orderNo: string): Promise<void> {
    const Key = toAttributes({ aggregateKey: `${world.merchant.merchantId}#order#${orderNo}` });
    const TableName = world.tables.orders;
    await world.dynamodb.send(new DeleteItemCommand({ TableName, Key }));
  }

  const asked = () => ({
    orderNo: canaries.text("order that was asked about", "id"),
    paymentId: canaries.text("payment that was asked about", "id"),
  });
});

test.each([
  ["cut", { kind: "cut" }],
  ["echo", echo()],
] as const)(
  "whichever call to AWS fails, no line repeats what it held (%s)",
  async (_case, fault) => {
    const { receiver, processor, send, process } = stage;
    await send(sealed());
    await process([message()]);
    for (const { faults } of [receiver, processor]) {
      for (const operation of new Set(faults.calls.map((call) => call.operation))) {
        faults.fail((call) => call.operation === operation, fault);
        await (faults === receiver.faults ? send(sealed()) : process([message()]));
        faults.heal();
      }
    }
  },
);

test("when AWS answers nothing, no line repeats what it was asked", async () => {
  const { receiver, processor, send, process } = stage;
  for (const { faults } of [receiver, processor]) faults.fail(() => true, { kind: "stall" });
  await Promise.all([send(sealed()), process([message()])]);
  for (const { faults } of [receiver, processor]) faults.heal();
});

test("every outcome and every reason of a quarantine has been looked at", () => {
  watch.expectAllOutcomes("process-callback");
  watch.expectAllOutcomes("receive-callback", [inSecretsTest]);
  const seen = watch.seen({ outcome: "quarantined" }).map(({ reason }) => reason);
  // A line of a subscriber that cannot be reached tells its ending instead. An event of a mebibyte cannot be made from a callback.
  // What has no stamp has an outcome of its own.
  const elsewhere = ["subscriber-unreachable", "event-too-large", "stamp-missing", "stamp-wrong"];
  const reasons = codesOf("QuarantineCode").filter((code) => !elsewhere.includes(code));
  expect(seen).toEqual(expect.arrayContaining(reasons));
});
