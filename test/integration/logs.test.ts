import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { paymentCallback, queuedPayment } from "./callbacks.ts";
import { canaryName, canaryReason, leaksIn } from "./canaries.ts";
import { sendTo, to } from "./fault-proxy.ts";
import { deliverPending, logOf, post, process, pump, subscriber } from "./flow.ts";
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
    expect(Dimensions).toEqual([["service"]]);
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
  const deliverer = await world.start("deliver-pending");
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
  processor.faults.fail(sendTo(subscriber(world, "broken").queueUrl), { kind: "cut" });
  await pump(world, processor);
  await process(processor, queuedPayment(world, { status: canaryName }));
  await process(processor, queuedPayment(world, {}, { plaintext: canaryName }));
  await process(processor, queuedPayment(world, { paymentAmount: canaryReason }));
  await process(processor, queuedPayment(world));
  processor.faults.fail(to("dynamodb"), { kind: "cut" });
  await process(processor, queuedPayment(world, { transactionId: "OTHER" }));
  expect(outcomesOf(processor)).toEqual([
    "published",
    "quarantined",
    "quarantined",
    "quarantined",
    "known-fact",
    "failed",
  ]);
  await deliverPending(world, deliverer);
  expect(outcomesOf(deliverer)).toEqual(["ran"]);
  for (const instance of [receiver, processor, deliverer]) logOf(instance).forEach(expectMetrics);
});
