import { afterEach, beforeAll, expect, test } from "vitest";
import { queued } from "../integration/callbacks.ts";
import type { Queued } from "../integration/lambda-events.ts";
import { useWorlds, type World } from "../integration/world.ts";
import { type CallbackStage, startCallbacks } from "./callback-stage.ts";
import { createCanaries } from "./canary.ts";
import { envelopeFields, resultFields } from "./fields.ts";
import { formsOf, loadedPayment, loadedRefund, sealLoaded } from "./loaded.ts";
import { createWatch } from "./watch.ts";

const makeWorld = useWorlds();
const canaries = createCanaries();
const watch = createWatch(canaries);
let world: World;
let stage: CallbackStage;
beforeAll(async () => {
  world = await makeWorld();
  stage = await startCallbacks(world, canaries, watch);
});
afterEach(() => watch.expectNoLeak());

const atOnce = 10;

async function processAll(messages: readonly Queued[]): Promise<void> {
  for (let from = 0; from < messages.length; from += atOnce) {
    await stage.process(messages.slice(from, from + atOnce));
  }
}

test("what a field of the envelope holds is in no line and no answer, signed or altered", async () => {
  for (const name of [...envelopeFields, "unknown"]) {
    const envelopes = formsOf(canaries, `envelope's ${name}`).flatMap(([, value]) => {
      const result = loadedPayment(canaries);
      const fields = name === "body" || name === "sign" ? {} : { [name]: value };
      const altered = { ...sealLoaded(canaries, world.merchant, { result }), [name]: value };
      return [sealLoaded(canaries, world.merchant, { result, fields }), altered];
    });
    await Promise.all(envelopes.map((envelope) => stage.send(envelope)));
  }
  const accepted = stage.newMessages();
  expect(accepted.length).toBeGreaterThan(0);
  await processAll(accepted);
});

/** Ids are the only fields whose text may be logged. */
const mayBeLogged = ["referOrderNo", "outOrderNo", "paymentId", "refundId"];
const unlogged = [...resultFields, "unknown"].filter((name) => !mayBeLogged.includes(name));
const ofPayments = unlogged.filter((name) => !/refund/i.test(name));
const ofRefunds = unlogged.filter((name) => !/^(pay(ment)?(Amount|Time)|currency)$/.test(name));
/** Without a success no money moved. Then only these are read in another way. */
const ofMoney = ofPayments.filter((name) => /amount|currency/i.test(name));

test.each([
  ["success", "quarantined", loadedPayment, ofPayments],
  ["refund_success", "quarantined", loadedRefund, ofRefunds],
  ["failed", "published", loadedPayment, ofMoney],
] as const)(
  "what a field of a result with the status %s holds is in no line, if it is %s",
  async (status, outcome, load, names) => {
    const eventName = `payment.${status.startsWith("refund_") ? "" : "order."}${status.replace("_", ".")}`;
    const before = watch.seen({ outcome }).length;
    const seal = (changes: object = {}) => {
      const result = load(canaries, { status, ...changes });
      return sealLoaded(canaries, world.merchant, { result, eventName });
    };
    await stage.send(seal());
    // receive-callback reads no other field of a result than the ids: one form of each goes through it.
    await Promise.all(
      names.map((name) => {
        const [, value] = formsOf(canaries, `result's ${name}`).at(-1)!;
        return stage.send(seal({ [name]: value }));
      }),
    );
    const messages = names.flatMap((name) =>
      formsOf(canaries, `result's ${name}`).map(([, value]) =>
        queued(world, seal({ [name]: value })),
      ),
    );
    expect(messages.length).toBeGreaterThanOrEqual(8 * 3);
    await processAll([...stage.newMessages(), ...messages]);
    expect(watch.seen({ outcome }).length).toBeGreaterThan(before);
  },
);

test("an id is logged as an id and nowhere else", async () => {
  const orderNo = canaries.text("order number", "id");
  const result = loadedPayment(canaries, { referOrderNo: orderNo });
  await stage.process([queued(world, sealLoaded(canaries, world.merchant, { result }))]);
  expect(watch.seen({ outcome: "published", orderNo })).toHaveLength(1);
});
