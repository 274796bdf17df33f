import { afterEach, expect, test } from "vitest";
import { queued } from "../integration/callbacks.ts";
import { useWorlds } from "../integration/world.ts";
import { type CallbackStage, startCallbacks } from "./callback-stage.ts";
import { createCanaries } from "./canary.ts";
import { envelopeFields, resultFields } from "./fields.ts";
import { formsOf, loadedPayment, loadedRefund, sealLoaded } from "./loaded.ts";
import { createWatch } from "./watch.ts";

const makeWorld = useWorlds();
const canaries = createCanaries();
const watch = createWatch(canaries);
afterEach(() => watch.expectNoLeak());

const atOnce = 10;
/** More than a hundred callbacks in one test. */
const slow = 120_000;

/** All that is in the inbox now is processed, ten in a batch. */
async function processAll({ newMessages, process }: CallbackStage): Promise<number> {
  const messages = newMessages();
  for (let from = 0; from < messages.length; from += atOnce) {
    await process(messages.slice(from, from + atOnce));
  }
  return messages.length;
}

/** Ids are the only fields whose text may be logged. */
const mayBeLogged = ["referOrderNo", "outOrderNo", "paymentId", "refundId"];

test(
  "what a field of the envelope holds is in no line and no answer, signed or altered",
  async () => {
    const world = await makeWorld();
    const stage = await startCallbacks(world, canaries, watch);
    for (const name of [...envelopeFields, "unknown"]) {
      const envelopes = formsOf(canaries, `envelope's ${name}`).flatMap(([, value]) => {
        const result = loadedPayment(canaries);
        const fields = name === "body" || name === "sign" ? {} : { [name]: value };
        const altered = { ...sealLoaded(canaries, world.merchant, { result }), [name]: value };
        return [sealLoaded(canaries, world.merchant, { result, fields }), altered];
      });
      await Promise.all(envelopes.map((envelope) => stage.send(envelope)));
    }
    expect(await processAll(stage)).toBeGreaterThan(0);
  },
  slow,
);

test.each([
  ["payment", loadedPayment, "payment.order.success"],
  ["refund", loadedRefund, "payment.refund.success"],
  ["payment that failed", loadedPayment, "payment.order.failed"],
] as const)(
  "what a field of a %s's result holds is in no line",
  async (kind, load, eventName) => {
    const world = await makeWorld();
    const stage = await startCallbacks(world, canaries, watch);
    const status = kind === "payment that failed" ? { status: "failed" } : {};
    for (const name of [...resultFields, "unknown"]) {
      const forms = mayBeLogged.includes(name) ? [] : formsOf(canaries, `result's ${name}`);
      const envelopes = forms.map(([, value]) => {
        const result = load(canaries, { ...status, [name]: value });
        return sealLoaded(canaries, world.merchant, { result, eventName });
      });
      await Promise.all(envelopes.map((envelope) => stage.send(envelope)));
    }
    expect(await processAll(stage)).toBeGreaterThanOrEqual(8 * (resultFields.length - 4));
    expect(watch.seen({ outcome: "quarantined" }).length).toBeGreaterThan(0);
  },
  slow,
);

test("an id is logged as an id and nowhere else", async () => {
  const world = await makeWorld();
  const stage = await startCallbacks(world, canaries, watch);
  const orderNo = canaries.text("order number", "id");
  const result = loadedPayment(canaries, { referOrderNo: orderNo });
  await stage.process([queued(world, sealLoaded(canaries, world.merchant, { result }))]);
  expect(watch.seen({ outcome: "published", orderNo })).toHaveLength(1);
});
