import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { paymentCallback, queued, queuedPayment, refundCallback } from "./callbacks.ts";
import { canaryName, canaryReason, leaksIn } from "./canaries.ts";
import { sendTo, to } from "./fault-proxy.ts";
import { logOf, post, process, subscriber } from "./flow.ts";
import type { Instance } from "./instance.ts";
import { useWorlds } from "./world.ts";

const makeWorld = useWorlds();

/** Embedded metric format: every metric that is announced stands beside, as a number, with its dimension. */
function expectMetrics(line: Record<string, unknown>): void {
  const embedded = line["_aws"] as {
    Timestamp: number;
    CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string }[] }[];
  };
  if (embedded === undefined) return;
  expect(embedded.Timestamp).toBe(line["timestamp"]);
  for (const { Namespace, Dimensions, Metrics } of embedded.CloudWatchMetrics) {
    expect(Namespace).toBe("Paycast");
    const [dimensions, ...more] = Dimensions;
    expect(more).toEqual([]);
    for (const name of dimensions!) expect(line[name], name).toEqual(expect.any(String));
    for (const { Name } of Metrics) expect(line[Name], Name).toEqual(expect.any(Number));
  }
}

const outcomesOf = (instance: Instance) => logOf(instance).map(({ outcome }) => outcome);

test("the search for canaries finds one where there is one", () => {
  const lines = ["fine", `{"detail":"${canaryName}"}`, "…secret-of-the-test…", canaryReason];
  expect(leaksIn(lines, new Set(["secret-of-the-test", "not-there-at-all"]))).toEqual([
    "secret-of-the-test",
    canaryName,
    canaryReason,
  ]);
});

test("each unit of work writes one line, with metrics, and nothing of what it was given in confidence", async () => {
  const world = await makeWorld({ subscribers: [{ name: "books" }, { name: "broken" }] });
  const receiver = await world.start("receive-callback");
  const processor = await world.start("process-callback");
  const envelope = paymentCallback(world);
  await post(receiver, envelope);
  await post(receiver, { ...envelope, id: randomUUID() });
  await post(receiver, { ...envelope, body: canaryName, [canaryName]: canaryReason });
  await post(receiver, JSON.stringify(envelope).slice(0, -1));
  receiver.faults.fail(to("sqs"), { kind: "cut" });
  await post(receiver, envelope);
  expect(outcomesOf(receiver)).toEqual([
    "accepted",
    "not-authentic",
    "not-authentic",
    "not-an-envelope",
    "not-stored",
  ]);
  processor.faults.fail(
    sendTo(subscriber(world, "broken").queueUrl),
    { kind: "cut" },
    { times: 3 },
  );
  const first = queuedPayment(world);
  await process(processor, first);
  await process(processor, first);
  await process(processor, queuedPayment(world, { status: canaryName }));
  await process(processor, queuedPayment(world, {}, { plaintext: canaryName }));
  await process(processor, queuedPayment(world, { paymentAmount: canaryReason }));
  await process(processor, queuedPayment(world));
  processor.faults.fail(to("dynamodb"), { kind: "cut" });
  await process(processor, queuedPayment(world, { transactionId: "OTHER" }));
  expect(outcomesOf(processor)).toEqual([
    "published",
    "resumed",
    "quarantined",
    "quarantined",
    "quarantined",
    "known-fact",
    "failed",
  ]);
  for (const instance of [receiver, processor]) logOf(instance).forEach(expectMetrics);
});

test("every line says which merchant, order and callback it is about, as far as that is known", async () => {
  const world = await makeWorld();
  const { merchantId } = world.merchant;
  const receiver = await world.start("receive-callback");
  const processor = await world.start("process-callback");
  const envelope = paymentCallback(world);
  const callbackId = envelope["id"];
  const known = { merchantId, callbackId, orderNo: "ORDER-2026-000042" };
  await post(receiver, envelope);
  expect(logOf(receiver).at(-1)).toMatchObject(known);
  receiver.faults.fail(to("sqs"), { kind: "cut" });
  await post(receiver, envelope);
  expect(logOf(receiver).at(-1)).toMatchObject({ ...known, outcome: "not-stored" });
  await process(processor, queued(world, envelope));
  expect(logOf(processor).at(-1)).toMatchObject({ ...known, eventId: expect.any(String) });
  processor.faults.fail(to("dynamodb"), { kind: "cut" });
  await process(processor, queued(world, envelope));
  expect(logOf(processor).at(-1)).toMatchObject({ ...known, outcome: "failed" });
  processor.faults.heal();
  await process(processor, queued(world, paymentCallback(world, { status: "paid" })));
  const { orderNo } = known;
  expect(logOf(processor).at(-1)).toMatchObject({ merchantId, orderNo, outcome: "quarantined" });
  await process(processor, queued(world, refundCallback(world)));
  expect(logOf(processor).at(-1)).toMatchObject({
    merchantId,
    paymentId: "PAY20261115000000000000000000042",
    refundId: "RF2026111500000042",
  });
});

test("a refused callback has the id that it claims, apart from a verified one: a GUID, or a hash", async () => {
  const world = await makeWorld();
  const receiver = await world.start("receive-callback");
  const envelope = paymentCallback(world);
  const claimedCallbackId = randomUUID();
  await post(receiver, { ...envelope, id: claimedCallbackId });
  const [refused = {}] = logOf(receiver).slice(-1);
  expect(refused).toMatchObject({ reason: "wrong-signature", claimedCallbackId });
  expect(refused["callbackId"]).toBeUndefined();
  await post(receiver, { ...envelope, id: `${claimedCallbackId}${canaryName}` });
  expect(logOf(receiver).at(-1)).toMatchObject({
    reason: "wrong-signature",
    claimedCallbackId: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
  });
  expect(receiver.lines.at(-1)).not.toContain(claimedCallbackId);
  await post(receiver, envelope);
  const [accepted = {}] = logOf(receiver).slice(-1);
  expect(accepted).toMatchObject({ outcome: "accepted", callbackId: envelope["id"] });
  expect(accepted["claimedCallbackId"]).toBeUndefined();
});

test("an unknown merchant's id is not repeated in the log", async () => {
  const world = await makeWorld();
  const receiver = await world.start("receive-callback");
  await post(receiver, { ...paymentCallback(world), merchantId: "209900000000000009" });
  const [line] = receiver.lines.slice(-1);
  expect(line).not.toContain("209900000000000009");
  expect(JSON.parse(line!)).toMatchObject({ outcome: "not-authentic", reason: "unknown-merchant" });
});

test("acceptances and refusals are also counted by configured merchant, and a stranger's by nobody", async () => {
  const world = await makeWorld();
  const { merchantId } = world.merchant;
  const receiver = await world.start("receive-callback");
  const envelope = paymentCallback(world);
  await post(receiver, envelope);
  await post(receiver, { ...envelope, id: randomUUID() });
  await post(receiver, { ...envelope, merchantId: "209900000000000009" });
  await post(receiver, "{}");
  const byMerchant = logOf(receiver).map((line) => {
    const { CloudWatchMetrics } = line["_aws"] as {
      CloudWatchMetrics: { Dimensions: string[][]; Metrics: { Name: string }[] }[];
    };
    const counted = CloudWatchMetrics.find(({ Dimensions }) =>
      Dimensions[0]!.includes("merchantId"),
    );
    return [line["merchantId"], counted?.Metrics.map(({ Name }) => Name)];
  });
  expect(byMerchant).toEqual([
    [merchantId, ["Accepted", "VerifiedByCurrent"]],
    [merchantId, ["NotAuthentic", "Accepted"]],
    [undefined, undefined],
    [undefined, undefined],
  ]);
});
